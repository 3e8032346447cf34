/** The forms of `sluice screen --output`. Names and values of files are hostile. */
import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { EXAMPLES, Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const broken = join(EXAMPLES, 'orders-broken.csv');
const clean = join(EXAMPLES, 'orders-clean.csv');
const screened = (output: string, ...words: string[]) => sluice(['screen', '--output', output, ...words]);

/** A field whose name tries to be a command of a runner, mark-up, a link and a mention. */
const HOSTILE = '##[stop-commands]</td><script>&amp;|`*_[x](http://evil.example) @team "\u0001%0A::error::';
const hostile = folder.write(
  'hostile.json',
  JSON.stringify({
    source: 'x]]>',
    rows: [
      { [HOSTILE]: null, n: 1 },
      { [HOSTILE]: null, n: 2 },
    ],
  }),
);
const many = folder.write(
  'many.csv',
  `id,n\n${Array.from({ length: 24_000 }, (_, i) => `${i},${i >= 10_000 && i < 20_000 && i % 3 === 0 ? 'x' : i}`).join('\n')}\n`,
);

test('the exit code is the same in every form', async () => {
  for (const output of ['text', 'json', 'junit', 'github', 'markdown', 'html']) {
    expect((await screened(output, broken, clean)).code).toBe(2);
    expect((await screened(output, clean)).code).toBe(0);
  }
});

test.each([
  [['--output', 'xml'], /--output must be one of text, json, junit, github, markdown, html, not "xml"/],
  [['--output', 'html', '--json'], /--json is short for --output json: remove one of them/],
  [['-o', 'text', '-o', 'json'], /Only one form goes to standard output: .* as in --output json=FILE/],
  [['--output', 'xml=x'], /--output must be one of text, .*, not "xml"/],
  [['--output', 'junit='], /--output junit= names no file: write junit=FILE/],
  [
    ['-o', 'junit=x', '-o', 'json=./x'],
    /--output would replace .\/x, which this command uses too: name another file/,
  ],
  [['-o', `json=${clean}`], /--output would replace \S+orders-clean.csv, which/],
  [['-o', 'json=x', '--good', 'x'], /--output would replace x, which/],
  [['-o', 'json=x', '--baseline', 'x'], /--output would replace x, which/],
  [['--fail-on', 'pass'], /--fail-on must be warn or block, not "pass"/],
  [['--fail-on', 'block', '--strict'], /--strict is short for --fail-on warn: remove one of them/],
])('%p is wrong use', async (options, said) => {
  const { code, stdout, stderr } = await sluice(['screen', ...options, clean]);
  expect([code, stdout, stderr]).toEqual([3, '', expect.stringMatching(said)]);
});

test('--fail-on warn is what --strict is', async () => {
  const warned = join(EXAMPLES, 'orders-broken.json');
  expect((await sluice(['screen', '--fail-on', 'warn', warned])).code).toBe(1);
  expect((await sluice(['screen', '--fail-on', 'block', warned])).code).toBe(0);
});

test('json has no status where nothing was screened', async () => {
  const { code, stdout } = await screened('json', folder.at('absent.csv'));
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    results: [],
    status: null,
    errors: [{ file: folder.at('absent.csv') }],
  });
  const both = await screened('json', folder.at('absent.csv'), clean);
  expect([both.code, JSON.parse(both.stdout).status]).toEqual([3, 'PASS']);
});

describe('several outputs of one run', () => {
  test('are what single runs print, one on standard output and others in files', async () => {
    const reports = { junit: folder.at('reports/all.xml'), html: folder.at('all.html') };
    const files = Object.entries(reports).flatMap(([form, file]) => ['--output', `${form}=${file}`]);
    const { code, stdout } = await sluice(['screen', '--output', 'github', ...files, broken, clean]);
    expect([code, stdout]).toEqual([2, (await screened('github', broken, clean)).stdout]);
    for (const [form, file] of Object.entries(reports))
      expect(await Bun.file(file).text()).toBe((await screened(form, broken, clean)).stdout);
  });

  test('with a file alone print nothing, and --quiet writes the file', async () => {
    for (const quiet of [[], ['--quiet']]) {
      const file = folder.at(`alone${quiet.length}.json`);
      const { code, stdout, stderr } = await screened(`json=${file}`, ...quiet, clean);
      expect([code, stdout, stderr]).toEqual([0, '', '']);
      expect((await Bun.file(file).json()).status).toBe('PASS');
    }
  });

  test('--json is the one on standard output', async () => {
    const { stdout } = await screened(`markdown=${folder.at('beside.md')}`, '--json', clean);
    expect(JSON.parse(stdout).status).toBe('PASS');
    expect(await Bun.file(folder.at('beside.md')).text()).toStartWith('### PASS');
  });

  test('are of sluice diff too', async () => {
    const file = folder.at('diff.md');
    const { code, stdout } = await sluice(['diff', '-o', 'github', '-o', `markdown=${file}`, clean, broken]);
    expect([code, stdout]).toEqual([2, expect.stringContaining('::error file=')]);
    expect(await Bun.file(file).text()).toStartWith('### BLOCK');
    const taken = await sluice([
      'diff',
      '-o',
      `json=${folder.at('before.csv')}`,
      folder.at('before.csv'),
      clean,
    ]);
    expect([taken.code, taken.stderr]).toEqual([3, expect.stringContaining('which this command uses too')]);
  });

  test('a file that cannot be written is an error before anything is screened', async () => {
    const { code, stdout, stderr } = await screened('text', '-o', `json=${clean}/x.json`, clean);
    expect([code, stdout, stderr]).toEqual([3, '', expect.stringContaining('It cannot be written')]);
  });
});

