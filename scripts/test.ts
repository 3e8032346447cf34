/**
 * Runs the tests: all but the long ones, `*.long.test.ts`, which run a suite again, build what users build, or load the machine on
 * purpose. With `ALL_TESTS=1` those too; or the tests of the given paths. The programs are started so often that compiling them first pays.
 */
import './built.ts';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const OPTIONS = '--no-orphans --parallel=3 --no-isolate --timings=test/timings.json --timeout 240000';
const LONG = '**/*.long.test.ts';

const run = async (command: string[]): Promise<void> => {
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: ROOT,
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  const code = await child.exited;
  if (code !== 0) process.exit(code);
};

const given = process.argv.slice(2);
const isAll = given.every(each => each.startsWith('-'));
const isShort = isAll && !process.env.ALL_TESTS;
if (isAll) await run(['scripts/build-programs.ts', '--if-stale']);
await run(['test', ...OPTIONS.split(' '), ...(isShort ? ['--path-ignore-patterns', LONG] : []), ...given]);
if (isShort) {
  const long = [...new Bun.Glob(LONG).scanSync(join(ROOT, 'test'))];
  console.log(`Left out: ${long.length} long files. ALL_TESTS=1 npm test runs them too.`);
}
