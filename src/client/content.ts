/** What a caller gives as text or bytes, in whatever shape, as pieces of bytes. */
import { tooLarge } from './sluice-error.ts';

export type Bytes = Uint8Array<ArrayBuffer>;
export type Piece = Uint8Array | string;

/** A file, a stream, or what is there already. A string is UTF-8. */
export type Content = Piece | ArrayBuffer | Blob | ReadableStream<Piece> | AsyncIterable<Piece>;

export type Compression = 'gzip' | 'deflate';

/** The pieces, once. A stream is called off when nobody reads on. */
export async function* piecesOf(content: Content): AsyncGenerator<Bytes> {
  if (typeof content === 'string') yield encoded(content);
  else if (content instanceof ArrayBuffer) yield new Uint8Array(content);
  else if (content instanceof Uint8Array) yield content as Bytes;
  else yield* encodedPieces(iterated(content instanceof Blob ? content.stream() : content));
}

const iterated = (content: ReadableStream<Piece> | AsyncIterable<Piece>): AsyncIterable<Piece> =>
  'getReader' in content ? read(content) : content;

/** Not every browser's streams can be iterated. */
async function* read<Part>(stream: ReadableStream<Part>): AsyncGenerator<Part> {
  const reader = stream.getReader();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      ended = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!ended) await reader.cancel().catch(() => {});
  }
}

const encoder = new TextEncoder();
export const encoded = (text: string): Bytes => encoder.encode(text);

const HALF_AT_END = /[\ud800-\udbff]$/;

/** The halves of a character may come in two strings. */
async function* encodedPieces(pieces: AsyncIterable<Piece>): AsyncGenerator<Bytes> {
  let half = '';
  for await (const piece of pieces) {
    if (typeof piece !== 'string') {
      yield piece as Bytes;
      continue;
    }
    const text = half + piece;
    half = HALF_AT_END.exec(text)?.[0] ?? '';
    yield encoded(text.slice(0, text.length - half.length));
  }
  if (half !== '') yield encoded(half);
}

/** The pieces as a stream: for what the platform only does to streams. */
function streamed(pieces: AsyncGenerator<Bytes>): ReadableStream<Bytes> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

/** As it was before it was compressed. */
export const decompressed = (pieces: AsyncGenerator<Bytes>, by: Compression): AsyncGenerator<Bytes> =>
  read(streamed(pieces).pipeThrough(new DecompressionStream(by)) as ReadableStream<Bytes>);

export const compressed = (bytes: Bytes, by: Compression): Promise<Bytes> =>
  gathered(
    read(streamed(piecesOf(bytes)).pipeThrough(new CompressionStream(by)) as ReadableStream<Bytes>),
    Number.POSITIVE_INFINITY,
  );

/** In UTF-8 what was in `charset`, by a name of the Encoding Standard. Throws `TypeError` where the bytes are not that. */
export async function* transcoded(pieces: AsyncIterable<Bytes>, charset: string): AsyncGenerator<Bytes> {
  const decoder = new TextDecoder(charset as ConstructorParameters<typeof TextDecoder>[0], { fatal: true });
  for await (const piece of pieces) yield encoded(decoder.decode(piece, { stream: true }));
  yield encoded(decoder.decode());
}

const MARK = [0xef, 0xbb, 0xbf];

/** Without a byte order mark of UTF-8. */
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

export function joined(pieces: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** All of it. Throws `SluiceError` PAYLOAD_TOO_LARGE as soon as there are more than `most` bytes. */
export async function gathered(pieces: AsyncIterable<Bytes>, most: number): Promise<Bytes> {
  const all: Bytes[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > most)
      throw tooLarge(
        `One request may have at most ${most.toLocaleString('en-US')} bytes: send it with screenAll`,
      );
    // Who gives it may use its memory for the next; the slice of a Buffer is no copy.
    all.push(new Uint8Array(piece));
  }
  return joined(all);
}
