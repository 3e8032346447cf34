/** A disk that is full in the middle of a run: an error that names what could not be written. */
import { afterAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { commandOf } from '../../servers/program.ts';
import { Folder } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

/** No file may become longer. */
const limited = (kib: number) => ['sh', '-c', `trap '' XFSZ; ulimit -f ${2 * kib}; exec "$@"`, 'sh'];
/** A new database fits, and what 80,000 rows add does not. */
const LIMITED = limited(350);

const ROWS = Array.from({ length: 80_000 }, (_, i) => `${i},${i / 2},u${i}@corp.com,name ${i % 1000}`);
const ordersOf = (name: string, rows: string[]) =>
  folder.write(name, `id,amount,email,name\n${rows.join('\n')}\n`);

test.each([
  // Each file adds to what is stored.
  ['baseline', 8, /^sluice: \S+orders\.csv: The file of --baseline cannot be read or written: [^\n]+\n/],
  ['good', 1, /^sluice: \S+full\.good: Writing the file failed: EFBIG[^\n]+\n$/],
])('--%s', async (option, count, said) => {
  const length = ROWS.length / count;
  const files = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      ordersOf(`${option}-${i}/orders.csv`, ROWS.slice(i * length, (i + 1) * length)),
    ),
  );
  const args = ['screen', '--quiet', `--${option}`, folder.at(`full.${option}`), ...files];
  const child = Bun.spawn([...LIMITED, ...commandOf('sluice'), ...args], { env: {}, stderr: 'pipe' });
  expect(await new Response(child.stderr).text()).toMatch(said);
  expect(await child.exited).toBe(3);
});

test.each([
  ['a file', (file: string) => [`json=${file}`], /^sluice: \S+full\.json: It cannot be written: [^\n]+\n$/],
  [
    'standard output',
    () => ['json'],
    /^sluice: Writing to standard output failed, so the output is incomplete: [^\n]+\n$/,
  ],
])('an output in %s: one message, and the other output is whole', async (_, outputs, said) => {
  const rows = Array.from({ length: 30_000 }, (_, i) => `${i},${i % 4 ? i : 'x'}`);
  const file = await folder.write('mixed.csv', `id,amount\n${rows.join('\n')}\n`);
  const report = folder.at('report.xml');
  const chosen = [`junit=${report}`, ...outputs(folder.at('full.json'))].flatMap(each => ['--output', each]);
  const held = folder.at('held.csv.gz');
  const args = ['screen', '--row-verdicts', '--held', held, ...chosen, file];
  const child = Bun.spawn([...limited(32), ...commandOf('sluice'), ...args], {
    env: {},
    stdout: Bun.file(folder.at('stdout')),
    stderr: 'pipe',
  });
  expect(await new Response(child.stderr).text()).toMatch(said);
  expect(await child.exited).toBe(3);
  expect(await Bun.file(report).text()).toMatch(/<failure type="BLOCK" [\s\S]+<\/testsuites>\n$/);
  expect(existsSync(held)).toBe(false);
});
