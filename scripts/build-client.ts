/**
 * Builds `src/client/` into `clients/typescript/dist/`: one JavaScript file for every platform with `fetch`, and its declarations.
 * With `--if-stale` only if it is missing or older than its sources.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

/** Declarations of `src/client/` alone: none may need another file, such as src/terms/wording.ts. */
async function declareIn(folder: string): Promise<void> {
  const declarations = mkdtempSync(join(tmpdir(), 'sluice-declarations-'));
  try {
    const compiler = join(root, 'node_modules/.bin/tsc');
    const target = ['--rootDir', join(root, 'src'), '--outDir', declarations];
    const settings = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', ...target];
    const { exitCode, stdout } = Bun.spawnSync([compiler, '-p', source, ...settings], { cwd: root });
    if (exitCode !== 0) throw new Error(stdout.toString());
    for (const name of readdirSync(join(declarations, 'client'))) {
      const text = await Bun.file(join(declarations, 'client', name)).text();
      if (text.includes("from '../")) throw new Error(`${name} needs declarations outside src/client`);
      // TypeScript finds the declarations of `x.js` in `x.d.ts`.
      const named = text.replaceAll(/(?<=(from |import\()['"]\.\/[\w-]+)\.ts(?=['"])/g, '.js');
      await Bun.write(join(folder, name), named);
    }
  } finally {
    rmSync(declarations, { recursive: true });
  }
}

/** All that the client may import: see test/layout/imports.test.ts. */
const files = [
  ...readdirSync(source).map(name => join(source, name)),
  join(root, 'src/terms/wording.ts'),
  join(root, 'src/terms/verdict.ts'),
];

const output = join(root, 'clients/typescript/dist');
await buildFolder({ output, made: 'index.js', sources: [...files, import.meta.path] }, build);
