/**
 * Makes `build/client/` of `src/client/`: one file of JavaScript for every platform that has `fetch`, and its declarations.
 * With `--if-stale` only when that is missing or older than its sources.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '..');
const source = join(root, 'src/client');
const output = join(root, 'build/client');
// A build that is stopped half-way must not leave what looks finished.
const unfinished = `${output}.${process.pid}`;
const replaced = `${output}.${process.pid}.old`;

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function isStale(): boolean {
  const sources = readdirSync(source).map(name => join(source, name));
  return modified(join(output, 'index.js')) < Math.max(...[...sources, import.meta.path].map(modified));
}

async function build(): Promise<void> {
  await declare();
  await Bun.build({
    entrypoints: [join(source, 'index.ts')],
    outdir: unfinished,
    target: 'browser',
    format: 'esm',
  });
}

async function declare(): Promise<void> {
  const compiler = join(root, 'node_modules/.bin/tsc');
  const settings = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', unfinished];
  const { exitCode, stdout } = Bun.spawnSync([compiler, '-p', source, ...settings], { cwd: root });
  if (exitCode !== 0) throw new Error(stdout.toString());
  for (const name of readdirSync(unfinished)) {
    const path = join(unfinished, name);
    // A declaration is found by the name of what it declares.
    await Bun.write(path, (await Bun.file(path).text()).replaceAll(/(?<=from '\.\/[\w-]+)\.ts(?=')/g, '.js'));
  }
}

/** A folder cannot be renamed over one that has something in it. */
function putInPlace(): void {
  if (modified(output) > 0) renameSync(output, replaced);
  renameSync(unfinished, output);
  rmSync(replaced, { recursive: true, force: true });
}

if (isStale() || !process.argv.includes('--if-stale')) {
  try {
    mkdirSync(unfinished, { recursive: true });
    await build();
    putInPlace();
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
