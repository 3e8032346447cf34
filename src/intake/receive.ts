/** Body → engine: the bytes as they arrive, in the engine's charset, until the end or the first fault. */
import { type Format, Status } from '../../assembly/abi.ts';
import type { Engine } from '../engine/engine.ts';
import { Transcoder } from './charset.ts';
import { bodyTooLarge, rejectionOf } from './refusals.ts';
import { QUIET, type Upload } from './upload.ts';

/**
 * The engine puts off parsing a very long row until more of it is there. A client that pauses for this long gets what is
 * there judged: it may be waiting for our refusal.
 */
const FLUSH_AFTER_MS = 200;

export interface Reception {
  format: Format;
  /** CSV: the delimiter's byte. */
  delimiter: number;
  /** Null: the body is UTF-8, which the engine checks. */
  charset: string | null;
  /** The account's secret. */
  salt: Uint8Array;
  maxBodyBytes: number;
}

type Parser = Pick<Engine, 'begin' | 'write' | 'flush' | 'end' | 'behind' | 'refusal'>;

/** Feeds the whole body. Throws `Rejection` for what the upload or the engine refuses. */
export async function receive(upload: Upload, engine: Parser, reception: Reception): Promise<void> {
  const { format, delimiter, salt } = reception;
  engine.begin({ format, delimiter, salt });
  const parsed = (status: Status) => {
    if (status === Status.FAILED) throw rejectionOf(engine.refusal(), format);
  };
  for await (const bytes of decoded(pieces(upload, engine), reception)) {
    parsed(bytes === QUIET ? engine.flush() : engine.write(bytes));
  }
  parsed(engine.end());
}

type Piece = Uint8Array | typeof QUIET;

async function* pieces(upload: Upload, engine: Parser): AsyncGenerator<Piece> {
  for (;;) {
    const piece = await upload.next(engine.behind ? FLUSH_AFTER_MS : Number.POSITIVE_INFINITY);
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
