/** The README and the other documents show what the program really does. */
import { expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { charts } from '../bench/charts.ts';
import { PLANS } from '../src/account/plans.ts';
import { readConfig } from '../src/config/config.ts';
import { ERRORS } from '../src/terms/errors.ts';
import { openStores } from '../src/stores/open.ts';
import { foldersOfATest } from './folders.ts';
import { Service } from './http/service.ts';

const newFolder = foldersOfATest();
const root = join(import.meta.dir, '..');
const textOf = (path: string) => Bun.file(join(root, path)).text();
const readme = await textOf('README.md');
const reference = await textOf('docs/api.md');

const [configuration, errors, limits, operation, files, index] = (await Promise.all(
  ['configuration', 'errors', 'limits', 'operation', 'files', 'index'].map(name => textOf(`docs/${name}.md`)),
)) as [string, string, string, string, string, string];

test('the configuration table lists exactly the variables that are read', () => {
  const asked = new Set<string>();
  readConfig(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }));
  const named = [...configuration.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name!);
  expect(new Set(named)).toEqual(asked);
});

test('the tables of plans have the numbers of the code', async () => {
  const billing = await textOf('docs/billing.md');
  const bytes = (count: number) =>
    count % 1024 ** 3 === 0 ? `${count / 1024 ** 3} GiB` : `${count / 1024 ** 2} MiB`;
  for (const [name, { sources, baselineBytes, reportBytes }] of Object.entries(PLANS)) {
    const numbers = [sources.toLocaleString('en-US'), bytes(baselineBytes), bytes(reportBytes)];
    expect(limits).toContain(`| ${name} | ${numbers.join(' | ')} |`);
  }
  for (const column of ['sources', 'baselineBytes', 'reportBytes'] as const) {
    const row = Object.values(PLANS).map(plan =>
      column === 'sources' ? plan.sources.toLocaleString('en-US') : bytes(plan[column]),
    );
    expect(billing).toContain(`| ${row.join(' | ')} |`);
  }
});

test('every variable that makes the tests longer is documented', async () => {
  const documents = `${await textOf('docs/development.md')}${await textOf('docs/dashboard.md')}`;
  const ofEverybody = ['PATH', 'HOME'];
  for (const file of new Bun.Glob('test/**/*.ts').scanSync(root))
    for (const [, name] of (await textOf(file)).matchAll(/process\.env\.([A-Z_]+)/g))
      if (!ofEverybody.includes(name!)) expect(documents.includes(` ${name}=`) || name).toBe(true);
});

test('the table of errors lists every code in the row of its status', () => {
  const rows = errors.split('\n');
  for (const [code, status] of Object.entries(ERRORS)) {
    const row = rows.find(line => line.startsWith('|') && line.includes(`\`${code}\``));
    expect([code, row?.split('|')[1]?.includes(String(status))]).toEqual([code, true]);
  }
});

test.each([
  ['docs/limits.md', limits],
  ['docs/billing.md', await textOf('docs/billing.md')],
])('the table of %s shows what each plan allows', (_, text) => {
  const number = (value: number) => value.toLocaleString('en-US');
  for (const [plan, { rowsPerPeriod, requestsPerSecond, burst }] of Object.entries(PLANS))
    expect(text).toContain(
      `| ${plan} | ${number(rowsPerPeriod)} | ${number(requestsPerSecond)} (${number(burst)}) |`,
    );
});

test('the page on operation names every file of the embedded stores', async () => {
  const dataDir = newFolder();
  await openStores({ dataDir, databaseUrl: null, redisUrl: null });
  const files = readdirSync(dataDir).filter(name => name.endsWith('.sqlite'));
  expect(files).toContain('sluice.sqlite');
  for (const file of files) expect(operation).toContain(`\`${file}\``);
});

test('the table of files lists every folder of src', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter(each => each.isDirectory());
  for (const { name } of folders) expect(files).toContain(`\`src/${name}/\``);
});

test('the reference lists every endpoint with its methods', () => {
  for (const { method, path } of new Service().app.routes) {
    if (method === 'ALL' || !path.startsWith('/v1/')) continue;
    const address = path.replace(/:(\w+)/g, '{$1}');
    const lines = reference.split('\n').filter(line => line.includes(address));
    expect([address, lines.some(line => line.includes(method))]).toEqual([address, true]);
  }
});

