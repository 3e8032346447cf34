/** A copy of a body that is read more than once: columns, whose directory stands at their end, and any body with row verdicts, which are known only when the whole batch is judged. Its folder is removed as soon as it is open: nothing is left of it however the process ends. */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rejection } from '../terms/errors.ts';
import { grouped } from '../terms/wording.ts';

/** Decompressed. */
export const MAX_SPOOL_BYTES = 2 * 1024 * 1024 * 1024;
const READ_BYTES = 256 * 1024;

export class Spool {
  readonly #file: FileHandle;
  #bytes = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Throws `Rejection` SERVICE_UNAVAILABLE. */
  static async open(): Promise<Spool> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-')).catch(refused);
    try {
      return new Spool(await open(join(folder, 'text'), 'wx+', 0o600).catch(refused));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Descriptor of the file. */
  get handle(): number {
    return this.#file.fd;
  }

  /** Passes the text on, and keeps a copy. Throws `Rejection` SERVICE_UNAVAILABLE, PAYLOAD_TOO_LARGE. */
  async *copied(text: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of text) {
      this.#bytes += piece.length;
      if (this.#bytes > MAX_SPOOL_BYTES)
        throw new Rejection(
          'PAYLOAD_TOO_LARGE',
          `Too large: Arrow or Parquet, and any body with row_verdicts, may have at most ${grouped(MAX_SPOOL_BYTES)} bytes; send it in parts`,
        );
      await this.#file.appendFile(piece).catch(refused);
      yield piece;
    }
  }

  /** All of the text, from its beginning. */
  async *read(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.#bytes; ) {
      const piece = new Uint8Array(READ_BYTES);
      const { bytesRead } = await this.#file.read(piece, 0, READ_BYTES, at);
      if (bytesRead === 0) throw new Error('a spool is shorter than what was written');
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

function refused({ code }: NodeJS.ErrnoException): never {
  throw new Rejection(
    'SERVICE_UNAVAILABLE',
    `The server has no room for a copy of the body (${code}): its operator can set TMPDIR to a folder with room`,
    { 'Retry-After': '10' },
  );
}
