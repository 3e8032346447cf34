/**
 * The body as it was before its `Content-Encoding` (RFC 9110, section 8.4.1), piece by piece, by the platform.
 *
 * Bun's `DecompressionStream` gives output as it is read and holds the rest back: one kilobyte that becomes a gigabyte
 * costs no more than the pieces that were asked for, and a flushed prefix comes out at once. It also knows, unlike the
 * streams of `node:zlib`, a zstd stream that ends early and bytes behind the end. What a piece of the body becomes is
 * read before the next piece is asked for, so the body's pauses stay what they are.
 *
 * The window of a stream takes up to 16 MiB with br and 128 MiB of address space with zstd, of which no more is ever
 * touched than has been decompressed.
 */
import { setImmediate } from 'node:timers/promises';
import { quoted, Rejection } from '../errors.ts';
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

/** Decompression runs within microtasks: other requests would wait until the last piece. */
const SLICE_MS = 5;

/** The body's one coding, null for none. Throws `Rejection` UNSUPPORTED_MEDIA_TYPE for others, and for several. */
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

/** The pieces decompressed, pauses in their places. Throws `Rejection` INVALID_ENCODING when they are no such stream. */
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

/** The stream has taken all that it was given. */
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
  /** A read that has had no answer yet goes on. */
  #pending: Promise<Read> | null = null;
  #yieldedMs = performance.now();

  constructor(coding: Coding, firstByte: number) {
    const stream = new DecompressionStream(formatOf(coding, firstByte));
    this.#coding = coding;
    this.#writer = stream.writable.getWriter() as Writer;
    this.#reader = stream.readable.getReader() as Reader;
  }

  /** What these bytes become. */
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

  /** What was held back. Throws when the stream is not complete. */
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

  /** Lets go of the window, whatever happened. */
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
 * The platform's name of the format. `deflate` is a zlib stream, but many send the bare data: a zlib stream begins with
 * the method 8 in its low four bits, with which bare data could begin only by filling unused bits against all custom.
 */
function formatOf(coding: Coding, firstByte: number): Bun.CompressionFormat {
  if (coding === 'deflate') return (firstByte & 15) === 8 ? 'deflate' : 'deflate-raw';
  return coding === 'br' ? 'brotli' : coding;
}

function damaged(coding: Coding, error: unknown): Rejection {
  const { code } = error as { code?: unknown };
  return invalid(
    code === 'ERR_TRAILING_JUNK_AFTER_STREAM_END'
      ? `Bytes follow the end of the body's ${coding} stream`
      : `The body is not what its Content-Encoding says: its ${coding} stream is damaged`,
  );
}

const endsEarly = (coding: Coding) => invalid(`The body ends before its ${coding} stream does`);

const invalid = (message: string) => new Rejection('INVALID_ENCODING', message);
