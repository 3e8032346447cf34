/**
 * One CSV cell: finds the type of its text and stores it in its column. `typeCell` has all rules. Most cells of a column
 * have one type, so the other functions try only that type, with few branches, and return 0 for any other cell.
 */
import { Tag } from './abi';
import { ESCAPED, HASHES, HIGH_BYTES, POWERS_F64, VALUES } from './arena';
import { hashDoubled } from './doubled';
import { hashText } from './hash';
import { integral, number, scanNumber } from './number';

const QUOTE: u32 = 34, HASH_MARK: u32 = 35, PLUS: u32 = 43, MINUS: u32 = 45, POINT: u32 = 46, ZERO: u32 = 48, NINE: u32 = 57, SPACE: u32 = 32;

/** The expected type of a column's next cell. */
export enum Expected { TEXT, INTEGER, NUMBER, BOOLEAN }

/** The expected type after a cell with this tag. Nulls change nothing. */
export function expectedAfter(tag: Tag, before: Expected): Expected {
  if (tag == Tag.NUMBER) return Expected.NUMBER;
  if (tag == Tag.INTEGER) return before == Expected.NUMBER || before == Expected.INTEGER ? Expected.NUMBER : Expected.INTEGER;
  if (tag == Tag.TRUE || tag == Tag.FALSE) return Expected.BOOLEAN;
  return tag == Tag.STRING ? Expected.TEXT : before;
}

/** From a column's value to its hash. */
const HASH: usize = HASHES - VALUES;

// @ts-ignore: decorator
@inline function textSlot(at: usize, length: usize): u64 { return <u64>at | <u64>length << 32; }

/**
 * Stores a cell of `marked & ~ESCAPED` raw bytes at `at`, without the quotes around them. ESCAPED: quotes in it are doubled.
 * Numbers and booleans also keep their text, in case the column turns out to hold codes: a number in the place of the
 * hash, a boolean in the place of the value.
 */
export function typeCell(slot: usize, tag: usize, at: usize, marked: u32, quoted: bool): void {
  const length = marked & ~ESCAPED, kind = tagOf(at, length, quoted);
  store<u64>(slot, textSlot(at, marked));
  if (kind == Tag.NUMBER || kind == Tag.INTEGER) {
    store<u64>(slot, textSlot(at, marked), HASH);
    store<f64>(slot, number);
  } else if (kind >= Tag.STRING) {
    store<u64>(slot, (marked & ESCAPED) != 0 ? hashDoubled(at, length) : hashText(at, length), HASH);
  }
  store<u8>(tag, <u8>kind);
}

/** Of a text with no doubled quotes. Sets `number` where it is one. */
export function tagOf(at: usize, length: u32, quoted: bool): Tag {
  if (length == 0) return quoted ? Tag.NULLISH : Tag.NULL;
  const first: u32 = load<u8>(at);
  if (first - ZERO < 10 || first == MINUS || first == PLUS || first == POINT || first == SPACE) return numberTag(at, length);
  return length <= 5 ? wordTag(at, length) : Tag.STRING;
}

/** `none` and `#n/a`. Spaces, and dashes with spaces around, may be longer. */
const LONGEST_NULLISH: u32 = 4;

/** Whether a text may stand for null: the rest of its column decides. */
// @ts-ignore: decorator
@inline export function isNullish(at: usize, length: u32): bool {
  return (length <= LONGEST_NULLISH || isMark(load<u8>(at)) || load<u8>(at) == SPACE) && tagOf(at, length, true) == Tag.NULLISH;
}

// @ts-ignore: decorator
@inline function isMark(c: u32): bool { return c == MINUS || c == POINT; }

/** The tag of a text that begins like a number. */
function numberTag(at: usize, length: u32): Tag {
  let p = at, to = p + length;
  while (p < to && load<u8>(p) == SPACE) p++;
  if (p == to) return Tag.NULLISH;
  const after = scanNumber(p, true);
  while (to > p && load<u8>(to - 1) == SPACE) to--;
  if (after < 0) return isPlaceholder(p, to) && (load<u8>(p) == MINUS || to - p == length) ? Tag.NULLISH : Tag.STRING;
  if (<usize>after != to) return Tag.STRING;
  const sign: u32 = load<u8>(p);
  if (sign == MINUS || sign == PLUS) p++;
  if (integral) return to - p > MOST_DIGITS || startsWithZero(p) ? Tag.CODE : Tag.INTEGER;
  return isExponentOfCode(p) ? Tag.CODE : Tag.NUMBER;
}

