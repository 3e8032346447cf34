/**
 * Builds `build/client/` from `src/client/`: one file of JavaScript for every platform with `fetch`, and its declarations.
 * With `--if-stale` only if the folder is missing or older than its sources.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildFolder } from './build-folder.ts';

const root = join(import.meta.dir, '..');
const source = join(root, 'src/client');
async function build(folder: string): Promise<void> {
  await declareIn(folder);
  await Bun.build({
    entrypoints: [join(source, 'index.ts')],
    outdir: folder,
    target: 'browser',
    format: 'esm',
  });
}

async function declareIn(folder: string): Promise<void> {
  const compiler = join(root, 'node_modules/.bin/tsc');
  const settings = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', folder];
  const { exitCode, stdout } = Bun.spawnSync([compiler, '-p', source, ...settings], { cwd: root });
  if (exitCode !== 0) throw new Error(stdout.toString());
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    // A declaration is found by the name of what it declares.
    await Bun.write(path, (await Bun.file(path).text()).replaceAll(/(?<=from '\.\/[\w-]+)\.ts(?=')/g, '.js'));
  }
}

await buildFolder({
  output: join(root, 'build/client'),
  made: 'index.js',
  sources: [...readdirSync(source).map(name => join(source, name)), import.meta.path],
  build,
});
