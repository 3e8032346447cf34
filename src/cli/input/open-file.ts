/** Where the bytes of a file can be read: those of a pipe are kept in a file of their own if they are needed again. */
import { createWriteStream, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../failure.ts';
import { removedAtExit } from '../parts/leftovers.ts';
import { openInput, STDIN } from './input.ts';

export interface OpenFile {
  path: string;
  close(): void;
}

export const openOnce = async (file: string): Promise<OpenFile> => ({ path: file, close() {} });

/** A path that can be read more than once. Throws `Failure`. */
export async function openAgain(file: string): Promise<OpenFile> {
  const isFile = file !== STDIN && statSync(file, { throwIfNoEntry: false })?.isFile() !== false;
  if (isFile) return openOnce(file);
  const { pieces } = await openInput(file);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
  const close = removedAtExit(folder, true);
  const path = join(folder, 'input');
  try {
    // Pieces may have the same memory.
    const copies = async function* () {
      for await (const piece of pieces) yield piece.slice();
    };
    await pipeline(Readable.from(copies()), createWriteStream(path, { mode: 0o600 }));
    return { path, close };
  } catch (error) {
    close();
    if (error instanceof Failure) throw error;
    const { message } = error as Error;
    throw new Failure(
      `The rows cannot be kept in ${tmpdir()}, to be read again: ${message}; set TMPDIR`,
      file,
    );
  }
}
