/** Builds a folder of `build/`, completely or not at all. With `--if-stale` only if it is missing or older than its sources. */
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface Folder {
  output: string;
  /** A file in the folder whose time is the time of the build. */
  made: string;
  /** Files that it is built from. */
  sources: readonly string[];
}

/** It is missing or older than its sources. */
export const isStale = ({ output, made, sources }: Folder): boolean =>
  modified(join(output, made)) < Math.max(...sources.map(modified));

/** `build` fills an empty folder. */
export async function buildFolder(
  folder: Folder,
  build: (folder: string) => Promise<unknown>,
): Promise<void> {
  if (!isStale(folder) && process.argv.includes('--if-stale')) return;
  const { output } = folder;
  // A build that is interrupted must not leave a folder that looks finished.
  const unfinished = `${output}.${process.pid}`;
  try {
    mkdirSync(unfinished, { recursive: true });
    await build(unfinished);
    putInPlace(unfinished, output);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** A folder cannot be renamed over one that is not empty. */
function putInPlace(unfinished: string, output: string): void {
  const replaced = `${unfinished}.old`;
  if (modified(output) > 0) renameSync(output, replaced);
  renameSync(unfinished, output);
  rmSync(replaced, { recursive: true, force: true });
}

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
