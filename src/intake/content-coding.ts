/**
 * Decompresses a body with `Content-Encoding` (RFC 9110, section 8.4.1) piece by piece.
 *
 * Uses Bun's `DecompressionStream`, which produces output only as it is read. So one kilobyte that expands to a gigabyte
 * costs only the pieces that were read, and a flushed prefix comes out at once. Unlike the streams of `node:zlib`, it
 * detects a zstd stream that ends early and bytes after the end. The output of one piece is read before the next piece
 * is requested, so pauses of the body are kept.
 *
 * The window of a stream takes up to 16 MiB for br and 128 MiB of address space for zstd. A stream touches only as much
 * of it as it has decompressed.
 */
import { setImmediate } from 'node:timers/promises';
import { quoted, Rejection } from '../terms/errors.ts';
import { QUIET } from './upload.ts';

export type Piece = Uint8Array | typeof QUIET;

export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

const CODINGS = new Map<string, Coding>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);
const KNOWN = 'gzip, deflate, br, zstd';

/** Decompression runs in microtasks, so after this time it lets other requests run. */
const SLICE_MS = 5;

/** The body's coding; null without one. Throws `Rejection` UNSUPPORTED_MEDIA_TYPE for an unknown coding or for several. */
export function contentCoding(headers: Headers): Coding | null {
  const names = (headers.get('content-encoding') ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '' && name !== 'identity');
  if (names.length > 1) throw unsupported(`A body may have one Content-Encoding (${KNOWN}), not several`);
  const [name] = names;
  if (name === undefined) return null;
  const coding = CODINGS.get(name);
  if (coding === undefined)
    throw unsupported(`Content-Encoding ${quoted(name)} is not known; use ${KNOWN} or identity`);
  return coding;
}

const unsupported = (message: string) =>
  new Rejection('UNSUPPORTED_MEDIA_TYPE', message, { 'Accept-Encoding': KNOWN });

/** Decompresses the pieces and passes pauses on. Throws `Rejection` INVALID_ENCODING if the stream is damaged. */
export async function* decompressed(pieces: AsyncIterable<Piece>, coding: Coding): AsyncGenerator<Piece> {
  let stream: Decompression | null = null;
  try {
    for await (const piece of pieces) {
      if (piece === QUIET) {
        yield piece;
        continue;
      }
      stream ??= new Decompression(coding, piece[0]!);
      yield* stream.next(piece);
    }
    if (stream === null) throw endsEarly(coding);
    yield* stream.finish();
  } finally {
    stream?.cancel();
  }
}

/** The stream has consumed its input. */
const FED: unique symbol = Symbol('fed');

type Read = { done: true; value?: undefined } | { done: false; value: Uint8Array };

interface Reader {
  read(): Promise<Read>;
  cancel(): Promise<void>;
}

interface Writer {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

class Decompression {
  readonly #coding: Coding;
  readonly #writer: Writer;
  readonly #reader: Reader;
  /** A read without a result yet, which the next call waits for again. */
  #pending: Promise<Read> | null = null;
  #yieldedMs = performance.now();

  constructor(coding: Coding, firstByte: number) {
    const stream = new DecompressionStream(formatOf(coding, firstByte));
    this.#coding = coding;
    this.#writer = stream.writable.getWriter() as Writer;
    this.#reader = stream.readable.getReader() as Reader;
  }

  /** Decompresses these bytes. */
  async *next(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    const fed = this.#writer.write(bytes).then((): typeof FED => FED);
    try {
      for (;;) {
        const read = await Promise.race([this.#read(), fed]);
        if (read === FED || read.done) return;
        yield await this.#taken(read.value);
      }
    } catch (error) {
      throw damaged(this.#coding, error);
    }
  }

  /** Returns the remaining output. Throws if the stream is incomplete. */
  async *finish(): AsyncGenerator<Uint8Array> {
    this.#writer.close().catch(() => {});
    for (;;) {
      const read = await this.#read().catch(() => {
        throw endsEarly(this.#coding);
      });
      if (read.done) return;
      yield await this.#taken(read.value);
    }
  }

  /** Frees the window. */
  cancel(): void {
    this.#reader.cancel().catch(() => {});
    this.#writer.abort().catch(() => {});
  }

  #read(): Promise<Read> {
    this.#pending ??= this.#reader.read();
    return this.#pending;
  }

  async #taken(bytes: Uint8Array): Promise<Uint8Array> {
    this.#pending = null;
    if (performance.now() - this.#yieldedMs > SLICE_MS) {
      await setImmediate();
      this.#yieldedMs = performance.now();
    }
    return bytes;
  }
}

/**
 * The platform's name of the format. `deflate` means a zlib stream, but many clients send raw deflate data. A zlib
 * stream begins with the method 8 in its low four bits. Raw data never begins so in practice, because encoders leave the
 * unused bits zero.
 */
function formatOf(coding: Coding, firstByte: number): Bun.CompressionFormat {
  if (coding === 'deflate') return (firstByte & 15) === 8 ? 'deflate' : 'deflate-raw';
  return coding === 'br' ? 'brotli' : coding;
}

function damaged(coding: Coding, error: unknown): Rejection {
  const { code } = error as { code?: unknown };
  return invalid(
    code === 'ERR_TRAILING_JUNK_AFTER_STREAM_END'
      ? `The body has bytes after the end of its ${coding} stream`
      : `The body does not match its Content-Encoding: its ${coding} stream is damaged`,
  );
}

const endsEarly = (coding: Coding) => invalid(`The body ends before the end of its ${coding} stream`);

const invalid = (message: string) => new Rejection('INVALID_ENCODING', message);
