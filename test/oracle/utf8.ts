/** Well-formed UTF-8 by table 3-7 of the Unicode Standard, row by row. */

type Range = readonly [number, number];
const TAIL: Range = [0x80, 0xbf];
const SEQUENCES: readonly (readonly Range[])[] = [
  [[0x00, 0x7f]],
  [[0xc2, 0xdf], TAIL],
  [[0xe0, 0xe0], [0xa0, 0xbf], TAIL],
  [[0xe1, 0xec], TAIL, TAIL],
  [[0xed, 0xed], [0x80, 0x9f], TAIL],
  [[0xee, 0xef], TAIL, TAIL],
  [[0xf0, 0xf0], [0x90, 0xbf], TAIL, TAIL],
  [[0xf1, 0xf3], TAIL, TAIL, TAIL],
  [[0xf4, 0xf4], [0x80, 0x8f], TAIL, TAIL],
];

const within = (byte: number | undefined, [low, high]: Range): boolean =>
  byte !== undefined && byte >= low && byte <= high;

/** Bytes of the character at `at`. A character that is cut off at the end is ill-formed too. */
export function sequenceLength(bytes: Uint8Array, at: number): number | 'ill-formed' {
  const sequence = SEQUENCES.find(([lead]) => within(bytes[at], lead!));
  if (sequence === undefined) return 'ill-formed';
  return sequence.every((range, i) => within(bytes[at + i], range)) ? sequence.length : 'ill-formed';
}

/** Number of bytes from `at` on that are complete, well-formed characters. */
export function wellFormedEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (end < bytes.length) {
    const length = sequenceLength(bytes, end);
    if (typeof length === 'string') break;
    end += length;
  }
  return end;
}
