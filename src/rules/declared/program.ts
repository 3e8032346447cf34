/** A pattern as the program of RE2 (Cox 2010, "Regular Expression Matching in the Wild"): the library parses and simplifies it. */
import { RE2JS } from 're2js';

/** Instructions of the library. It documents neither these numbers nor the members of its program: the version is pinned, and tests compare matches. */
export const Op = {
  ALT: 1,
  ALT_MATCH: 2,
  CAPTURE: 3,
  EMPTY_WIDTH: 4,
  FAIL: 5,
  MATCH: 6,
  NOP: 7,
  RUNE: 8,
  RUNE1: 9,
  RUNE_ANY: 10,
  RUNE_ANY_NOT_NL: 11,
} as const;

/** What an instruction of width zero asks of its place. */
export const At = {
  BEGIN_LINE: 1,
  END_LINE: 2,
  BEGIN_TEXT: 4,
  END_TEXT: 8,
  WORD_BOUNDARY: 16,
  NO_WORD_BOUNDARY: 32,
} as const;

export interface Instruction {
  op: number;
  out: number;
  arg: number;
  runes: ArrayLike<number>;
}

export interface Program {
  start: number;
  inst: readonly Instruction[];
}

export const programOf = (pattern: string): Program => RE2JS.compile(pattern).re2().prog as Program;

const LAST = 0x10ffff;
const LINE_FEED = 10;
const FOLDS_CASE = 1;

/** The characters that an instruction reads, as ranges; null where case folding has to be asked of the library. */
export function rangesOf({ op, arg, runes }: Instruction): ArrayLike<number> | null {
  if (op === Op.RUNE_ANY) return [0, LAST];
  if (op === Op.RUNE_ANY_NOT_NL) return [0, LINE_FEED - 1, LINE_FEED + 1, LAST];
  if (runes.length !== 1) return runes;
  const rune = runes[0]!;
  return (arg & FOLDS_CASE) === 0 ? [rune, rune] : foldsOf(rune);
}

/** ASCII letters in both cases; two of them are also those of the Kelvin sign and of the long s. */
function foldsOf(rune: number): number[] | null {
  if (rune > 0x7f) return null;
  const letter = String.fromCharCode(rune);
  const [upper, lower] = [letter.toUpperCase().charCodeAt(0), letter.toLowerCase().charCodeAt(0)];
  if (upper === lower) return [rune, rune];
  const more = lower === 0x6b ? [0x212a, 0x212a] : lower === 0x73 ? [0x17f, 0x17f] : [];
  return [upper, upper, lower, lower, ...more];
}
