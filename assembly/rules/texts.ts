/** Texts as they lie in the body: with escapes (JSON) or doubled quotes (CSV) where their length has ESCAPED. */
import { DECODE, DECODE_BYTES, ESCAPED, LOW_BYTES } from '../arena';
import { decodeUnit, unit, unitBytes } from '../escapes';

const QUOTE: u32 = 34;

/** Whether quotes are doubled, as in CSV. */
export let doubled: bool = false;
export function setDoubled(isCsv: bool): void { doubled = isCsv; }

// @ts-ignore: decorator
@inline export function isEscaped(slot: u64): bool { return (<u32>(slot >> 32) & ESCAPED) != 0; }
// @ts-ignore: decorator
@inline export function startOf(slot: u64): usize { return <usize>(slot & 0xffffffff); }
// @ts-ignore: decorator
@inline export function bytesOf(slot: u64): usize { return <usize>(<u32>(slot >> 32) & ~ESCAPED); }

/** The bytes of the last character that `nextUnit` read, the first in the lowest, and how many. */
export let unitRead: u32 = 0, unitLength: usize = 0;

/** Reads a character of an escaped text, or a byte of one with doubled quotes or of a plain one. Returns where the next one begins. */
export function nextUnit(p: usize, escaped: bool): usize {
  if (escaped && !doubled) {
    const to = decodeUnit(p);
    unitRead = unit;
    unitLength = unitBytes;
    return to;
  }
  unitRead = load<u8>(p);
  unitLength = 1;
  return p + 1 + <usize>(escaped && unitRead == QUOTE);
}

/** Below 0, 0 or above 0: as the first text comes before, is, or comes behind the second, by code points. */
export function compareTexts(a: u64, b: u64): i32 {
  const aEscaped = isEscaped(a), bEscaped = isEscaped(b);
  let p = startOf(a), q = startOf(b);
  const pEnd = p + bytesOf(a), qEnd = q + bytesOf(b);
  if (!aEscaped && !bEscaped) {
    const order = memory.compare(p, q, min(bytesOf(a), bytesOf(b)));
    return order != 0 ? order : <i32>bytesOf(a) - <i32>bytesOf(b);
  }
  // Characters of one escaped text are compared byte by byte, because the other may give single bytes.
  let x: u32 = 0, xLeft: usize = 0, y: u32 = 0, yLeft: usize = 0;
  while (true) {
    if (xLeft == 0 && p < pEnd) { p = nextUnit(p, aEscaped); x = unitRead; xLeft = unitLength; }
    if (yLeft == 0 && q < qEnd) { q = nextUnit(q, bEscaped); y = unitRead; yLeft = unitLength; }
    if (xLeft == 0 || yLeft == 0) return <i32>(xLeft != 0) - <i32>(yLeft != 0);
    const order = <i32>(x & 0xff) - <i32>(y & 0xff);
    if (order != 0) return order;
    x >>= 8; xLeft--;
    y >>= 8; yLeft--;
  }
}

/** Whether two texts are the same. Sixteen bytes are readable at both. */
// @ts-ignore: decorator
@inline export function isSameText(a: u64, b: u64): bool {
  const length = bytesOf(a);
  if (isEscaped(a) || isEscaped(b) || length > 16) return compareTexts(a, b) == 0;
  const differing = v128.and(v128.xor(v128.load(startOf(a)), v128.load(startOf(b))), v128.load(LOW_BYTES + 16 - min<usize>(length, 16)));
  return bytesOf(b) == length && !v128.any_true(differing);
}

/** Characters of a text: bytes that do not continue one. */
export function charactersIn(slot: u64): u32 {
  let p = startOf(slot), count: u32 = 0;
  const to = p + bytesOf(slot);
  if (isEscaped(slot)) {
    while (p < to) {
      p = nextUnit(p, true);
      count += <u32>((unitRead & 0xc0) != 0x80);
    }
    return count;
  }
  for (; p + 16 <= to; p += 16) count += popcnt<u32>(startsIn(v128.load(p)));
  return count + popcnt<u32>(startsIn(v128.load(p)) & ((1 << <u32>(to - p)) - 1));
}

/** A bit for each byte that begins a character. */
// @ts-ignore: decorator
@inline function startsIn(text: v128): u32 { return i8x16.bitmask(i8x16.gt_s(text, i8x16.splat(-65))); }

/** The plain bytes of a text, for checks that need all of it at once. `plainBytes` is MAX when an escaped text has no room: it is too long for them. */
export let plainAt: usize = 0, plainBytes: usize = 0;
export const TOO_LONG: usize = usize.MAX_VALUE;

export function readPlain(slot: u64): void {
  plainAt = startOf(slot);
  plainBytes = bytesOf(slot);
  if (!isEscaped(slot)) return;
  let p = plainAt, to = DECODE;
  const end = p + plainBytes;
  plainAt = DECODE;
  while (p < end) {
    if (to + 4 > DECODE + DECODE_BYTES) { plainBytes = TOO_LONG; return; }
    p = nextUnit(p, true);
    store<u32>(to, unitRead);
    to += unitLength;
  }
  plainBytes = to - DECODE;
}
