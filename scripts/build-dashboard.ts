/**
 * Bundles `src/dashboard/` into `build/dashboard/`: the page, and beside it assets whose names hold a hash of what is in
 * them, each also compressed. With `--if-stale` only when that is missing or older than its sources.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = join(import.meta.dir, '..');
const source = join(root, 'src/dashboard');
const output = join(root, 'build/dashboard');
// A build that is stopped half-way must not leave what looks finished.
const unfinished = `${output}.${process.pid}`;
const replaced = `${output}.${process.pid}.old`;

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function isStale(): boolean {
  const files = readdirSync(source, { recursive: true }).map(name => join(source, String(name)));
  const sources = [...files, import.meta.path, join(root, 'package-lock.json')];
  return modified(join(output, 'index.html')) < Math.max(...sources.map(modified));
}

async function build(): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: [join(source, 'main.tsx')],
    outdir: join(unfinished, 'assets'),
    naming: { entry: 'app-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    define: { 'process.env.NODE_ENV': '"production"' },
    target: 'browser',
    minify: true,
  });
  const named = (ending: string) => basename(outputs.find(({ path }) => path.endsWith(ending))!.path);
  const icon = await hashed('icon', 'svg');
  const page = (await Bun.file(join(source, 'index.html')).text())
    .replaceAll('{script}', named('.js'))
    .replaceAll('{style}', named('.css'))
    .replaceAll('{icon}', icon);
  await Bun.write(join(unfinished, 'index.html'), page);
  for (const name of readdirSync(unfinished, { recursive: true }))
    await compress(join(unfinished, String(name)));
}

async function hashed(name: string, ending: string): Promise<string> {
  const bytes = await Bun.file(join(source, `${name}.${ending}`)).bytes();
  const file = `${name}-${Bun.hash(bytes).toString(36)}.${ending}`;
  await Bun.write(join(unfinished, 'assets', file), bytes);
  return file;
}

async function compress(path: string): Promise<void> {
  if (statSync(path).isDirectory()) return;
  const bytes = await Bun.file(path).bytes();
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await Bun.write(`${path}.br`, brotliCompressSync(bytes, { params }));
  await Bun.write(`${path}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
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
