/** Makes a folder of `build/`: all of it or nothing, and with `--if-stale` only when it is missing or older than its sources. */
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

interface Folder {
  output: string;
  /** A file in it that says how old it is. */
  made: string;
  /** Files that it is made of. */
  sources: readonly string[];
  /** Fills a folder that is empty. */
  build: (folder: string) => Promise<void>;
}

export async function buildFolder({ output, made, sources, build }: Folder): Promise<void> {
  const isStale = modified(join(output, made)) < Math.max(...sources.map(modified));
  if (!isStale && process.argv.includes('--if-stale')) return;
  // A build that is stopped half-way must not leave what looks finished.
  const unfinished = `${output}.${process.pid}`;
  try {
    mkdirSync(unfinished, { recursive: true });
    await build(unfinished);
    putInPlace(unfinished, output);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** A folder cannot be renamed over one that has something in it. */
function putInPlace(unfinished: string, output: string): void {
  const replaced = `${unfinished}.old`;
  if (modified(output) > 0) renameSync(output, replaced);
  renameSync(unfinished, output);
  rmSync(replaced, { recursive: true, force: true });
}

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
