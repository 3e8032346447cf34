/** `--header-line`, and where that line begins. */
import { quoted } from '../../terms/errors.ts';
import { MAX_HEADER_LINE } from '../../intake/headers.ts';
import { grouped } from '../../terms/wording.ts';
import { Failure } from '../failure.ts';

const LF = 0x0a;
const CR = 0x0d;

/** Null without the option. Throws `Failure`. */
export function headerLineOf(given: string | undefined): number | null {
  if (given === undefined) return null;
  const line = Number(given);
  if (/^\d+$/.test(given) && line >= 1 && line <= MAX_HEADER_LINE) return line;
  throw new Failure(
    `--header-line must be a line from 1 to ${grouped(MAX_HEADER_LINE)}, not ${quoted(given)}`,
  );
}

/** Where a line begins; null if the bytes end before. LF, CRLF and CR each end a line. */
export function lineStart(bytes: ArrayLike<number>, line: number): number | null {
  let at = 0;
  for (let left = line - 1; left > 0; left--) {
    while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++;
    // A line feed may follow.
    if (at + 1 >= bytes.length) return null;
    at += bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1;
  }
  return at;
}

/** The text from a line on. */
export function fromLine(text: string, line: number): string {
  const before = line === 1 ? null : new RegExp(`^(?:[^\\r\\n]*(?:\\r\\n|\\r|\\n)){${line - 1}}`).exec(text);
  return before === null ? (line === 1 ? text : '') : text.slice(before[0].length);
}
