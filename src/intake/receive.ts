/** Reads a body as it arrives: decompresses it, converts it to UTF-8, passes it on to be parsed, and stops at the end or the first fault. */
import { type ErrorCode, Rejection } from '../terms/errors.ts';
import { Beginning } from './beginning.ts';
import { Transcoder } from './charset.ts';
import { decompressed, type Piece } from './content-coding.ts';
import type { ContentType } from './content-type.ts';
import { bodyTooLarge } from './refusals.ts';
import { Unescape } from './unescape.ts';
import { QUIET, type Upload } from './upload.ts';

/** How long a client may send nothing before what it has sent is parsed, in ms. */
const PAUSE_MS = 200;

/** Where a body is parsed. All methods throw `Rejection`. */
export interface ParsingBody<Parsed> {
  write(bytes: Uint8Array): Promise<void>;
  /** The client pauses. */
  pause(): Promise<void>;
  end(): Promise<Parsed>;
}

export interface ReceiveOptions extends ContentType {
  maxBodyBytes: number;
}

/** Reads the whole body. Throws `Rejection` for what is wrong with the upload or the body. */
export function receive<Parsed>(
  upload: Upload,
  body: ParsingBody<Parsed>,
  options: ReceiveOptions,
): Promise<Parsed> {
  return explaining(upload, options, async (pieces, beginning) => {
    await passOn(pieces, body);
    beginning.end();
    return body.end();
  });
}

/** Reads a body of any length: `read` gets its text, in UTF-8. Throws what `read` throws, and `Rejection` for what is wrong with the upload. */
export function receiveText<Read>(
  upload: Upload,
  contentType: ContentType,
  read: (text: AsyncIterable<Uint8Array>) => Promise<Read>,
): Promise<Read> {
  const options = { ...contentType, maxBodyBytes: Number.POSITIVE_INFINITY };
  return explaining(upload, options, async (pieces, beginning) => {
    const said = await read(withoutPauses(pieces));
    beginning.end();
    return said;
  });
}

async function* withoutPauses(pieces: AsyncIterable<Piece>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) if (piece !== QUIET) yield piece;
}

async function explaining<Said>(
  upload: Upload,
  options: ReceiveOptions,
  read: (pieces: AsyncIterable<Piece>, beginning: Beginning) => Promise<Said>,
): Promise<Said> {
  const beginning = new Beginning(options);
  try {
    const isPlain = options.coding === null && options.charset === null && options.escapeByte === undefined;
    const pieces = isPlain ? plainPieces(upload, beginning) : decodedPieces(upload, options, beginning);
    return await read(pieces, beginning);
  } catch (error) {
    if (!(error instanceof Rejection && ABOUT_ROWS.has(error.code))) throw error;
    const isEarly = !upload.ended;
    if (options.coding === null) await readOn(upload, beginning);
    const explained = beginning.explained(error);
    // Also if the rest has been read meanwhile: every early refusal closes its connection.
    throw isEarly ? explained.with({ Connection: 'close' }) : explained;
  }
}

async function passOn(pieces: AsyncIterable<Piece>, body: ParsingBody<unknown>): Promise<void> {
  try {
    for await (const piece of pieces)
      if (piece === QUIET) await body.pause();
      else await body.write(piece);
  } catch (error) {
    // What came before a damage may be refused for its rows, which says more.
    if (error instanceof Rejection && error.code === 'INVALID_ENCODING') await body.pause();
    throw error;
  }
}

/** Errors that a body of another format than named may cause. */
const ABOUT_ROWS: ReadonlySet<ErrorCode> = new Set(['INVALID_ROWS', 'INVALID_JSON']);

/** How long to wait for bytes that may tell what a rejected body is, in ms. */
const READ_ON_MS = 200;

async function readOn(upload: Upload, beginning: Beginning): Promise<void> {
  const untilMs = upload.waitedMs + READ_ON_MS;
  while (beginning.isTiny && upload.waitedMs < untilMs) {
    const piece = await upload.next(untilMs - upload.waitedMs).catch(() => null);
    if (piece === null || piece === QUIET) return;
    beginning.next(piece);
  }
}

/** The body as UTF-8. Each step may make it longer, so each checks `maxBodyBytes` again: an engine has room for no more. */
function decodedPieces(
  upload: Upload,
  { coding, charset, delimiter, escapeByte, maxBodyBytes }: ReceiveOptions,
  beginning: Beginning,
): AsyncIterable<Piece> {
  let body: AsyncIterable<Piece> = piecesOf(upload);
  if (coding !== null) body = within(maxBodyBytes, decompressed(body, coding));
  body = noted(body, beginning);
  if (charset !== null) body = within(maxBodyBytes, transcoded(body, charset));
  if (escapeByte !== undefined) body = within(maxBodyBytes, unescaped(body, delimiter, escapeByte));
  return body;
}

const plainPieces = (upload: Upload, beginning: Beginning): AsyncIterable<Piece> =>
  noted(piecesOf(upload), beginning);

async function* piecesOf(upload: Upload): AsyncGenerator<Piece> {
  for (;;) {
    const piece = await upload.next(PAUSE_MS);
    if (piece === null) return;
    yield piece;
  }
}

async function* noted(pieces: AsyncIterable<Piece>, beginning: Beginning): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    if (piece !== QUIET) beginning.next(piece);
    yield piece;
  }
}

async function* transcoded(pieces: AsyncIterable<Piece>, charset: string): AsyncGenerator<Piece> {
  const transcoder = new Transcoder(charset);
  for await (const piece of pieces) {
    if (piece === QUIET) yield piece;
    else yield* transcoder.next(piece);
  }
  yield transcoder.finish();
}

async function* unescaped(
  pieces: AsyncIterable<Piece>,
  delimiter: number,
  escapeByte: number,
): AsyncGenerator<Piece> {
  const rewriting = new Unescape(delimiter, escapeByte);
  for await (const piece of pieces) yield piece === QUIET ? piece : rewriting.next(piece);
  yield rewriting.finish();
}

/** Throws `Rejection` PAYLOAD_TOO_LARGE at the piece that exceeds `maxBytes`. */
async function* within(maxBytes: number, pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  let total = 0;
  for await (const piece of pieces) {
    if (piece !== QUIET) total += piece.length;
    if (total > maxBytes) throw bodyTooLarge(maxBytes);
    yield piece;
  }
}
