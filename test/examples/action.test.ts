/** action.yml as a runner runs it: its step in bash, with the inputs as environment. */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { parse } from 'yaml';
import { EXAMPLES, Folder, sluice } from '../cli/sluice.ts';

const ROOT = join(EXAMPLES, '..');
const { runs } = parse(await Bun.file(join(ROOT, 'action.yml')).text());
const steps: { name: string; run: string }[] = runs.steps;
const step = steps.find(({ name }) => name === 'Screen')!.run;

const folder = new Folder();
afterAll(() => folder.remove());

const baseline = folder.at('baselines.sqlite');
const summary = folder.at('summary.md');

/** A runner gives each step an empty summary. */
async function acted(
  files: string,
  options = '',
  summaryFile = summary,
): Promise<{ code: number; annotations: string }> {
  await Bun.write(summary, '');
  const child = Bun.spawn(['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', step], {
    cwd: EXAMPLES,
    env: {
      PATH: process.env.PATH,
      GITHUB_ACTION_PATH: ROOT,
      GITHUB_STEP_SUMMARY: summaryFile,
      RUNNER_TEMP: folder.path,
      INPUT_FILES: files,
      INPUT_SOURCE: 'orders',
      INPUT_FAIL_ON: 'block',
      INPUT_OPTIONS: options,
    },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  return { annotations: await new Response(child.stdout).text(), code: await child.exited };
}

test('one run is one batch of the baseline, and shows annotations and a summary', async () => {
  for (let run = 0; run < 2; run++) {
    const { code, annotations } = await acted('orders-clean.csv\n', `--baseline=${baseline}\n`);
    expect([code, annotations]).toEqual([0, expect.stringMatching(/^PASS, .*: orders-clean\.csv\n$/)]);
    expect(await Bun.file(summary).text()).toStartWith('### PASS: orders-clean.csv\n');
  }
  const dry = ['screen', '--json', '--dry-run', '-b', baseline, '-s', 'orders'];
  const { stdout } = await sluice([...dry, join(EXAMPLES, 'orders-clean.csv')]);
  expect(JSON.parse(stdout).gate.history).toBe(2);
});

test('the step fails as the files do, and the summary says why', async () => {
  const { code, annotations } = await acted('orders-clean.csv\norders-broken.csv');
  expect([code, annotations]).toEqual([2, expect.stringContaining('::error file=orders-broken.csv,title=')]);
  expect(await Bun.file(summary).text()).toContain('### BLOCK: orders-broken.csv\n');
});

test('a runner without summaries has annotations alone', async () => {
  const { code, annotations } = await acted('orders-clean.csv', '', '');
  expect([code, annotations]).toEqual([0, expect.stringMatching(/^PASS, .*: orders-clean\.csv\n$/)]);
});

test('options may ask for other outputs in files', async () => {
  await acted('orders-clean.csv', `--output=junit=${folder.at('report.xml')}`);
  expect(await Bun.file(folder.at('report.xml')).text()).toContain('<testsuite name="orders-clean.csv"');
});
