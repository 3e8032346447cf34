/** A pattern as the program of RE2 (Cox 2010, "Regular Expression Matching in the Wild"): the library parses and simplifies it. */

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

export const programOf = (pattern: string): Program => compile(pattern).re2().prog as Program;

/** Its library is loaded with the first pattern. Throws what is wrong with the pattern. */
export const compile = (pattern: string) =>
  (require('re2js') as typeof import('re2js')).RE2JS.compile(pattern);

const LAST = 0x10ffff;
const LINE_FEED = 10;
const FOLDS_CASE = 1;
const ZERO = 0x30;

/** The characters that an instruction reads, as ranges. */
export function rangesOf({ op, arg, runes }: Instruction): ArrayLike<number> {
  if (op === Op.RUNE_ANY) return [0, LAST];
  if (op === Op.RUNE_ANY_NOT_NL) return [0, LINE_FEED - 1, LINE_FEED + 1, LAST];
  if (runes.length !== 1) return runes;
  const rune = runes[0]!;
  return (arg & FOLDS_CASE) === 0 ? [rune, rune] : foldsOf(rune);
}

/** A character in all its cases. The library says them of a class, with the digit that keeps it one. */
function foldsOf(rune: number): number[] {
  const { inst } = programOf(`(?i)[0\\x{${rune.toString(16)}}]`);
  const [first, last, ...cases] = Array.from(inst.find(({ op }) => op === Op.RUNE)!.runes);
  if (first !== ZERO || last !== ZERO) throw new Error('the digit is not the first of its class');
  return cases;
}
