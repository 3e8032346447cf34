/**
 * A file for what does not fit in memory. Its folder is removed as soon as it is open, so nothing is left of it whatever ends the program: the system frees
 * its space when it is closed.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Rejection } from '../../terms/errors.ts';

/** Bytes of a file that was written before. */
export interface Stored {
  file: SpillFile;
  position: number;
}

export class SpillFile {
  readonly #folder: string;
  /** Null until something is written. */
  #descriptor: number | null = null;
  #bytes = 0;

  /** Makes a folder in `folder`, with the first bytes. `descriptor`: of a file that another thread has written. */
  constructor(folder: string, descriptor: number | null = null) {
    this.#folder = folder;
    this.#descriptor = descriptor;
  }

  /** For another thread of this process, which will close it; null without a file. */
  handOver(): number | null {
    const descriptor = this.#descriptor;
    this.#descriptor = null;
    return descriptor;
  }

  /** Throws `Rejection` SERVICE_UNAVAILABLE where the disk takes no more. */
  append(words: Uint32Array): Stored {
    const position = this.#bytes;
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    try {
      this.#descriptor ??= openUnnamed(this.#folder);
      for (let at = 0; at < bytes.length; )
        at += writeSync(this.#descriptor, bytes, at, bytes.length - at, position + at);
    } catch (error) {
      throw this.#unwritable(error as NodeJS.ErrnoException);
    }
    this.#bytes += bytes.length;
    return { file: this, position };
  }

  /** Fills `into` with what was written from `position` on. */
  read(position: number, into: Uint32Array): void {
    const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
    this.readBytes(position, bytes, bytes.length);
  }

  /** Fills the first `length` bytes. */
  readBytes(position: number, bytes: Uint8Array, length: number): void {
    for (let at = 0; at < length; ) {
      const read = readSync(this.#descriptor!, bytes, at, length - at, position + at);
      if (read === 0) throw new Error('a spill file is shorter than what was written');
      at += read;
    }
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #unwritable({ code, message }: NodeJS.ErrnoException): Rejection {
    const written = `${Math.ceil(this.#bytes / 1e6)} MB`;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    return new Rejection(
      'SERVICE_UNAVAILABLE',
      isFull
        ? `No space is left in ${this.#folder} for the keys of the rows, which find repeated values (${written} so far): free some, or set TMPDIR to a folder with more space`
        : `The keys of the rows, which find repeated values, cannot be written in ${this.#folder}: ${message}. Set TMPDIR to another folder`,
    );
  }
}

function openUnnamed(parent: string): number {
  const folder = mkdtempSync(join(parent, 'sluice-keys-'));
  try {
    return openSync(join(folder, 'keys'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