test('every form shows each finding of a report, also where two are of one kind and field', async () => {
  const file = await folder.write('notes.csv', 'id,n\n1,2\n3,4\n5,6\nTotal,12\n"Source: the bank",\n');
  const { issues } = JSON.parse((await screened('json', file)).stdout);
  const details = issues.layout.map(({ detail }: { detail: string }) => detail);
  expect(details.length).toBeGreaterThan(1);
  for (const output of ['text', 'junit', 'github', 'markdown', 'html']) {
    const { stdout } = await screened(output, file);
    for (const detail of details) expect(stdout).toContain(detail.split("'")[0]!);
  }
});

describe('junit', () => {
  test('has a suite for each file, and a failure for what stops the gate', async () => {
    const { stdout } = await screened('junit', broken, clean);
    const counts = [
      ...stdout.matchAll(/<testsuite name="([^"]+)" tests="(\d)" failures="(\d)" errors="(\d)">/g),
    ];
    expect(counts.map(([, ...facts]) => facts)).toEqual([
      [broken, '1', '1', '0'],
      [clean, '1', '0', '0'],
    ]);
    expect(stdout).toContain('<failure type="BLOCK" message="Health 0.405 is below 0.5');
    expect(stdout).toContain('warn: &apos;email&apos;'.replaceAll('&apos;', "'"));
  });

  test('has one test for a file of many rows', async () => {
    const { stdout } = await screened('junit', '--fail-on', 'warn', await many);
    expect(stdout).toContain('tests="1" failures="1" errors="0"');
    expect(stdout).toContain('name="source many"');
  });

  test('a WARN is a failure only with --fail-on warn', async () => {
    const warned = join(EXAMPLES, 'orders-broken.json');
    expect((await screened('junit', warned)).stdout).toContain('failures="0"');
    expect((await screened('junit', '--fail-on', 'warn', warned)).stdout).toContain('<failure type="WARN"');
  });

  test('a file that cannot be read is an error', async () => {
    const { code, stdout } = await screened('junit', folder.at('absent.csv'), clean);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /tests="1" failures="0" errors="1">\s*<testcase [^>]+><error type="error" message="[^"]+no such file/,
    );
  });

  test('is well-formed XML whatever the names are', async () => {
    const { stdout } = await screened('junit', await hostile);
    const lint = Bun.spawn(['python3', '-c', 'import sys, xml.dom.minidom as d; d.parse(sys.stdin.buffer)'], {
      stdin: new Blob([stdout]),
      stderr: 'pipe',
    });
    expect([await lint.exited, await new Response(lint.stderr).text()]).toEqual([0, '']);
  });
});

describe('github', () => {
  test('annotates the lines of findings', async () => {
    const { stdout } = await screened('github', broken);
    expect(stdout).toStartWith(
      `::error file=${broken},title=BLOCK%2C health 0.405%2C 150 rows::Health 0.405`,
    );
    expect(stdout).toContain(`::warning file=${broken},line=3,title=type_mismatch::'amount': 20%25 of`);
  });

  test('says of each file of PASS that it is', async () => {
    expect((await screened('github', clean)).stdout).toMatch(/^PASS, health 0\.\d+, 150 rows: \S+\n$/);
  });

  test('an error names file and line', async () => {
    const file = await folder.write('open.csv', 'a\n"1\n');
    expect((await screened('github', file)).stdout).toStartWith(
      `::error file=${file},line=2,title=No verdict::`,
    );
  });

  test('names of a file are never commands', async () => {
    const { stdout } = await screened('github', await hostile);
    expect(stdout).not.toContain('##[');
    expect(stdout).not.toContain('%0A');
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^::(error|warning) /);
  });

  test('has at most ten annotations a file', async () => {
    const row = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field${i}`, null]));
    const rows = Array.from({ length: 20 }, (_, id) => ({ id, ...row }));
    const file = await folder.write('wide.json', JSON.stringify({ source: 'x', rows }));
    expect((await screened('github', file)).stdout.match(/^::/gm)).toHaveLength(10);
  });
});

describe.each(['markdown', 'html'])('%s', output => {
  test('shows verdict, reason and findings of each file', async () => {
    const { stdout } = await screened(output, broken, clean);
    for (const said of ['BLOCK', 'PASS', '150 rows, health 0.405', '6 outliers, from 721 to 4,166'])
      expect(stdout).toContain(said);
  });

  test('shows a file of many rows as one', async () => {
    expect((await screened(output, await many)).stdout).toContain('24,000 rows, health');
  });

  test('names and values are no mark-up, no links, and mention nobody', async () => {
    const { stdout } = await screened(output, await hostile);
    const special = output === 'html' ? /<script|&amp;\|/ : /(?<!\\)[<`]|(?<!\\)\[x|@team|:\/\//;
    expect(stdout).not.toMatch(special);
  });
});