/** One to three dashes or points. */
function isPlaceholder(p: usize, to: usize): bool {
  const first: u32 = load<u8>(p), length = to - p;
  return isMark(first) && length <= 3 && (length < 2 || load<u8>(p, 1) == first) && (length < 3 || load<u8>(p, 2) == first);
}

/** A whole number of more digits than a double distinguishes is a code. */
const MOST_DIGITS: usize = 17;

/** A digit behind a zero. */
function startsWithZero(p: usize): bool { return load<u8>(p) == ZERO && load<u8>(p, 1) - ZERO < 10; }

/** `00587E590003`: the number that was read from `p` on is beyond all doubles, or has an exponent behind digits with a leading zero. */
function isExponentOfCode(p: usize): bool {
  if (number - number != 0) return true;
  if (!startsWithZero(p)) return false;
  while (load<u8>(p) - ZERO < 10) p++;
  return load<u8>(p) != POINT;
}

const QUESTION: u64 = 0x3f, EN_DASH: u64 = 0x9380e2, EM_DASH: u64 = 0x9480e2;

/** The tag of a text of at most five bytes that does not begin like a number. Words are compared as bytes in lower case. */
function wordTag(at: usize, length: u32): Tag {
  const bytes = load<u64>(at) & ((<u64>1 << (length << 3)) - 1);
  if (length == 1) return bytes == QUESTION ? Tag.NULLISH : Tag.STRING;
  if (length == 2) {
    if (bytes == 0x4e5c) return Tag.NULL; // \N
    if ((bytes | 0x2020) == 0x616e) return Tag.NULLISH; // na
  } else if (length == 3) {
    const word = bytes | 0x202020;
    if (bytes == EN_DASH || bytes == EM_DASH) return Tag.NULLISH;
    if (word == 0x6e616e || word == 0x6c696e || (bytes | 0x200020) == 0x612f6e) return Tag.NULLISH; // nan nil n/a
  } else if (length == 4) {
    if (bytes == 0x4c4c554e || bytes == 0x6c6c756e) return Tag.NULL; // NULL null
    const word = bytes | 0x20202020;
    if (word == 0x65757274) return Tag.TRUE;
    if (word == 0x656e6f6e || (bytes | 0x20002000) == 0x612f6e23) return Tag.NULLISH; // none #n/a
  } else if (length == 5 && (bytes | 0x2020202020) == 0x65736c6166) return Tag.FALSE;
  return Tag.STRING;
}

// ---- cells of one kind, not quoted ----
//
// Each function takes the start of a cell and returns its end, where a separator stands; 0 when the cell has another type. It may
// store something before it returns 0: the caller overwrites it.

/** A bit for each byte that is the delimiter or a control character up to CR. */
// @ts-ignore: decorator
@inline function stopsIn(text: v128, delimiter: v128): u32 {
  return i8x16.bitmask(v128.or(i8x16.eq(text, delimiter), i8x16.le_u(text, i8x16.splat(13))));
}

/** An empty cell. */
// @ts-ignore: decorator
@inline function nullCell(tag: usize, p: usize, delimiter: u32): usize {
  if (load<u8>(p) != delimiter) return 0;
  store<u8>(tag, <u8>Tag.NULL);
  return p;
}

/** `true`, `false` or an empty cell. */
// @ts-ignore: decorator
@inline export function booleanCell(slot: usize, tag: usize, p: usize, delimiter: u32): usize {
  const word = load<u64>(p) | 0x2020202020;
  const isTrue = (word & 0xffffffff) == 0x65757274, isFalse = (word & 0xffffffffff) == 0x65736c6166;
  if (!(isTrue | isFalse)) return nullCell(tag, p, delimiter);
  const length = <usize>5 - <usize>isTrue;
  store<u64>(slot, textSlot(p, length));
  store<u8>(tag, <u8>(Tag.FALSE + <i32>isTrue));
  return p + length;
}

