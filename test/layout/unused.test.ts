/** Every file is a program, a test, or imported by one, directly or through others. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { allImportsOf, filesOf, graphOf, ROOT, reachableFrom } from './source-files.ts';

/** Entry points that are started, bundled or published by name. */
const PROGRAMS = [
  'assembly/index.ts',
  'src/main.ts',
  'src/cli/main.ts',
  'src/threads/worker.ts',
  'src/client/index.ts',
  'src/dashboard/main.tsx',
];

/** Started by a bench or a test as a separate process. */
const CHILD_PROCESSES = [
  'bench/peers.ts',
  'bench/stream-copy.ts',
  'test/e2e/loop-clock.ts',
  'test/fuzz/health-thread.ts',
  'test/fuzz/host.ts',
  'test/e2e/signal-at.ts',
  'test/stores/sqlite/append-forever.ts',
  'test/stores/sqlite/killed-commit.ts',
  'test/stores/sql/add-keys.ts',
  'test/stores/sql/reserve-all.ts',
];

/** Started by hand: it makes the recording that a test compares. */
const RECORDER = 'test/recorded/record.ts';
/** Started by hand: files of other projects, as they are and damaged, seeds of the simulator, and kills of a stream's gates and broker, which take minutes. */
const PLAYERS = [
  'test/foreign/play.ts',
  'test/foreign/fuzz.ts',
  'test/fuzz/main.ts',
  'test/simulator/main.ts',
  'test/stream/socket-run.ts',
  'test/stream/stream-faults.ts',
];

/** Only the compiler reads it: the type of an imported style sheet. */
const DECLARATIONS = ['src/dashboard/style/style.d.ts'];

/** What `npm run` starts. */
const { scripts } = (await Bun.file(join(ROOT, 'package.json')).json()) as {
  scripts: Record<string, string>;
};
const TOOLS = Object.values(scripts).flatMap(
  script => script.match(/\b(scripts|bench)\/[\w-]+\.ts\b/g) ?? [],
);

const graph = graphOf(await allImportsOf(filesOf('{src,assembly,bench,scripts,test}/**/*.{ts,tsx}', '*.ts')));

const unreached = (files: string[], starts: string[]): string[] => {
  const used = reachableFrom(starts, graph);
  return files.filter(file => !used.has(file));
};

test('every entry point exists', () => {
  const entries = [...PROGRAMS, ...CHILD_PROCESSES, ...DECLARATIONS, ...TOOLS, RECORDER, ...PLAYERS];
  expect(entries.filter(file => !existsSync(join(ROOT, file)))).toEqual([]);
});

test('every file of the program is used by a program: a test alone is not enough', () => {
  expect(unreached(filesOf('{src,assembly}/**/*.{ts,tsx,css}'), [...PROGRAMS, ...DECLARATIONS])).toEqual([]);
});

test('every bench, script and helper of the tests is used', () => {
  const tests = filesOf('test/**/*.test.ts');
  const starts = [...PROGRAMS, ...CHILD_PROCESSES, ...TOOLS, RECORDER, ...PLAYERS, ...tests];
  expect(unreached(filesOf('{bench,scripts,test}/**/*.ts'), starts)).toEqual([]);
});
