/** Patterns in the syntax of RE2. What would compile to a large program is refused before it is compiled. */
import { RE2JS } from 're2js';
import { quoted } from '../../wording.ts';
import { MAX_PATTERN, MAX_PATTERN_SIZE } from './limits.ts';
import { refuse, text } from './reader.ts';

/** The pattern, which compiles. */
export function pattern(path: string, value: unknown): string {
  const source = text(path, value, MAX_PATTERN);
  if (repeatedSize(source) > MAX_PATTERN_SIZE)
    refuse(path, `its repetitions multiply to more than ${MAX_PATTERN_SIZE} steps; use smaller counts`);
  try {
    RE2JS.compile(source);
  } catch (error) {
    refuse(path, `no pattern of RE2: ${quoted(error instanceof Error ? error.message : String(error))}`);
  }
  return source;
}

const COUNTS = /^\{(\d{1,5})(?:(,)(\d{0,5}))?\}/;

/** At least the characters that a pattern has once its counted repetitions are written out: `(ab){3}` has 8 or more. */
function repeatedSize(source: string): number {
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
      group.atom = 1;
      group.size++;
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
