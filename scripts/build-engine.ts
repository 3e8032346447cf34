/**
 * Compiles `assembly/` to `build/engine.wasm`, or with `--debug` to `build/engine.debug.wasm`: with assertions, names of
 * functions and a source map. A failed assertion traps. With `--if-stale` it compiles only when the file is missing or older
 * than its sources.
 */
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '..');
const target = process.argv.includes('--debug') ? 'debug' : 'release';
const name = target === 'debug' ? 'engine.debug' : 'engine';
const output = join(root, `build/${name}.wasm`);
// An interrupted compiler must not leave a file that looks finished.
const unfinished = join(root, `build/${name}.${process.pid}.wasm`);
const COMPILER = join(root, 'node_modules/assemblyscript/bin/asc.js');
const assembly = join(root, 'assembly');
const sources = [
  ...new Bun.Glob('**/*.ts').scanSync({ cwd: assembly, absolute: true }),
  join(root, 'asconfig.json'),
  join(root, 'package-lock.json'),
];

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const isStale = modified(output) < Math.max(...sources.map(modified));

if (isStale || !process.argv.includes('--if-stale')) {
  mkdirSync(join(root, 'build'), { recursive: true });
  const compiler = Bun.spawn(
    [process.execPath, COMPILER, '--config', 'asconfig.json', '--target', target, '--outFile', unfinished],
    { cwd: root, stdout: 'inherit', stderr: 'inherit' },
  );
  process.on('exit', () => compiler.kill());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
  const exitCode = await compiler.exited;
  if (exitCode !== 0) process.exit(exitCode);
  if (target === 'debug') renameSync(`${unfinished}.map`, `${output}.map`);
  renameSync(unfinished, output);
}
