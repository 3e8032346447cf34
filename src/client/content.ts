/** Text or bytes of any shape that a caller gives → pieces of bytes. */

export type Bytes = Uint8Array<ArrayBuffer>;
export type Piece = Uint8Array | string;

type Opened = Piece | ArrayBuffer | Blob | ReadableStream<Piece> | AsyncIterable<Piece>;

/** A file, a stream, text or bytes in memory, or a function that opens one of them. Strings become UTF-8. */
export type Content = Opened | (() => Opened | Promise<Opened>);

export const NOTHING_GIVEN =
  'There is nothing to screen: give rows, csv, tsv, ndjson, json, arrow or parquet';

export type Compression = 'gzip' | 'deflate';

/**
 * The pieces; they can be read once. Cancels a stream when the reader stops or the signal aborts. After an abort it throws the
 * signal's reason, even while no piece arrives.
 */
export async function* piecesOf(content: Content, signal?: AbortSignal): AsyncGenerator<Bytes> {
  if (typeof content === 'function') yield* piecesOf(await content(), signal);
  else if (typeof content === 'string' || ArrayBuffer.isView(content)) yield* encodedPieces([content]);
  else if (content instanceof ArrayBuffer) yield* encodedPieces([new Uint8Array(content)]);
  else {
    if (typeof content !== 'object' || content === null) throw new TypeError(NOTHING_GIVEN);
    const arriving = content instanceof Blob ? content.stream() : content;
    yield* encodedPieces(until(signal, 'getReader' in arriving ? read(arriving) : arriving));
  }
}

/** Whether it has the same pieces each time: a stream and an iterable can be read once. */
export const isReadAgain = (content: unknown): boolean =>
  ['string', 'function'].includes(typeof content) ||
  ArrayBuffer.isView(content) ||
  content instanceof ArrayBuffer ||
  content instanceof Blob;