const ZEROS: u64 = 0x3030303030303030;

/** One to eight digits without a leading zero, or an empty cell. */
// @ts-ignore: decorator
@inline export function integerCell(slot: usize, tag: usize, p: usize, delimiter: u32): usize {
  const x = load<u64>(p) ^ ZEROS;
  const others = (((x & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | x) & 0x8080808080808080;
  if (others & 0x80) return nullCell(tag, p, delimiter);
  const bits = ctz(others) & ~7, length = <usize>(bits >> 3);
  if ((<u8>x == 0) & (length > 1)) return 0;
  store<f64>(slot, <f64><i64>eightDigits(x << (64 - bits)));
  store<u64>(slot, textSlot(p, length), HASH);
  store<u8>(tag, <u8>Tag.INTEGER);
  return p + length;
}

/** Eight digits as bytes 0..9, the first in the lowest byte, to their value (Lemire's three multiplications). */
// @ts-ignore: decorator
@inline function eightDigits(x: u64): u64 {
  x = ((x * 2561) >> 8) & 0x00FF00FF00FF00FF;
  x = ((x * 6553601) >> 16) & 0x0000FFFF0000FFFF;
  return (x * 42949672960001) >> 32;
}

/** Digits with an optional minus sign and an optional point, before which there may be no digit; or an empty cell. */
// @ts-ignore: decorator
@inline export function numberCell(slot: usize, tag: usize, p: usize, delimiter: u32): usize {
  const sign = <usize>(load<u8>(p) == MINUS);
  let others: u32 = ~i8x16.bitmask(i8x16.le_u(i8x16.sub(v128.load(p), i8x16.splat(<i8>ZERO)), i8x16.splat(9))) & ~<u32>sign;
  const point = <usize>ctz(others);
  if (point == sign && load<u8>(p + point) != POINT) return nullCell(tag, p, delimiter);
  const hasPoint = <usize>(load<u8>(p + point) == POINT);
  others &= others - <u32>hasPoint;
  const length = <usize>ctz(others), q = p + length, whole = point - sign, places = length - point - hasPoint;
  if (length > 15) return longNumberCell(slot, tag, p);
  // No digit behind the point or at all, or a leading zero.
  if ((places < hasPoint) | ((whole > hasPoint) & (whole > 1) & (load<u8>(p + sign) == ZERO))) return 0;
  const digits = fifteenDigits(q, whole, places, hasPoint);
  // One exact division (Clinger 1990).
  const value = <f64><i64>digits / load<f64>(POWERS_F64 + (places << 3));
  store<u64>(slot, reinterpret<u64>(value) | (<u64>sign << 63));
  store<u64>(slot, textSlot(p, length), HASH);
  store<u8>(tag, <u8>(hasPoint ? Tag.NUMBER : Tag.INTEGER));
  return q;
}

/**
 * The up to fifteen digits before `q` as one integer: `whole` digits, an optional point, `places` digits. They move to the right
 * end of a vector, and the digits before the point move over it.
 *
 *     . . . . . . . . . . 1 2 3 . 4 5     at q - 16: the places
 *       . . . . . . . . . . 1 2 3 . 4 5   at q - 17: the whole
 */
// @ts-ignore: decorator
@inline function fifteenDigits(q: usize, whole: usize, places: usize, hasPoint: usize): u64 {
  const text = v128.bitselect(v128.load(q - 16), v128.load(q - 16 - hasPoint), v128.load(HIGH_BYTES + places));
  const digits = v128.and(i8x16.sub(text, i8x16.splat(<i8>ZERO)), v128.load(HIGH_BYTES + whole + places));
  const twos = i16x8.shr_u(i16x8.mul(digits, i16x8.splat(2561)), 8);
  const fours = i32x4.dot_i16x8_s(twos, i32x4.splat(100 | (1 << 16)));
  const eights = i64x2.extract_lane(i32x4.dot_i16x8_s(i16x8.narrow_i32x4_s(fours, fours), i32x4.splat(10000 | (1 << 16))), 0);
  return (<u64>eights & 0xffffffff) * 100000000 + (<u64>eights >> 32);
}

function longNumberCell(slot: usize, tag: usize, p: usize): usize {
  const after = scanNumber(p, true);
  if (after < 0 || integral || isExponentOfCode(p + <usize>(load<u8>(p) == MINUS))) return 0;
  store<f64>(slot, number);
  store<u64>(slot, textSlot(p, after - p), HASH);
  store<u8>(tag, <u8>Tag.NUMBER);
  return after;
}

/** Text, or an empty cell. */
// @ts-ignore: decorator
@inline export function textCell(slot: usize, tag: usize, p: usize, delimiter: u32, delimiters: v128): usize {
  const text = v128.load(p), stops = stopsIn(text, delimiters);
  const first: u32 = load<u8>(p), seen = ctz(stops | 0x10000);
  if (first == delimiter) return nullCell(tag, p, delimiter);
  if (first <= NINE) {
    if ((first == QUOTE) | (first == HASH_MARK) || mayBeNumber(text, seen)) return 0;
  } else if ((seen <= 5) & mayBeginWord(first)) {
    if (mayBeWord(text, seen)) return 0;
  }
  if (stops != 0) {
    store<u64>(slot, hashText(p, seen), HASH);
    store<u64>(slot, textSlot(p, seen));
    store<u8>(tag, <u8>Tag.STRING);
    return p + seen;
  }
  return longTextCell(slot, tag, p, delimiters);
}

// @ts-ignore: decorator
@inline function longTextCell(slot: usize, tag: usize, p: usize, delimiters: v128): usize {
  let q = p + 16, stops = stopsIn(v128.load(q), delimiters);
  while (stops == 0) {
    q += 16;
    stops = stopsIn(v128.load(q), delimiters);
  }
  q += ctz(stops);
  const length = q - p;
  store<u64>(slot, hashText(p, length), HASH);
  store<u64>(slot, textSlot(p, length));
  store<u8>(tag, <u8>Tag.STRING);
  return q;
}

/** n N t T f F backslash, question mark, the first byte of dashes, and a few more. */
// @ts-ignore: decorator
@inline function mayBeginWord(first: u32): bool {
  return ((((1 << 14) | (1 << 20) | (1 << 6) | (1 << 28) | (1 << 31) | (1 << 2)) >> (first & 31)) & 1) != 0;
}

/** Words that may not be text: their first four bytes, in lower case; of dashes, too, that bit of each byte is set. */
const WORDS: usize = memory.data<u32>([
  0x6e7c, 0x616e, 0x6e616e, 0x6c696e, // \n na nan nil
  0x612f6e, 0x6c6c756e, 0x65757274, 0x656e6f6e, // n/a null true none
  0x736c6166, 0x3f, 0xb3a0e2, 0xb4a0e2, // false ? – —
], 16);

// @ts-ignore: decorator
@inline function mayBeWord(text: v128, length: u32): bool {
  const lower = i32x4.extract_lane(text, 0) | 0x20202020;
  const begin = i32x4.splat(lower & <i32>((<u64>1 << (min<u32>(length, 4) << 3)) - 1));
  const hits = v128.or(i32x4.eq(begin, v128.load(WORDS)), i32x4.eq(begin, v128.load(WORDS, 16)));
  return v128.any_true(v128.or(hits, i32x4.eq(begin, v128.load(WORDS, 32))));
}

/** Whether the first `length` bytes, at most 16, may begin a number or stand for null: digits, signs, spaces, e, at most one point or three alone. */
// @ts-ignore: decorator
@inline function mayBeNumber(text: v128, length: u32): bool {
  const lower = v128.or(text, i8x16.splat(0x20));
  const usual = i8x16.bitmask(v128.or(i8x16.le_u(lower, i8x16.splat(57)), i8x16.eq(lower, i8x16.splat(101))));
  const points = i8x16.bitmask(i8x16.eq(text, i8x16.splat(<i8>POINT)));
  return ((~usual | (length > 3 ? points & (points - 1) : 0)) & ((1 << length) - 1)) == 0;
}
