/** Compiles `assembly/` to `build/engine.wasm`. With `--if-stale` only when that is missing or older than its sources. */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '..');
const output = join(root, 'build/engine.wasm');
const sources = [
  ...readdirSync(join(root, 'assembly')).map(name => join(root, 'assembly', name)),
  join(root, 'asconfig.json'),
  join(root, 'package-lock.json'),
];

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const stale = modified(output) < Math.max(...sources.map(modified));

if (stale || !process.argv.includes('--if-stale')) {
  mkdirSync(join(root, 'build'), { recursive: true });
  const compiler = Bun.spawnSync(
    [process.execPath, join(root, 'node_modules/assemblyscript/bin/asc.js'), '--config', 'asconfig.json'],
    { cwd: root, stdout: 'inherit', stderr: 'inherit' },
  );
  process.exit(compiler.exitCode);
}
