/**
 * Decimal text to the nearest f64. Digits are read eight or sixteen at a time; then
 *  1. at most 2^53 and a power of ten within 22: one exact multiplication or division (Clinger 1990);
 *  2. at most 19 digits: the product with a 128-bit power of five (Eisel and Lemire; Lemire 2021, "Number parsing at a
 *     gigabyte per second"); more digits: the same for the first 19 and the next above, when both give one answer;
 *  3. where these differ (ties, and fewer than one in 100 of random texts): integers of many digits (`decimal.ts`).
 */
import { HIGH_BYTES, LOW_BYTES, POWERS_F64, POWERS_FIVE, POWERS_U64 } from './arena';
import { nearerDouble } from './decimal';

const ZEROS: u64 = 0x3030303030303030;
const COMMA: u32 = 0x2c, CLOSE_BRACE: u32 = 0x7d;
const UNDECIDED: u64 = u64.MAX_VALUE;

/** The value that `scanNumber` read. */
export let number: f64 = 0;
/** Whether it has neither fraction nor exponent. */
export let integral: bool = false;

// @ts-ignore: decorator
@inline function isDigit(c: u32): bool { return c - 48 < 10; }

/** Eight digits as bytes 0..9, the first in the lowest byte, to their value (Lemire's three multiplications). */
// @ts-ignore: decorator
@inline function eightDigits(x: u64): u64 {
  x = ((x * 2561) >> 8) & 0x00FF00FF00FF00FF;
  x = ((x * 6553601) >> 16) & 0x0000FFFF0000FFFF;
  return (x * 42949672960001) >> 32;
}

/**
 * Reads the number at `p` by the grammar of JSON; `relaxed` also allows a plus sign, leading zeros, and a point without a digit before or behind it. Returns its end and sets
 * `number`. When there is no number it returns the negative address of the byte that is wrong.
 */
