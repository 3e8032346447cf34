/** The dates of most columns, as programs write them: `2026-01-02T03:04:05.678Z`, read without a branch for each part. */
import { LAST_OF_SECOND } from '../abi-dates';

const DOT: u8 = 0x2e, SPACE: u8 = 0x20, LETTER_T: u8 = 0x74, LETTER_Z: u8 = 0x7a;
/** The digits, and the dashes and colons, of `6-01-02T03:04:05`, the sixteen bytes behind the first digits of the year. */
const DIGITS: u32 = 0xdb6d, SIGNS: u32 = 0x2412;
const YEAR: usize = 3, LETTER_AT: usize = 10, REST_AT: usize = 19, MAX_BYTES: usize = 30, MILLISECONDS: usize = 24;

/** Days before each month of a year that begins in March. */
const BEFORE_MONTH: usize = memory.data<u16>([0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337], 16);

/** Milliseconds since 1970, in UTC; NaN for a text in any other notation, which `dateTime` must read. Three bytes behind it must be readable. */
export function instant(p: usize, length: usize): f64 {
  if (length < REST_AT || length > MAX_BYTES) return NaN;
  const text = v128.load(p, YEAR), v = i8x16.sub(text, i8x16.splat(48));
  const signs = i8x16.eq(text, i8x16(0, 0x2d, 0, 0, 0x2d, 0, 0, 0, 0, 0, 0x3a, 0, 0, 0x3a, 0, 0));
  if (i8x16.bitmask(i8x16.lt_u(v, i8x16.splat(10))) != DIGITS || i8x16.bitmask(signs) != SIGNS) return NaN;
  const between = load<u8>(p, LETTER_AT), first = load<u32>(p) - 0x30303030;
  if ((between != SPACE && (between | 32) != LETTER_T) || ((first + 0x76767676) & 0x80808080) != 0 || (first & 0xf0f0f0f0) != 0) return NaN;
  // Pairs of digits: hour, minute, second, nothing, month, day.
  const digits = i8x16.swizzle(v, i8x16(8, 9, 11, 12, 14, 15, -1, -1, 2, 3, 5, 6, -1, -1, -1, -1));
  const pairs = i16x8.add(i16x8.mul(v128.and(digits, i16x8.splat(0xff)), i16x8.splat(10)), i16x8.shr_u(digits, 8));
  if (v128.any_true(i16x8.gt_u(pairs, i16x8(23, 59, 59, 0, 12, 31, 0, 0)))) return NaN;
  const date: u32 = i32x4.extract_lane(pairs, 2), month = date & 0xffff, day = date >> 16;
  const century = (first & 15) * 10 + ((first >> 8) & 15), ofCentury = ((first >> 16) & 15) * 10 + (first >> 24), year = century * 100 + ofCentury;
  if (year == 0 || month == 0 || day == 0 || (day > 28 && day > lastOf(month, ((ofCentury == 0 ? century : ofCentury) & 3) == 0))) return NaN;
  const seconds = i32x4.dot_i16x8_s(pairs, i16x8(3600, 60, 1, 0, 0, 0, 0, 0));
  const ms = <f64>(i32x4.extract_lane(seconds, 0) + i32x4.extract_lane(seconds, 1)) * 1000 + fraction(p, length);
  return <f64>daysSince1970(year, month, day) * 86400000 + ms;
}

// @ts-ignore: decorator
@inline function lastOf(month: u32, isLeap: bool): u32 { return month == 2 ? 28 + <u32>isLeap : 30 + ((month + (month >> 3)) & 1); }

/** Days in years that begin in March, so that a leap day is the last one. A hundredth of a year is taken by a product. */
// @ts-ignore: decorator
@inline function daysSince1970(year: u32, month: u32, day: u32): i32 {
  const y = year - <u32>(month <= 2), century = (y * 5243) >> 19, m = month > 2 ? month - 3 : month + 9;
  return <i32>(365 * y + (y >> 2) - century + (century >> 2) + load<u16>(BEFORE_MONTH + (<usize>m << 1)) + day) - 719469;
}

/** `.678` and the letter, as a little-endian number: where the digits are not, and what is there. */
const NO_DIGITS: u64 = 0xff000000ff, FRAME: u64 = 0x7a0000002e;

/** Milliseconds of `.678Z`, `Z`, `.678` or nothing, behind the seconds; NaN for anything else. */
// @ts-ignore: decorator
@inline function fraction(p: usize, length: usize): f64 {
  if (length == MILLISECONDS) {
    const rest = (load<u64>(p, REST_AT) | 0x2000000000) & 0xffffffffff, digits = <u32>(rest >> 8) & 0xffffff;
    const d = digits - 0x303030;
    if ((rest & NO_DIGITS) == FRAME && (d & 0xf0f0f0) == 0 && ((d + 0x767676) & 0x808080) == 0)
      return <f64>((d & 15) * 100 + ((d >> 8) & 15) * 10 + (d >> 16));
  }
  return anyFraction(p + REST_AT, p + length);
}

function anyFraction(at: usize, end: usize): f64 {
  let value: f64 = 0, scale: f64 = 1;
  if (at < end && load<u8>(at) == DOT) {
    const begin = ++at;
    for (let digit: u32 = load<u8>(at) - 48; at < end && digit < 10; digit = load<u8>(at) - 48) {
      value = value * 10 + <f64>digit;
      scale *= 10;
      at++;
    }
    if (at == begin || at > begin + 9) return NaN;
  }
  const isEnd = at == end || (at + 1 == end && (load<u8>(at) | 32) == LETTER_Z);
  return isEnd ? min(value * 1000 / scale, LAST_OF_SECOND) : NaN;
}
