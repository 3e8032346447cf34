/** Imports point one way, as docs/architecture.md shows. */
import { describe, expect, test } from 'bun:test';
import { allImportsOf, circlesOf, filesOf, graphOf, type Import, shown, textOf } from './source-files.ts';

/** What the judge and everything above it may know: what was measured, what can be wrong, and what the source looked like before. */
const MIDDLE = [
  'rules',
  'rules/declared',
  'findings',
  'statistics',
  'profile',
  'baseline',
  'baseline/bytes',
  'report-schema',
  'options',
  'engine/queries',
  'table/sign',
  'signs',
  'semantics',
];

/** What each part may import besides itself and what everything may. */
const ALLOWED: Record<string, string[]> = {
  main: ['*'],
  cli: ['*'],
  service: ['*'],
  http: [
    'batches',
    'screen',
    'screen/stages',
    'sources',
    'threads',
    'stream/socket',
    'report',
    'judge',
    'intake',
    'account',
    'alerts',
    'billing',
    'stores/ports',
    ...MIDDLE,
  ],
  screen: [
    'screen/stages',
    'sources',
    'threads',
    'report',
    'judge',
    'intake',
    'engine',
    'states',
    'account',
    'stores/ports',
    ...MIDDLE,
  ],
  'screen/stages': [],
  // What the process knows of sources, in its stores and its threads.
  sources: ['threads', 'judge', 'stores/ports', ...MIDDLE],
  // The main thread asks; what the threads do is everything between a body and its report.
  threads: [
    'columns',
    'threads/limits',
    'intake',
    'engine',
    'engine/reading',
    'table',
    'judge',
    'report',
    'rules/interchange',
    'states',
    'stores/ports',
    ...MIDDLE,
  ],
  // Batches that come over HTTP, in one body of any length or in parts.
  batches: [
    'table',
    'judge',
    'slices',
    'screen',
    'screen/stages',
    'sources',
    'threads',
    'report',
    'intake',
    'engine',
    'states',
    'account',
    'stores/ports',
    ...MIDDLE,
  ],
  // A text of any length, cut into bodies that threads take.
  slices: [
    'threads',
    'intake',
    'engine',
    'columns',
    'states',
    'table',
    'client/json-bytes',
    'stores/ports',
    ...MIDDLE,
  ],
  // What streams of Kafka and those of a WebSocket share.
  'stream/window': ['screen', 'screen/stages', 'intake', 'stores/ports', ...MIDDLE],
  'stream/socket': [
    'stream/window',
    'screen',
    'screen/stages',
    'intake',
    'account',
    'stores/ports',
    ...MIDDLE,
  ],
  stream: [
    'stream/window',
    'screen',
    'screen/stages',
    'account',
    'columns',
    'config',
    'intake',
    'metrics',
    'threads',
    'stores/ports',
    ...MIDDLE,
  ],
  report: ['judge', 'intake', 'account', 'stores/ports', ...MIDDLE],
  intake: ['engine', 'options', 'table', 'table/sign'],
  judge: MIDDLE,
  rules: [
    'rules/declared',
    'findings',
    'statistics',
    'profile',
    'baseline',
    'baseline/bytes',
    'report-schema',
    'options',
    'engine/queries',
    'engine/row-check',
    'table/sign',
    'signs',
  ],
  // The document of declared rules: an option of a request may be one.
  'rules/declared': ['report-schema', 'statistics'],
  findings: ['statistics', 'profile', 'baseline', 'report-schema', 'engine/queries', 'table/sign', 'signs'],
  'report-schema': ['profile', 'statistics', 'table/sign', 'signs', 'semantics'],
  options: ['rules/declared', 'signs'],
  baseline: ['baseline/bytes', 'profile', 'statistics', 'stores/ports', 'engine/queries', 'engine/reading'],
  // How numbers and texts are written as bytes: states are written so too.
  'baseline/bytes': [],
  profile: ['engine', 'engine/queries', 'statistics', 'table/sign', 'signs', 'semantics'],
  states: [
    'baseline',
    'baseline/bytes',
    'rules',
    'rules/declared',
    'engine',
    'engine/queries',
    'engine/reading',
    'engine/row-check',
    'profile',
    'statistics',
    'table',
    'table/sign',
    'signs',
    'semantics',
  ],
  // Whether what was cut from a text is a table.
  table: ['engine', 'table/sign'],
  'table/sign': [],
  // Damaged values and names.
  signs: [],
  // What values mean to people.
  semantics: [],
  engine: [
    'engine/queries',
    'engine/reading',
    'engine/row-check',
    'columns',
    'table/sign',
    'signs',
    'semantics',
  ],
  columns: [],
  'engine/queries': ['engine', 'signs'],
  'engine/reading': [],
  'engine/row-check': [],
  statistics: [],
  account: ['stores/ports'],
  alerts: ['account', 'intake', 'stores/ports'],
  billing: ['account', 'stores/ports'],
  stores: ['stores/ports'],
  'stores/ports': [],
  config: ['account', 'billing', 'options', 'threads/limits'],
  'threads/limits': [],
  metrics: ['http', 'config', 'screen/stages'],
  mail: ['account'],
  dashboard: ['client', 'rendering'],
  rendering: ['client'],
  client: ['client/json-bytes'],
  'client/json-bytes': [],
};