// @ts-ignore: decorator
@inline export function scanNumber(p: usize, relaxed: bool): isize {
  const first: u32 = load<u8>(p);
  const negative = first == 45;
  if (negative || (relaxed && first == 43)) p++;
  const digits = p;
  // Whole part: up to eight digits without a branch for each.
  let x = load<u64>(p) ^ ZEROS;
  let n = <usize>(ctz((((x & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | x) & 0x8080808080808080) >> 3);
  if (n == 0 && !(relaxed && load<u8>(p) == 46 && isDigit(load<u8>(p, 1)))) return -(<isize>p);
  if (!relaxed && load<u8>(p) == 48 && n > 1) return -(<isize>(p + 1));
  let w = relaxed && n == 0 ? 0 : eightDigits(x << (64 - (<u64>n << 3)));
  p += n;
  if (n == 8) for (let c: u32 = load<u8>(p); isDigit(c); c = load<u8>(p)) { w = w * 10 + (c - 48); p++; }
  let count = p - digits, exponent = 0;
  let c: u32 = load<u8>(p);
  integral = true;
  if (c == 46) {
    integral = false;
    const fraction = ++p;
    // Up to sixteen digits, moved to the right end of a vector so that zeros fill the left.
    const v = i8x16.sub(v128.load(p), i8x16.splat(48));
    n = <usize>ctz(~i8x16.bitmask(i8x16.eq(i8x16.min_u(v, i8x16.splat(9)), v)) | 0x10000);
    if (n == 0 && !relaxed) return -(<isize>p);
    p += n;
    const right = v128.and(i8x16.sub(v128.load(p - 16), i8x16.splat(48)), v128.load(HIGH_BYTES + n));
    let y = eightDigits(i64x2.extract_lane(right, 1));
    if (n > 8) y += eightDigits(i64x2.extract_lane(right, 0)) * 100000000;
    w = w * load<u64>(POWERS_U64 + (n << 3)) + y;
    if (n == 16) for (c = load<u8>(p); isDigit(c); c = load<u8>(p)) { w = w * 10 + (c - 48); p++; }
    exponent = -<i32>(p - fraction);
    count += p - fraction;
    c = load<u8>(p);
  }
  if ((c | 32) == 101) {
    integral = false;
    const sign: u32 = load<u8>(++p);
    if (sign == 45 || sign == 43) p++;
    if (!isDigit(load<u8>(p))) return -(<isize>p);
    let e = 0;
    for (c = load<u8>(p); isDigit(c); c = load<u8>(p)) { if (e < 100000000) e = e * 10 + <i32>(c - 48); p++; }
    exponent += sign == 45 ? -e : e;
  }
  let value: f64;
  if (count <= 19 && w <= 9007199254740992 && exponent >= -22 && exponent <= 22) {
    value = <f64><i64>w;
    value = exponent < 0
      ? value / load<f64>(POWERS_F64 + (<usize>(-exponent) << 3))
      : value * load<f64>(POWERS_F64 + (<usize>exponent << 3));
  } else value = slowValue(digits, w, count, exponent);
  number = negative ? -value : value;
  return <isize>p;
}

/** The end of the number at `p`, by the grammar of JSON; as `scanNumber`, but without a value. */
// @ts-ignore: decorator
@inline export function numberEnd(p: usize): isize {
  if (load<u8>(p) == 45) p++;
  const first: u32 = load<u8>(p);
  if (!isDigit(first)) return -(<isize>p);
  p++;
  if (first == 48 && isDigit(load<u8>(p))) return -(<isize>p);
  p = digitsEnd(p);
  if (load<u8>(p) == 46) {
    if (!isDigit(load<u8>(++p))) return -(<isize>p);
    p = digitsEnd(p);
  }
  if ((load<u8>(p) | 32) == 101) {
    const sign: u32 = load<u8>(++p);
    if (sign == 45 || sign == 43) p++;
    if (!isDigit(load<u8>(p))) return -(<isize>p);
    p = digitsEnd(p);
  }
  return <isize>p;
}

// @ts-ignore: decorator
@inline function digitsEnd(p: usize): usize {
  while (isDigit(load<u8>(p))) p++;
  return p;
}

/** A bit for each digit. */
// @ts-ignore: decorator
@inline function numerals(v: v128): u32 {
  const from = i8x16.sub(v, i8x16.splat(48));
  return i8x16.bitmask(i8x16.eq(i8x16.min_u(from, i8x16.splat(9)), from));
}

/** Value of 16 digits as bytes 0..9, the first in the lowest byte: of pairs, of fours, of eights, of all. */
// @ts-ignore: decorator
@inline function sixteenDigits(digits: v128): u64 {
  const pairs = i16x8.shr_u(i16x8.mul(digits, i16x8.splat(2561)), 8);
  const fours = i32x4.dot_i16x8_s(pairs, i32x4.splat(100 | 1 << 16));
  const eights = <u64>i64x2.extract_lane(i32x4.dot_i16x8_s(i16x8.narrow_i32x4_u(fours, fours), i32x4.splat(10000 | 1 << 16)), 0);
  return (eights & 0xffffffff) * 100000000 + (eights >> 32);
}

/** Value of the last `n` <= 16 of the digits in `v`. */
// @ts-ignore: decorator
@inline function lastDigits(v: v128, n: usize): u64 {
  assert(n <= 16, 'a vector has 16 digits');
  return sixteenDigits(v128.and(i8x16.sub(v, i8x16.splat(48)), v128.load(HIGH_BYTES + n)));
}

/** The 16 digits before `end`, without the point. The last `places` <= 16 stand behind it. */
// @ts-ignore: decorator
@inline function withoutPoint(end: usize, places: usize): v128 {
  return v128.bitselect(v128.load(end - 16), v128.load(end - 17), v128.load(HIGH_BYTES + places));
}

/**
 * Reads a whole number of up to eight digits, without a sign, before a comma or the end of an object. Stores it at `to` and returns its end; 0 for
 * any other text.
 */
// @ts-ignore: decorator
@inline export function shortInteger(p: usize, to: usize): usize {
  const x = load<u64>(p) ^ ZEROS;
  // Above the first byte that is no digit, bits may be wrong.
  const n = <usize>(ctz(((x + 0x7676767676767676) | x) & 0x8080808080808080) >> 3), end = p + n;
  const after: u32 = load<u8>(end);
  if (after != COMMA && after != CLOSE_BRACE) return 0;
  if (n > 1 && (<u32>x & 0xff) == 0) return 0;
  store<f64>(to, <f64><i64>eightDigits(x << (64 - (<u64>n << 3))));
  return end;
}

/**
 * Reads a number without exponent and with at most 19 digits, as JSON.stringify writes most. Stores it at `to` and returns its
 * end; 0 for any other text, which `scanNumber` must read.
 *
 * It finds the end first, by the first or second byte that is no digit, because the next value only waits for the end. Then it moves the
 * digits together in a vector, over the point.
 */
// @ts-ignore: decorator
@inline export function plainNumber(p: usize, to: usize): usize {
  const v = v128.load(p), negative: u32 = load<u8>(p) == 45 ? 1 : 0, first = p + negative;
  let others = ~numerals(v) ^ negative;
  const point = p + ctz(others), whole = point - first;
  // A leading zero stands alone.
  if (whole > 1 && load<u8>(first) == 48) return 0;
  let end = point, bits: u64;
  if (load<u8>(point) != 46) {
    // No digit, or the vector is full of them and more may follow.
    if (whole - 1 > 14 - negative) return 0;
    bits = reinterpret<u64>(<f64><i64>lastDigits(v128.load(end - 16), whole));
  } else {
    others &= others - 1;
    if ((others & 0xffff) == 0) others = ~numerals(v128.load(p, 16)) << 16;
    end = p + ctz(others);
    const places = end - point - 1, count = whole + places;
    if (count <= 15) {
      if (<i32>((places - 1) | (whole - 1)) < 0) return 0;
      bits = reinterpret<u64>(<f64><i64>lastDigits(withoutPoint(end, places), count) / load<f64>(POWERS_F64 + (places << 3)));
    } else {
      // Integers beyond 2^53 have a rest, which `exact.ts` finds.
      if (whole - 1 > 14 || count > 19) return 0;
      // All numbers of many digits take the longer path, even where a division would do: a branch could not be predicted.
      bits = nearestPlain(manyDigits(first, whole, end, count), places);
      if (bits == UNDECIDED) return 0;
    }
  }
  if ((load<u8>(end) | 32) == 101) return 0;
  store<u64>(to, bits | (<u64>negative << 63));
  return end;
}

/**
 * Value of the 16 to 19 digits from `first` to `end`. `whole` <= 15 of them stand before a point. The first 16 fill a vector, so the point
 * is among them; up to three follow. There is no branch on their number, which could not be predicted.
 */
// @ts-ignore: decorator
@inline function manyDigits(first: usize, whole: usize, end: usize, count: usize): u64 {
  const rest = count - 16;
  const digits = v128.bitselect(v128.load(first), v128.load(first, 1), v128.load(LOW_BYTES + 16 - whole));
  let last = (load<u32>(end - 4) ^ <u32>ZEROS) & load<u32>(HIGH_BYTES + rest, 12);
  last = ((last * 2561) >> 8) & 0x00ff00ff;
  return sixteenDigits(i8x16.sub(digits, i8x16.splat(48))) * load<u64>(POWERS_U64 + (rest << 3)) + <u64>((last * 6553601) >> 16);
}

/**
 * As `nearest`, for a number with `places` of 1 to 19 behind the point; UNDECIDED for four products in 512, and for 0.
 *
 * Of the 128 bits of the product only the upper 64 count, and these need not be exact: the lower halves are left out, and so are the
 * lower 64 bits of the power. The true product is in `high` .. `high` + 4, without the end, and only a multiple of 512 there would change the rounding.
 */
// @ts-ignore: decorator
@inline function nearestPlain(w: u64, places: usize): u64 {
  const zeros = clz(w), power = POWERS_FIVE + (342 << 4) - (places << 4), scaled = w << zeros;
  const a0 = scaled & 0xffffffff, a1 = scaled >> 32, b0 = <u64>load<u32>(power), b1 = <u64>load<u32>(power, 4);
  const high = a1 * b1 + ((a0 * b1) >> 32) + ((a1 * b0) >> 32);
  if (((high + 3) & 0x1ff) <= 3) return UNDECIDED;
  const upper = high >> 63, mantissa = high >> (upper + 9);
  const biased = <u64>(((-217706 * <i32>places) >> 16) + 63 + 1023) + upper - zeros;
  // The leading 1 of the mantissa, which is not stored, and a carry both add 1 to the exponent.
  return ((mantissa + (mantissa & 1)) >> 1) + ((biased - 1) << 52);
}

/** Magnitude of a number whose `count` digits begin at `digits`; `w` are those digits when they are at most 19. */
function slowValue(digits: usize, w: u64, count: usize, exponent: i32): f64 {
  if (count <= 19) return reinterpret<f64>(nearest(w, exponent));
  // The first 19 digits that count. The rest only moves the exponent and lies between this and the next above.
  let p = digits;
  for (let c: u32 = load<u8>(p); c == 48 || c == 46; c = load<u8>(p)) { count -= <usize>(c == 48); p++; }
  const first = p;
  let taken = 0;
  w = 0;
  for (; taken < 19; p++) {
    const c: u32 = load<u8>(p);
    if (isDigit(c)) { w = w * 10 + (c - 48); taken++; } else if (c != 46) break;
  }
  const dropped = <i32>count - taken, lower = nearest(w, exponent + dropped);
  if (dropped <= 0 || lower == nearest(w + 1, exponent + dropped)) return reinterpret<f64>(lower);
  return reinterpret<f64>(nearerDouble(lower, first, <u32>count, exponent));
}

// @ts-ignore: decorator
@inline function multiplyHigh(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const t = a0 * b1 + ((a0 * b0) >> 32), u = a1 * b0 + (t & 0xffffffff);
  return a1 * b1 + (t >> 32) + (u >> 32);
}

/** Bits of the f64 nearest to w * 10^exponent: always exact for 64 bits of `w` (Mushtak and Lemire 2023). */
function nearest(w: u64, exponent: i32): u64 {
  const INFINITE: u64 = 0x7ff0000000000000;
  if (w == 0 || exponent < -342) return 0;
  if (exponent > 308) return INFINITE;
  const zeros = clz(w);
  w <<= zeros;
  assert(exponent >= -342 && exponent <= 308, 'a power of five is not in the table');
  const power = POWERS_FIVE + (<usize>(exponent + 342) << 4);
  const factor = load<u64>(power);
  let low = w * factor, high = multiplyHigh(w, factor);
  if ((high & 0x1ff) == 0x1ff) {
    const more = multiplyHigh(w, load<u64>(power, 8));
    low += more;
    if (more > low) high++;
  }
  const upper = high >> 63;
  let mantissa = high >> (upper + 9);
  // floor(exponent * log2(10)) by a 16-bit fraction.
  let biased = ((217706 * exponent) >> 16) + 63 + <i32>upper - <i32>zeros + 1023;
  if (biased <= 0) {
    if (1 - biased >= 64) return 0;
    mantissa >>= <u64>(1 - biased);
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    return mantissa; // a carry into bit 52 is the smallest normal number
  }
  // Exactly half way: round to even.
  if (low <= 1 && exponent >= -4 && exponent <= 23 && (mantissa & 3) == 1 && mantissa << (upper + 9) == high) mantissa &= ~(<u64>1);
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa == <u64>1 << 53) { mantissa = <u64>1 << 52; biased++; }
  if (biased >= 0x7ff) return INFINITE;
  return (mantissa & 0xfffffffffffff) | (<u64>biased << 52);
}