/** Some browsers cannot iterate streams. */
function read<Part>(stream: ReadableStream<Part>): AsyncIterableIterator<Part> {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<Part>>,
    async return() {
      await reader.cancel().catch(() => {});
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** The parts until the signal aborts. Then it throws the signal's reason, even while no part arrives. */
export const until = <Part>(
  signal: AbortSignal | undefined,
  parts: AsyncIterable<Part>,
): AsyncIterable<Part> =>
  signal === undefined
    ? parts
    : { [Symbol.asyncIterator]: () => abortable(parts[Symbol.asyncIterator](), signal) };

function abortable<Part>(iterator: AsyncIterator<Part>, signal: AbortSignal): AsyncIterator<Part> {
  const end = async () => (await iterator.return?.()) ?? { done: true as const, value: undefined };
  const next = () =>
    new Promise<IteratorResult<Part>>((resolve, reject) => {
      const stop = () => {
        reject(signal.reason);
        // Not awaited: a generator can only end after the value that it waits for.
        end().catch(() => {});
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop);
      const settled = () => signal.removeEventListener('abort', stop);
      iterator.next().then(resolve, reject).finally(settled);
    });
  return { next, return: end };
}

const encoder = new TextEncoder();
export const encoded = (text: string): Bytes => encoder.encode(text);

const LONE_SURROGATE_AT_END = /[\ud800-\udbff]$/;

/** Two strings may hold the halves of one character. */
async function* encodedPieces(pieces: AsyncIterable<Piece> | Piece[]): AsyncGenerator<Bytes> {
  let half = '';
  for await (const piece of pieces)
    for (const part of parts(piece)) {
      if (typeof part !== 'string') {
        yield part;
        continue;
      }
      const text = half + part;
      half = LONE_SURROGATE_AT_END.exec(text)?.[0] ?? '';
      yield encoded(text.slice(0, text.length - half.length));
    }
  if (half !== '') yield encoded(half);
}

/** Pieces are processed in parts of this size: processing takes several times the memory of a part. */
const PART_LENGTH = 64 * 1024;

/** Splits a large piece. Throws `TypeError` for a piece that is neither text nor bytes. */
function* parts(piece: Piece): Generator<string | Bytes> {
  const whole = typeof piece === 'string' ? piece : bytesIn(piece);
  for (let at = 0; at < whole.length; at += PART_LENGTH)
    yield typeof whole === 'string'
      ? whole.slice(at, at + PART_LENGTH)
      : whole.subarray(at, at + PART_LENGTH);
}

function bytesIn(piece: Uint8Array): Bytes {
  // Bytes of another realm are not instances of this realm's Uint8Array.
  if (!ArrayBuffer.isView(piece)) throw new TypeError('The pieces of an input must be text or bytes');
  return new Uint8Array(piece.buffer as ArrayBuffer, piece.byteOffset, piece.byteLength);
}

/** The pieces as a stream: the platform compresses and sends only streams. It pauses when no more of them are wanted. */
export function streamed(
  pieces: AsyncGenerator<Bytes>,
  isWanted: () => boolean = () => true,
): ReadableStream<Bytes> {
  return new ReadableStream({
    async pull(controller) {
      // Until the stream is cancelled.
      if (!isWanted()) await new Promise(() => {});
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

export const decompressed = (pieces: AsyncGenerator<Bytes>, by: Compression): AsyncIterableIterator<Bytes> =>
  read(streamed(pieces).pipeThrough(new DecompressionStream(by)) as ReadableStream<Bytes>);

export const compressed = (pieces: AsyncGenerator<Bytes>, by: Compression): AsyncIterableIterator<Bytes> =>
  read(streamed(pieces).pipeThrough(new CompressionStream(by)) as ReadableStream<Bytes>);

/** Converts from `charset`, a name of the Encoding Standard, to UTF-8. Throws `TypeError` for bytes that are invalid in it. */
export async function* transcoded(pieces: AsyncIterable<Bytes>, charset: string): AsyncGenerator<Bytes> {
  const decoder = new TextDecoder(charset as ConstructorParameters<typeof TextDecoder>[0], { fatal: true });
  for await (const piece of pieces) yield encoded(decoder.decode(piece, { stream: true }));
  yield encoded(decoder.decode());
}

const MARK = [0xef, 0xbb, 0xbf];

/** Removes the byte order mark of UTF-8. */
export async function* withoutMark(pieces: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
  let begin: Bytes | null = new Uint8Array();
  for await (const piece of pieces) {
    if (begin === null) yield piece;
    else {
      begin = joined([begin, piece]);
      if (begin.length < MARK.length) continue;
      yield unmarked(begin);
      begin = null;
    }
  }
  if (begin !== null) yield unmarked(begin);
}

const unmarked = (bytes: Bytes): Bytes =>
  MARK.every((byte, i) => bytes[i] === byte) ? bytes.subarray(MARK.length) : bytes;

const LF = 0x0a;
const CR = 0x0d;

/** What stands from a line on. LF, CRLF and CR each end a line. */
export async function* fromLine(pieces: AsyncIterable<Bytes>, line: number): AsyncGenerator<Bytes> {
  let left = line - 1;
  let isBehindReturn = false;
  for await (const piece of pieces) {
    let at = 0;
    for (; at < piece.length && (left > 0 || isBehindReturn); at++) {
      const byte = piece[at]!;
      if (isBehindReturn && byte !== LF && left === 0) break;
      if (byte === CR || (byte === LF && !isBehindReturn)) left--;
      isBehindReturn = byte === CR;
    }
    if (left > 0 || at === piece.length) continue;
    isBehindReturn = false;
    yield piece.subarray(at);
  }
}

export function joined(pieces: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/**
 * The first pieces as one: all of them, or more than `most` bytes. Then `rest` has the others, which are the caller's to read or
 * to end; it is null where there are none.
 */
export async function begun(
  pieces: AsyncGenerator<Bytes>,
  most: number,
): Promise<{ bytes: Bytes; rest: AsyncGenerator<Bytes> | null }> {
  const all: Bytes[] = [];
  for (let length = 0; length <= most; ) {
    const { done, value } = await pieces.next();
    if (done) return { bytes: joined(all), rest: null };
    length += value.length;
    // The giver may reuse the memory for the next piece, and slice() of a Buffer does not copy.
    all.push(new Uint8Array(value));
  }
  return { bytes: joined(all), rest: pieces };
}
