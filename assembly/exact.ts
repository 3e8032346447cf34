/**
 * Integers of more than 53 bits. The value of a cell is the nearest double; the rest, what it lacks, stands where a text has its hash. With it
 * such integers are told apart, up to 64 bits and a sign. Other numbers of this size have a rest of 0.
 *
 *   rest i32 │ 0 u32        columns, JSON
 *   length u32 │ address    CSV, which keeps the text of every number: its digits give the rest
 */
import { ESCAPED } from './arena';

/** Doubles below it are exact integers. */
const LARGE: f64 = 9007199254740992;
const BEYOND_U64: f64 = 18446744073709551616.0;
const MINUS: u32 = 45, PLUS: u32 = 43, SPACE: u32 = 32;

// @ts-ignore: decorator
@inline export function isLarge(x: f64): bool { return abs(x) >= LARGE; }

/** Whether doubles may not tell all of `n` numbers apart. What lies under nulls counts too. */
export function hasLarge(at: usize, n: u32): bool {
  let a = f64x2.splat(0), b = a;
  const end = at + (<usize>n << 3);
  for (; at + 32 <= end; at += 32) {
    a = f64x2.pmax(a, f64x2.abs(v128.load(at)));
    b = f64x2.pmax(b, f64x2.abs(v128.load(at, 16)));
  }
  for (; at < end; at += 8) a = f64x2.pmax(a, f64x2.splat(abs(load<f64>(at))));
  a = f64x2.pmax(a, b);
  return isLarge(f64x2.extract_lane(a, 0)) || isLarge(f64x2.extract_lane(a, 1));
}

/** Whether each of `n` numbers `isSmall`. What lies under nulls counts too. */
export function areSmall(at: usize, n: u32): bool {
  const limit = f64x2.splat(LARGE), end = at + (<usize>n << 3);
  let small = f64x2.eq(limit, limit);
  for (; at + 16 <= end; at += 16) small = v128.and(small, f64x2.lt(f64x2.abs(v128.load(at)), limit));
  return i64x2.all_true(small) && (at == end || isSmall(load<f64>(at)));
}

/** Not the opposite of `isLarge`: a NaN is neither. */
// @ts-ignore: decorator
@inline export function isSmall(x: f64): bool { return abs(x) < LARGE; }

// @ts-ignore: decorator
@inline export function slotOfRest(rest: i64): u64 { return <u64>rest << 32; }

/** Of the integer with this magnitude and sign, whose nearest double is `x`. */
export function restOf(magnitude: u64, isNegative: bool, x: f64): i64 {
  // The difference is small, so it is right modulo 2^64.
  const rest = <i64>(magnitude - (abs(x) == BEYOND_U64 ? 0 : <u64>abs(x)));
  return isNegative ? -rest : rest;
}

/** Of a number that `isLarge`; `slot` stands where a text has its hash. */
export function restIn(x: f64, slot: u64): i64 {
  if (abs(x) > BEYOND_U64) return 0;
  const at = <usize>(slot & 0xffffffff);
  return at == 0 ? <i64>slot >> 32 : restOfText(at, <u32>(slot >> 32) & ~ESCAPED, x);
}

/** 0 for a text that is not just digits, or too many of them. Spaces, a sign and zeros may stand before. */
export function restOfText(at: usize, length: u32, x: f64): i64 {
  let p = at, end = at + length, magnitude: u64 = 0;
  while (p < end && load<u8>(p) == SPACE) p++;
  while (end > p && load<u8>(end - 1) == SPACE) end--;
  const sign: u32 = load<u8>(p);
  if (sign == MINUS || sign == PLUS) p++;
  for (; p < end; p++) {
    const digit = <u64>load<u8>(p) - 48;
    if (digit > 9 || magnitude > 1844674407370955161 || (magnitude == 1844674407370955161 && digit > 5)) return 0;
    magnitude = magnitude * 10 + digit;
  }
  return restOf(magnitude, sign == MINUS, x);
}