/** Everything may import these, and they import nothing but each other. */
const FOR_ALL = ['terms', 'names', 'time', 'documents'];

/** The engine's constants, which both sides share. */
const ABI = ['assembly/abi.ts', 'assembly/abi-dates.ts', 'assembly/abi-parts.ts', 'assembly/abi-signs.ts'];

/** Programs that run outside the service: they may import only these of `terms`. */
const STANDALONE: Record<string, string[]> = {
  dashboard: ['wording', 'verdict'],
  rendering: ['wording', 'verdict'],
  client: ['wording', 'verdict'],
};

const sources = filesOf('src/**/*.{ts,tsx}');
const engine = filesOf('assembly/**/*.ts');
const imports = await allImportsOf(sources);
const engineImports = await allImportsOf(engine);

/** The longest path of the table that leads to the file: `src/http/route.ts` is part of `http`, `src/stores/ports/jobs.ts` of `stores/ports`. */
function partOf(file: string): string {
  const names = file
    .replace(/^src\//, '')
    .replace(/\.tsx?$/, '')
    .split('/');
  const two = names.slice(0, 2).join('/');
  return two in ALLOWED ? two : names[0]!;
}

function isAllowed({ from, to }: Import): boolean {
  const [here, there] = [partOf(from), partOf(to)];
  if (here === there) return true;
  const allowed = ALLOWED[here] ?? [];
  if (allowed.includes('*') || allowed.includes(there)) return true;
  if (here in STANDALONE) return STANDALONE[here]!.some(name => to === `src/terms/${name}.ts`);
  return FOR_ALL.includes(there) || ABI.includes(to);
}

describe('the direction of imports', () => {
  test('every import follows it', () => {
    expect(imports.filter(each => !isAllowed(each)).map(shown)).toEqual([]);
  });

  test('every part has a place in it', () => {
    const places = new Set([...Object.keys(ALLOWED), ...FOR_ALL]);
    expect(sources.map(partOf).filter(part => !places.has(part))).toEqual([]);
  });

  test('it has no circle itself', () => {
    // The queries are part of the engine: the only part that others may use.
    const whole = (part: string) => part.replace('engine/queries', 'engine');
    const arrows = Object.entries(ALLOWED).flatMap(([from, tos]) =>
      tos.map(to => ({ from: whole(from), to: whole(to) })),
    );
    expect(circlesOf(graphOf(arrows.filter(({ from, to }) => from !== to)))).toEqual([]);
  });

  test('the engine imports nothing outside of assembly/', () => {
    expect(engineImports.filter(({ to }) => !to.startsWith('assembly/')).map(shown)).toEqual([]);
  });

  test('no file imports itself by way of others', () => {
    expect(circlesOf(graphOf([...imports, ...engineImports]))).toEqual([]);
  });
});

test('no file of the Python client imports itself by way of others', async () => {
  const files = filesOf('clients/python/src/sluice/*.py');
  const arrows = await Promise.all(
    files.map(async from =>
      [...(await textOf(from)).matchAll(/^ *from \.(\w+) import/gm)].map(([, name]) => ({
        from,
        to: `clients/python/src/sluice/${name}.py`,
      })),
    ),
  );
  expect(arrows.flat().length).toBeGreaterThan(50);
  expect(circlesOf(graphOf(arrows.flat()))).toEqual([]);
});

describe('the test reads the imports that exist', () => {
  test('every import leads to a file', () => {
    const there = new Set([...sources, ...engine, ...filesOf('src/dashboard/**/*.css')]);
    const leading = [...imports, ...engineImports];
    expect(leading.filter(({ to }) => !there.has(to)).map(shown)).toEqual([]);
  });

  test('it finds imports that are known', () => {
    expect(imports.map(shown)).toContain('src/main.ts → src/service/service.ts');
    expect(imports.map(shown)).toContain('src/http/screen/respond.ts → src/screen/screen.ts');
    expect(engineImports.map(shown)).toContain('assembly/arena.ts → assembly/abi.ts');
  });

  test('it finds a circle, without the nodes that only lead to it', () => {
    const graph = new Map([
      ['start', ['a']],
      ['a', ['b']],
      ['b', ['a', 'end']],
      ['end', []],
    ]);
    expect(circlesOf(graph)).toEqual([['a', 'b']]);
  });
});

test('the package and the container have the files of the engine that the service imports', async () => {
  const { files } = await Bun.file('package.json').json();
  const container = await textOf('Dockerfile');
  const needed = new Set(imports.map(({ to }) => to).filter(to => to.startsWith('assembly/')));
  expect([...needed].sort()).toEqual([...ABI].sort());
  expect(files).toContain('assembly');
  for (const file of needed) expect(container).toMatch(new RegExp(`^COPY .*\\b${file} `, 'm'));
});

test('the package can build its engine, as one that npm makes of a repository must', async () => {
  const { files } = await Bun.file('package.json').json();
  const builder = 'scripts/build-engine.ts';
  expect(files).toEqual(expect.arrayContaining(['asconfig.json', 'assembly', builder]));
  // The package has no other script.
  expect(await textOf(builder)).not.toMatch(/from '\./);
});

describe('what only one place may do', () => {
  test('only the wiring imports concrete stores', () => {
    const users = imports.filter(({ from, to }) => partOf(to) === 'stores' && partOf(from) !== 'stores');
    expect([...new Set(users.map(({ from }) => from))].sort()).toEqual([
      'src/cli/commands/doctor.ts',
      'src/cli/commands/keys.ts',
      'src/cli/commands/migrate.ts',
      'src/cli/failure.ts',
      'src/cli/screening/local-store.ts',
      'src/main.ts',
      'src/service/bootstrap.ts',
      'src/service/service.ts',
      'src/service/stream-service.ts',
    ]);
  });

  test('only config.ts reads the environment', async () => {
    const readers = await filesWith(/\bprocess\.env\b|\bBun\.env\b|\bimport\.meta\.env\b/);
    expect(readers).toEqual(['src/config/config.ts']);
  });

  test('only the engine touches WebAssembly', async () => {
    const users = await filesWith(/\bWebAssembly\./);
    expect([...new Set(users.map(partOf))]).toEqual(['engine']);
  });
});

async function filesWith(pattern: RegExp): Promise<string[]> {
  const found = await Promise.all(sources.map(async file => pattern.test(await textOf(file))));
  return sources.filter((_, i) => found[i]);
}
