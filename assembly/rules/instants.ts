/** The dates of most columns, as programs write them: `2026-01-02T03:04:05.678Z`, read without a branch for each part. */
const DASH: u8 = 0x2d, COLON: u8 = 0x3a, DOT: u8 = 0x2e, SPACE: u8 = 0x20, LETTER_T: u8 = 0x74, LETTER_Z: u8 = 0x7a;
/** Digits of `dddd-dd-ddTdd:dd`. */
const DIGITS: u32 = 0xdb6f;
const SECONDS_AT: usize = 16, REST_AT: usize = 19, MAX_BYTES: usize = 30;

/** Days before each month of a year that begins in March. */
const BEFORE_MONTH: usize = memory.data<u16>([0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337], 16);

/** Milliseconds since 1970, in UTC; NaN for a text in any other notation, which `dateTime` must read. Twenty bytes must be readable. */
export function instant(p: usize, length: usize): f64 {
  if (length < REST_AT || length > MAX_BYTES) return NaN;
  const v = i8x16.sub(v128.load(p), i8x16.splat(48));
  if (i8x16.bitmask(i8x16.lt_u(v, i8x16.splat(10))) != DIGITS) return NaN;
  const between = load<u8>(p, 10);
  if (load<u8>(p, 4) != DASH || load<u8>(p, 7) != DASH || load<u8>(p, 13) != COLON || (between != SPACE && (between | 32) != LETTER_T)) return NaN;
  const tens: u32 = load<u8>(p, 17) - 48, ones: u32 = load<u8>(p, 18) - 48;
  if (load<u8>(p, SECONDS_AT) != COLON || tens > 5 || ones > 9) return NaN;
  // Pairs of digits that begin at even places.
  const pairs = i16x8.add(i16x8.mul(v128.and(v, i16x8.splat(0xff)), i16x8.splat(10)), i16x8.shr_u(v, 8));
  const century: u32 = i16x8.extract_lane_u(pairs, 0), ofCentury: u32 = i16x8.extract_lane_u(pairs, 1);
  const day: u32 = i16x8.extract_lane_u(pairs, 4), minute: u32 = i16x8.extract_lane_u(pairs, 7);
  const month: u32 = <u32>i8x16.extract_lane_u(v, 5) * 10 + i8x16.extract_lane_u(v, 6);
  const hour: u32 = <u32>i8x16.extract_lane_u(v, 11) * 10 + i8x16.extract_lane_u(v, 12);
  const isLeap = ((ofCentury == 0 ? century : ofCentury) & 3) == 0, year = century * 100 + ofCentury;
  const last: u32 = month == 2 ? 28 + <u32>isLeap : 30 + ((month + (month >> 3)) & 1);
  if (year == 0 || month - 1 >= 12 || day - 1 >= last || hour > 23 || minute > 59) return NaN;
  const seconds = <f64>(hour * 3600 + minute * 60 + tens * 10 + ones);
  return <f64>daysSince1970(year, month, day) * 86400000 + seconds * 1000 + fraction(p + REST_AT, p + length);
}

/** Days in years that begin in March, so that a leap day is the last one. A hundredth of a year is taken by a product. */
// @ts-ignore: decorator
@inline function daysSince1970(year: u32, month: u32, day: u32): i32 {
  const y = year - <u32>(month <= 2), century = (y * 5243) >> 19, m = month > 2 ? month - 3 : month + 9;
  return <i32>(365 * y + (y >> 2) - century + (century >> 2) + load<u16>(BEFORE_MONTH + (<usize>m << 1)) + day) - 719469;
}

/** Milliseconds of `.678Z`, `Z`, `.678` or nothing; NaN for anything else. */
function fraction(at: usize, end: usize): f64 {
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
  return isEnd ? value * 1000 / scale : NaN;
}
