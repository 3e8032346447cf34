/** `--header-line`. */
import { quoted } from '../../terms/errors.ts';
import { MAX_HEADER_LINE } from '../../intake/headers.ts';
import { grouped } from '../../terms/wording.ts';
import { Failure } from '../failure.ts';

/** Null without the option. Throws `Failure`. */
export function headerLineOf(given: string | undefined): number | null {
  if (given === undefined) return null;
  const line = Number(given);
  if (/^\d+$/.test(given) && line >= 1 && line <= MAX_HEADER_LINE) return line;
  throw new Failure(
    `--header-line must be a line from 1 to ${grouped(MAX_HEADER_LINE)}, not ${quoted(given)}`,
  );
}

/** The text from a line on. */
export function fromLine(text: string, line: number): string {
  const before = line === 1 ? null : new RegExp(`^(?:[^\\r\\n]*(?:\\r\\n|\\r|\\n)){${line - 1}}`).exec(text);
  return before === null ? (line === 1 ? text : '') : text.slice(before[0].length);
}
