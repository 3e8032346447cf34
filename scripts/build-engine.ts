/** Compiles `assembly/` to `build/engine.wasm`. With `--if-stale` only when that is missing or older than its sources. */
import { mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '..');
const output = join(root, 'build/engine.wasm');
// A compiler that is stopped half-way must not leave what looks finished.
const unfinished = join(root, `build/engine.${process.pid}.wasm`);
const COMPILER = join(root, 'node_modules/assemblyscript/bin/asc.js');
const sources = [
  ...readdirSync(join(root, 'assembly'), { recursive: true, encoding: 'utf8' }).map(name =>
    join(root, 'assembly', name),
  ),
  join(root, 'asconfig.json'),
  join(root, 'package-lock.json'),
];

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const stale = modified(output) < Math.max(...sources.map(modified));

if (stale || !process.argv.includes('--if-stale')) {
  mkdirSync(join(root, 'build'), { recursive: true });
  const compiler = Bun.spawnSync(
    [process.execPath, COMPILER, '--config', 'asconfig.json', '--outFile', unfinished],
    { cwd: root, stdout: 'inherit', stderr: 'inherit' },
  );
  if (compiler.exitCode !== 0) process.exit(compiler.exitCode);
  renameSync(unfinished, output);
}
