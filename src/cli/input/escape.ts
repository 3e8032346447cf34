/** `--escape`, and text that is written with it. */
import { BACKSLASH } from '../../intake/headers.ts';
import { Unescape } from '../../intake/unescape.ts';
import { quoted } from '../../terms/errors.ts';
import { Failure } from '../failure.ts';

/** The byte; null without the option. Throws `Failure`. */
export function escapeOf(given: string | undefined): number | null {
  if (given === undefined) return null;
  if (given === '\\') return BACKSLASH;
  throw new Failure(`--escape must be a backslash, '\\', not ${quoted(given)}`);
}

/** In the notation of RFC 4180: so `--good` and `--held` have it. */
export async function* unescaped(
  pieces: AsyncIterable<Uint8Array>,
  delimiter: number,
  escapeByte: number,
): AsyncGenerator<Uint8Array> {
  const rewriting = new Unescape(delimiter, escapeByte);
  for await (const piece of pieces) yield rewriting.next(piece);
  yield rewriting.finish();
}
