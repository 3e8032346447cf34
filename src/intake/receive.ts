/** Feeds a body to the engine as it arrives: decompresses it, converts it to UTF-8, and stops at the end or the first fault. */
import type { BatchStart } from '../engine/engine.ts';
import { Transcoder } from './charset.ts';
import { type Coding, decompressed, type Piece } from './content-coding.ts';
import type { CooperativeTask } from './cooperative-scheduler.ts';
import { bodyTooLarge } from './refusals.ts';
import type { Parser, EngineLease } from './engine-lease.ts';
import { QUIET, type Upload } from './upload.ts';

export interface ReceiveOptions extends BatchStart {
  /** Null: the body is UTF-8, which the engine validates. */
  charset: string | null;
  /** Null: the body is not compressed. */
  coding: Coding | null;
  maxBodyBytes: number;
}

/** Feeds the whole body and returns the engine, which `lease` still holds. Throws `Rejection` for what upload or engine reject. */
export async function receive<E extends Parser>(
  upload: Upload,
  lease: EngineLease<E>,
  options: ReceiveOptions,
  task: CooperativeTask,
): Promise<E> {
  if (options.coding === null && options.charset === null) await receiveAsIs(upload, lease, task);
  else for await (const piece of plain(upload, lease, options)) await take(lease, piece, task);
  return lease.end();
}

/** Fast path: most bodies need no decoding and arrive in one piece, which costs less than a chain of generators. */
async function receiveAsIs<E extends Parser>(
  upload: Upload,
  lease: EngineLease<E>,
  task: CooperativeTask,
): Promise<void> {
  for (;;) {
    const piece = await upload.next(lease.pauseMs);
    if (piece === null) return;
    await take(lease, piece, task);
  }
}

const take = <E extends Parser>(lease: EngineLease<E>, piece: Piece, task: CooperativeTask): Promise<void> =>
  piece === QUIET ? task.run(() => lease.pause()) : task.run(() => lease.write(piece), piece.length);

/** The body as UTF-8. Each step may make it longer, so each checks `maxBodyBytes` again: the engine has room for no more. */
function plain<E extends Parser>(
  upload: Upload,
  lease: EngineLease<E>,
  { coding, charset, maxBodyBytes }: ReceiveOptions,
): AsyncIterable<Piece> {
  let body = pieces(upload, lease);
  if (coding !== null) body = within(maxBodyBytes, decompressed(body, coding));
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
