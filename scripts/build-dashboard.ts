/**
 * Bundles `src/dashboard/` into `build/dashboard/`: the page, and assets with a hash of their content in the name. All are also
 * compressed. With `--if-stale` only if the folder is missing or older than its sources.
 */
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { buildFolder } from './build-folder.ts';

const root = join(import.meta.dir, '..');
const source = join(root, 'src/dashboard');

async function build(folder: string): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: [join(source, 'main.tsx')],
    outdir: join(folder, 'assets'),
    naming: { entry: 'app-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    define: { 'process.env.NODE_ENV': '"production"' },
    target: 'browser',
    minify: true,
  });
  const named = (ending: string) => basename(outputs.find(({ path }) => path.endsWith(ending))!.path);
  const icon = await hashed('icon', 'svg', folder);
  const page = (await Bun.file(join(source, 'index.html')).text())
    .replaceAll('{script}', named('.js'))
    .replaceAll('{style}', named('.css'))
    .replaceAll('{icon}', icon);
  await Bun.write(join(folder, 'index.html'), page);
  for (const name of readdirSync(folder, { recursive: true })) await compress(join(folder, String(name)));
}

async function hashed(name: string, ending: string, folder: string): Promise<string> {
  const bytes = await Bun.file(join(source, `${name}.${ending}`)).bytes();
  const file = `${name}-${Bun.hash(bytes).toString(36)}.${ending}`;
  await Bun.write(join(folder, 'assets', file), bytes);
  return file;
}

async function compress(path: string): Promise<void> {
  if (statSync(path).isDirectory()) return;
  const bytes = await Bun.file(path).bytes();
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await Bun.write(`${path}.br`, brotliCompressSync(bytes, { params }));
  await Bun.write(`${path}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
}

/** All that the page may import: see test/imports.test.ts. */
const files = ['src/dashboard', 'src/client']
  .flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true }).map(name => join(folder, String(name))),
  )
  .concat('src/terms/wording.ts')
  .map(name => join(root, name));

const sources = [...files, import.meta.path, join(root, 'package-lock.json')];
await buildFolder({ output: join(root, 'build/dashboard'), made: 'index.html', sources }, build);
