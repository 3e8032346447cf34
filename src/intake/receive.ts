/** Body → engine: the bytes as they arrive, in the engine's charset, until the end or the first fault. */
import type { BatchStart } from '../engine/engine.ts';
import { Transcoder } from './charset.ts';
import { bodyTooLarge } from './refusals.ts';
import type { Parser, Turn } from './turn.ts';
import { QUIET, type Upload } from './upload.ts';

/** A client that sends nothing for this long pauses. */
const PAUSE_MS = 200;

export interface Reception extends BatchStart {
  /** Null: the body is UTF-8, which the engine checks. */
  charset: string | null;
  maxBodyBytes: number;
}

/** Feeds the whole body; the engine that holds it, still lent to `turn`. Throws `Rejection` for what upload or engine refuse. */
export async function receive<E extends Parser>(
  upload: Upload,
  turn: Turn<E>,
  reception: Reception,
): Promise<E> {
  for await (const piece of decoded(pieces(upload), reception)) {
    if (piece === QUIET) await turn.pause();
    else await turn.write(piece);
  }
  return turn.end();
}

type Piece = Uint8Array | typeof QUIET;

async function* pieces(upload: Upload): AsyncGenerator<Piece> {
  for (;;) {
    const piece = await upload.next(PAUSE_MS);
    if (piece === null) return;
    yield piece;
  }
}

/** The pieces in UTF-8. Decoding can triple a body, and the engine has room for `maxBodyBytes`: they are counted again. */
async function* decoded(
  pieces: AsyncGenerator<Piece>,
  { charset, maxBodyBytes }: Reception,
): AsyncGenerator<Piece> {
  if (charset === null) return yield* pieces;
  const transcoder = new Transcoder(charset);
  let total = 0;
  const counted = (bytes: Uint8Array) => {
    total += bytes.length;
    if (total > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
    return bytes;
  };
  for await (const piece of pieces) {
    if (piece === QUIET) yield piece;
    else for (const bytes of transcoder.next(piece)) yield counted(bytes);
  }
  yield counted(transcoder.finish());
}