test('the security page shows the headers of an answer', async () => {
  const { app } = new Service();
  const { headers } = await app.handle(new Request('http://localhost/v1/jobs'));
  const table = (await textOf('docs/security.md')).split('## Headers of every answer')[1]!;
  const rows = [...table.matchAll(/^\| `([\w-]+)` \| `([^`]+)` \|/gm)].map(([, name, value]) => [
    name!,
    value!,
  ]);
  expect(rows.map(([name]) => name)).toContain('Content-Security-Policy');
  expect(rows.map(([name]) => [name, headers.get(name!)!])).toEqual(rows);
});

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));

const TOP = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/README.md'];
const documents = [...TOP, ...new Bun.Glob('docs/**/*.md').scanSync(root)];

test('the README links to the index, and the index to every document', () => {
  expect(readme).toContain('](docs/index.md)');
  const pages = [
    '../CONTRIBUTING.md',
    'pipelines/README.md',
    ...new Bun.Glob('*.md').scanSync(join(root, 'docs')),
  ];
  for (const file of pages) if (file !== 'index.md') expect(index).toContain(`](${file})`);
});

test('the README has at most 6 kB', () => {
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(6000);
});

test('the figures of the README are those of the bench', async () => {
  const speed = await textOf('docs/speed.md');
  const bench = speed.slice(speed.indexOf('<!-- bench: begin'), speed.indexOf('<!-- bench: end'));
  const measured = (measure: string): string =>
    new RegExp(`${RegExp.escape(measure)}(?: \\| [^|\n]+)?(?: \\| |: )([\\d.]+( ms)?)(?: instead| \\|)`).exec(
      bench,
    )![1]!;
  const wide = measured('HTTP p50, wide full scan');
  const narrow = measured('HTTP p50, 10 rows × 10');
  expect(readme).toContain(`takes ${wide} over HTTP, one of ten rows ${narrow}, `);
  expect(bench).toContain(`\n${/history \(([\d-]+)/.exec(readme)![1]}, `);
  expect(speed).toContain(`the wide batch takes ${wide}, ten rows take ${narrow}.`);
  const accuracy = await textOf('docs/accuracy.md');
  const [, warned] = /([\d.]+) were WARN and none\sBLOCK/.exec(readme)!;
  expect(accuracy).toContain(`, ${warned} WARN in 100 clean batches, and no BLOCK`);
  const [, walked] = /of eight tables not used in development, ([\d.]+) were WARN or BLOCK/.exec(readme)!;
  expect(accuracy).toMatch(RegExp(`\\| after \\|.* ${RegExp.escape(walked!)}, [\\d.]+ \\|`));
});

test('the Python gate of the README is the one that the test of docs/python.md runs', async () => {
  const block = /```python\n[\s\S]*?\n```\n\n```text\n[\s\S]*?\n```/.exec(readme)![0];
  expect(await textOf('docs/python.md')).toContain(block);
});

test('the charts are those that the bench draws from the tables', async () => {
  for (const [file, svg] of Object.entries(await charts()))
    expect(await textOf(`docs/images/${file}`)).toBe(svg);
});

test.each([...new Bun.Glob('docs/*.md').scanSync(root)])('%s opens with what it is for', async file => {
  const [heading, blank, opening] = (await textOf(file)).split('\n');
  expect([heading, blank, opening]).toEqual([
    expect.stringMatching(/^# /),
    '',
    expect.stringMatching(/^(?![|#-]|```)./),
  ]);
});

test('the architecture links to every decision record', async () => {
  const architecture = await textOf('docs/architecture.md');
  for (const file of new Bun.Glob('decisions/*.md').scanSync(join(root, 'docs')))
    expect(architecture).toContain(`](${file})`);
});

test.each(documents)('every link in %s has a target', async file => {
  // Code may show links of another document.
  const text = (await textOf(file)).replace(/^```[\s\S]*?^```$/gm, '');
  for (const [, link] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
    const [path, anchor] = link!.split('#') as [string, string | undefined];
    const target = path === '' ? file : join(dirname(file), path);
    expect([link, existsSync(join(root, target))]).toEqual([link, true]);
    if (anchor !== undefined) expect(anchorsOf(await textOf(target))).toContain(anchor);
  }
});

test.each(documents.filter(file => file !== 'CHANGELOG.md'))(
  'every path that %s names exists',
  async file => {
    // A new file of an example does not exist yet.
    const text = (await textOf(file)).replace(/^\*\*`[^`]+`\*\* \(new\)$/gm, '');
    const paths = [...text.matchAll(/`((?:src|assembly|test|bench|scripts|docs|deploy|bin)\/[\w./-]*)`/g)];
    const missing = paths.map(([, path]) => path!).filter(path => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  },
);
