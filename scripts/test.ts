/** Runs all tests, or those of the given paths. All of them start the programs so often that compiling these first pays. */
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const OPTIONS = '--no-orphans --parallel=3 --no-isolate --timings=test/timings.json --timeout 240000';

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
if (isAll) await run(['scripts/build-programs.ts', '--if-stale']);
await run(['test', ...OPTIONS.split(' '), ...given]);
