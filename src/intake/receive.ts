/** Feeds a body to the engine as it arrives: decompresses it, converts it to UTF-8, and stops at the end or the first fault. */
import { Format } from '../../assembly/abi.ts';
import { type ErrorCode, Rejection } from '../errors.ts';
import { Beginning } from './beginning.ts';
import { Transcoder } from './charset.ts';
import { decompressed, type Piece } from './content-coding.ts';
import type { ContentType } from './content-type.ts';
import type { CooperativeTask } from './cooperative-scheduler.ts';
import { anotherDelimiter, bodyTooLarge } from './refusals.ts';
import type { Parser, EngineLease } from './engine-lease.ts';
import { QUIET, type Upload } from './upload.ts';

export interface ReceiveOptions extends ContentType {
  maxBodyBytes: number;
}

/** Feeds the whole body and returns the engine, which `lease` still holds. Throws `Rejection` for what upload or engine reject. */
export async function receive<E extends Parser>(
  upload: Upload,
  lease: EngineLease<E>,
  options: ReceiveOptions,
  task: CooperativeTask,
): Promise<E> {
  const beginning = new Beginning(options);
  try {
    if (options.coding === null && options.charset === null)
      await receiveAsIs(upload, lease, task, beginning);
    else for await (const piece of plain(upload, lease, options, beginning)) await take(lease, piece, task);
    beginning.end();
    const engine = await lease.end(task);
    const { format, delimiter, isDelimiterGiven } = options;
    const other = format === Format.CSV && !isDelimiterGiven ? engine.otherDelimiter : 0;
    if (other !== 0) throw anotherDelimiter(other, delimiter);
    return engine;
  } catch (error) {
    if (!(error instanceof Rejection && ABOUT_ROWS.has(error.code))) throw error;
    const isEarly = !upload.ended;
    if (options.coding === null) await readOn(upload, beginning);
    const { code, message, headers } = beginning.explained(error);
    // Also if the rest has been read meanwhile: every early refusal closes its connection.
    throw new Rejection(code, message, isEarly ? { ...headers, Connection: 'close' } : headers);
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

/** Fast path: most bodies need no decoding and arrive in one piece, which costs less than a chain of generators. */
async function receiveAsIs<E extends Parser>(
  upload: Upload,
  lease: EngineLease<E>,
  task: CooperativeTask,
  beginning: Beginning,
): Promise<void> {
  for (;;) {
    const piece = await upload.next(lease.pauseMs);
    if (piece === null) return;
    if (piece !== QUIET) beginning.next(piece);
    await take(lease, piece, task);
  }
}

async function take<E extends Parser>(
  lease: EngineLease<E>,
  piece: Piece,
  task: CooperativeTask,
): Promise<void> {
  if (piece === QUIET) await task.run(() => lease.pause());
  else await task.run(() => lease.write(piece), piece.length);
  if (lease.isColumnar) await task.runPieces(lease.reading());
}

/** The body as UTF-8. Each step may make it longer, so each checks `maxBodyBytes` again: the engine has room for no more. */
function plain<E extends Parser>(
  upload: Upload,
  lease: EngineLease<E>,
  { coding, charset, maxBodyBytes }: ReceiveOptions,
  beginning: Beginning,
): AsyncIterable<Piece> {
  let body = pieces(upload, lease);
  if (coding !== null) body = within(maxBodyBytes, decompressed(body, coding));
  body = noted(body, beginning);
  if (charset !== null) body = within(maxBodyBytes, transcoded(body, charset));
  return body;
}

async function* pieces<E extends Parser>(upload: Upload, lease: EngineLease<E>): AsyncGenerator<Piece> {
  for (;;) {
    const piece = await upload.next(lease.pauseMs);
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

/** Throws `Rejection` PAYLOAD_TOO_LARGE at the piece that exceeds `maxBytes`. */
async function* within(maxBytes: number, pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  let total = 0;
  for await (const piece of pieces) {
    if (piece !== QUIET) total += piece.length;
    if (total > maxBytes) throw bodyTooLarge(maxBytes);
    yield piece;
  }
}
