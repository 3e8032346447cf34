/** Body → engine: the bytes as they arrive, decompressed, in the engine's charset, until the end or the first fault. */
import type { BatchStart } from '../engine/engine.ts';
import { Transcoder } from './charset.ts';
import { type Coding, decompressed, type Piece } from './content-coding.ts';
import type { Pace } from './pace.ts';
import { bodyTooLarge } from './refusals.ts';
import type { Parser, Turn } from './turn.ts';
import { QUIET, type Upload } from './upload.ts';

export interface Reception extends BatchStart {
  /** Null: the body is UTF-8, which the engine checks. */
  charset: string | null;
  /** Null: the body comes as it is. */
  coding: Coding | null;
  maxBodyBytes: number;
}

/** Feeds the whole body; the engine that holds it, still lent to `turn`. Throws `Rejection` for what upload or engine refuse. */
export async function receive<E extends Parser>(
  upload: Upload,
  turn: Turn<E>,
  reception: Reception,
  pace: Pace,
): Promise<E> {
  if (reception.coding === null && reception.charset === null) await receiveAsIs(upload, turn, pace);
  else for await (const piece of plain(upload, turn, reception)) await take(turn, piece, pace);
  return turn.end();
}

/** Most bodies need no decoding, and most come whole: a chain of generators takes longer than such a one. */
async function receiveAsIs<E extends Parser>(upload: Upload, turn: Turn<E>, pace: Pace): Promise<void> {
  for (;;) {
    const piece = await upload.next(turn.pauseMs);
    if (piece === null) return;
    await take(turn, piece, pace);
  }
}

const take = <E extends Parser>(turn: Turn<E>, piece: Piece, pace: Pace): Promise<void> =>
  piece === QUIET ? pace.slice(() => turn.pause()) : pace.slice(() => turn.write(piece), piece.length);

/** The body in UTF-8. Each step can make it longer, and the engine has room for `maxBodyBytes`: they are counted again. */
function plain<E extends Parser>(
  upload: Upload,
  turn: Turn<E>,
  { coding, charset, maxBodyBytes }: Reception,
): AsyncIterable<Piece> {
  let body = pieces(upload, turn);
  if (coding !== null) body = within(maxBodyBytes, decompressed(body, coding));
  if (charset !== null) body = within(maxBodyBytes, transcoded(body, charset));
  return body;
}

async function* pieces<E extends Parser>(upload: Upload, turn: Turn<E>): AsyncGenerator<Piece> {
  for (;;) {
    const piece = await upload.next(turn.pauseMs);
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

/** Throws `Rejection` PAYLOAD_TOO_LARGE with the piece that passes `maxBytes`. */
async function* within(maxBytes: number, pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  let total = 0;
  for await (const piece of pieces) {
    if (piece !== QUIET) total += piece.length;
    if (total > maxBytes) throw bodyTooLarge(maxBytes);
    yield piece;
  }
}
