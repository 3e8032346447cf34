/** Imports point one way, as the picture of the architecture says. This test reads them. */
import { expect, test } from 'bun:test';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dir, '..');

/** What each part may import besides itself and what everything may: `errors`, `verdict`, the engine's `abi`. */
const ALLOWED: Record<string, string[]> = {
  main: ['*'],
  cli: ['*'],
  service: ['*'],
  supervise: ['config', 'metrics'],
  bootstrap: ['config', 'account', 'stores'],
  app: ['http'],
  http: [
    'screen',
    'teaching',
    'intake',
    'account',
    'billing',
    'profile',
    'judge',
    'baseline',
    'statistics',
    'stages',
    'stores/ports',
  ],
  screen: [
    'intake',
    'engine',
    'profile',
    'judge',
    'baseline',
    'account',
    'response',
    'rules',
    'cooperative-yield',
    'stages',
    'stores/ports',
  ],
  teaching: ['baseline', 'judge', 'stores/ports'],
  stages: [],
  response: ['intake', 'profile', 'judge', 'baseline', 'statistics', 'account', 'stores/ports'],
  intake: ['engine'],
  engine: ['profile'],
  judge: ['profile', 'baseline', 'rules', 'statistics'],
  rules: ['baseline', 'statistics', 'cooperative-yield'],
  baseline: ['profile', 'statistics', 'cooperative-yield', 'stores/ports'],
  profile: ['statistics'],
  statistics: [],
  'cooperative-yield': [],
  account: ['stores/ports'],
  billing: ['account', 'stores/ports'],
  stores: ['stores/ports', 'account'],
  'stores/ports': [],
  config: ['account', 'billing', 'judge'],
  housekeeping: [],
  log: ['config'],
  metrics: ['http', 'config', 'stages'],
  mail: ['account'],
  dashboard: ['client'],
  client: [],
  errors: [],
  verdict: [],
};

/** Run elsewhere than in the service, without the rest of it. */
const STANDS_ALONE = new Set(['dashboard', 'client']);

interface Import {
  from: string;
  to: string;
}

const sources = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(ROOT)].sort();
const text = (file: string) => Bun.file(join(ROOT, file)).text();
const imports = (await Promise.all(sources.map(importsOf))).flat();

async function importsOf(file: string): Promise<Import[]> {
  const specifiers = (await text(file)).matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)'(\.[^']+)'/g);
  return [...specifiers].map(([, path]) => ({
    from: file,
    to: relative(ROOT, join(ROOT, dirname(file), path!)),
  }));
}

/** `src/http/screen.ts` is of `http`, `src/screen.ts` of `screen`. */
function partOf(file: string): string {
  if (file === 'src/stores/ports.ts') return 'stores/ports';
  return file.split('/')[1]!.replace(/\.tsx?$/, '');
}

function isAllowed({ from, to }: Import): boolean {
  const [here, there] = [partOf(from), partOf(to)];
  const allowed = ALLOWED[here] ?? [];
  return (
    here === there ||
    (!STANDS_ALONE.has(here) && (to === 'assembly/abi.ts' || there === 'errors' || there === 'verdict')) ||
    allowed.includes('*') ||
    allowed.includes(there)
  );
}

const shown = ({ from, to }: Import) => `${from} → ${to}`;

test('every import follows the direction', () => {
  expect(imports.filter(each => !isAllowed(each)).map(shown)).toEqual([]);
});

test('every part has its place in the direction', () => {
  expect(sources.map(partOf).filter(part => !(part in ALLOWED))).toEqual([]);
});

test('every import is of a file that is there', () => {
  const styles = new Bun.Glob('src/dashboard/**/*.css').scanSync(ROOT);
  const there = new Set([...sources, ...styles, 'assembly/abi.ts']);
  expect(imports.filter(({ to }) => !there.has(to)).map(shown)).toEqual([]);
});

test('the reading finds the imports that are known to be there', () => {
  expect(imports.map(shown)).toContain('src/main.ts → src/service.ts');
  expect(imports.map(shown)).toContain('src/screen.ts → src/judge/judge.ts');
});

test('only the wiring imports concrete stores', () => {
  const users = imports.filter(({ from, to }) => partOf(to) === 'stores' && partOf(from) !== 'stores');
  expect([...new Set(users.map(({ from }) => from))].sort()).toEqual([
    'src/bootstrap.ts',
    'src/cli/doctor.ts',
    'src/cli/failure.ts',
    'src/cli/keys-command.ts',
    'src/cli/local-store.ts',
    'src/cli/migrate-command.ts',
    'src/main.ts',
    'src/service.ts',
  ]);
});

test('only config.ts reads the environment', async () => {
  const reads = await Promise.all(
    sources.map(async file =>
      /\bprocess\.env\b|\bBun\.env\b|\bimport\.meta\.env\b/.test(await text(file)) ? file : null,
    ),
  );
  expect(reads.filter(file => file !== null)).toEqual(['src/config.ts']);
});

test('only the engine touches WebAssembly', async () => {
  const touches = await Promise.all(
    sources.map(async file => (/\bWebAssembly\./.test(await text(file)) ? partOf(file) : null)),
  );
  expect([...new Set(touches.filter(part => part !== null))]).toEqual(['engine']);
});
