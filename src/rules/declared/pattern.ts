/** Patterns in the syntax of RE2. What would compile to a large program is refused before it is compiled. */
import { quoted } from '../../terms/wording.ts';
import { MAX_PATTERN, MAX_PATTERN_SIZE } from './limits.ts';
import { refuse, text } from './reader.ts';

/** Its library is loaded with the first pattern. Throws what is wrong with the pattern. */
export const compile = (pattern: string) =>
  (require('re2js') as typeof import('re2js')).RE2JS.compile(pattern);

/** Refuses a pattern that does not compile. */
export type CheckPattern = (path: string, source: string) => void;

export const compiles: CheckPattern = (path, source) => {
  try {
    compile(source);
  } catch (error) {
    refuse(path, `no pattern of RE2: ${quoted(error instanceof Error ? error.message : String(error))}`);
  }
};

/** A pattern that is small enough to compile. */
export function pattern(path: string, value: unknown): string {
  const source = text(path, value, MAX_PATTERN);
  if (patternSize(source) > MAX_PATTERN_SIZE)
    refuse(
      path,
      `its repetitions, or its classes in any case, come to more than ${MAX_PATTERN_SIZE} steps; use smaller ones`,
    );
  return source;
}

const COUNTS = /^\{(\d{1,5})(?:(,)(\d{0,5}))?\}/;

/** Whether letters count in any case somewhere. */
const FOLDS = /\(\?[a-zA-Z]*i/;

/**
 * At least the characters that a pattern has once its counted repetitions are written out: `(ab){3}` has 8 or more. A class that counts in any
 * case has more, because the library goes through its characters.
 */
export function patternSize(source: string): number {
  const folds = FOLDS.test(source);
  // The sizes of the open groups, each with that of its last atom.
  const groups: { size: number; atom: number }[] = [{ size: 0, atom: 0 }];
  for (let i = 0; i < source.length; ) {
    const group = groups.at(-1)!;
    const character = source[i]!;
    const counts = character === '{' ? COUNTS.exec(source.slice(i, i + 14)) : null;
    if (counts) {
      const times = Math.max(Number(counts[1]), Number(counts[3] || 0), 1) + (counts[2] ? 1 : 0);
      group.size += group.atom * (times - 1);
      group.atom *= times;
      i += counts[0].length;
    } else if (character === '(') {
      groups.push({ size: 1, atom: 0 });
      i++;
    } else if (character === ')' && groups.length > 1) {
      groups.pop();
      const outer = groups.at(-1)!;
      outer.atom = group.size + 1;
      outer.size += outer.atom;
      i++;
    } else {
      const length = atomLength(source, i);
      group.atom = folds && character === '[' ? foldedSize(source.slice(i, i + length)) : 1;
      group.size += group.atom;
      i += length;
    }
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}

/** Characters of the class, escape or character at `i`. */
function atomLength(source: string, i: number): number {
  if (source[i] === '\\') return 2;
  if (source[i] !== '[') return 1;
  const [whole] = /^\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]?/.exec(source.slice(i))!;
  return whole.length;
}

const RANGES = /(\\x\{[\da-f]+\}|\\?.)-(\\x\{[\da-f]+\}|\\?.)/gisu;
const LAST_FOLDED = 0x1e943;
/** Characters that the library goes through in the time of one step. */
const FOLDED_AT_ONCE = 8;

function foldedSize(ofClass: string): number {
  let size = 1;
  for (const [, low, high] of ofClass.matchAll(RANGES))
    size += Math.max(0, Math.min(codeOf(high!), LAST_FOLDED) - codeOf(low!)) / FOLDED_AT_ONCE;
  return Math.ceil(size);
}

/** The code point at the end of a range. */
function codeOf(end: string): number {
  if (!end.startsWith('\\')) return end.codePointAt(0)!;
  return end.startsWith('\\x{') ? Number.parseInt(end.slice(3, -1), 16) : end.codePointAt(1)!;
}
