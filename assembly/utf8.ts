/**
 * Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing past U+10FFFF. It checks each chunk before the parser, so
 * the parser sees only whole, valid characters and ignores the encoding.
 *
 * Blocks of 16 bytes are checked by three table look-ups on the nibbles of adjacent bytes (Keiser and Lemire 2020,
 * "Validating UTF-8 in less than one instruction per byte"). Where a block fails, and in the last few bytes, it goes on
 * character by character to find the exact place.
 */
import { lookAtBlock, lookAtBytes } from './signs/odd-bytes';

// Each bit is one way in which two adjacent bytes can be wrong.
const TOO_SHORT: i8 = 1; // a lead byte, then no continuation
const TOO_LONG: i8 = 2; // ASCII, then a continuation
const OVERLONG_3: i8 = 4;
const TOO_LARGE: i8 = 8;
const SURROGATE: i8 = 16;
const OVERLONG_2: i8 = 32;
const TOO_LARGE_1000: i8 = 64; // also an overlong form of four bytes
const TWO_CONTS: i8 = -128;
const CARRY: i8 = TOO_SHORT | TOO_LONG | TWO_CONTS;

/** Shifts lanes of 16 bits, because x86 cannot shift bytes. */
// @ts-ignore: decorator
@inline function highNibbles(v: v128): v128 {
  return v128.and(i16x8.shr_u(v, 4), i8x16.splat(15));
}

// @ts-ignore: decorator
@inline function byHighNibble(v: v128): v128 {
  return i8x16.swizzle(
    i8x16(TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
      TWO_CONTS, TWO_CONTS, TWO_CONTS, TWO_CONTS,
      TOO_SHORT | OVERLONG_2, TOO_SHORT, TOO_SHORT | OVERLONG_3 | SURROGATE,
      TOO_SHORT | TOO_LARGE | TOO_LARGE_1000),
    highNibbles(v),
  );
}

// @ts-ignore: decorator
@inline function byLowNibble(v: v128): v128 {
  return i8x16.swizzle(
    i8x16(CARRY | OVERLONG_3 | OVERLONG_2 | TOO_LARGE_1000, CARRY | OVERLONG_2, CARRY, CARRY,
      CARRY | TOO_LARGE, CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000,
      CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000,
      CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000,
      CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000,
      CARRY | TOO_LARGE | TOO_LARGE_1000 | SURROGATE, CARRY | TOO_LARGE | TOO_LARGE_1000,
      CARRY | TOO_LARGE | TOO_LARGE_1000),
    v128.and(v, i8x16.splat(15)),
  );
}

// @ts-ignore: decorator
@inline function bySecond(v: v128): v128 {
  return i8x16.swizzle(
    i8x16(TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
      TOO_LONG | OVERLONG_2 | TWO_CONTS | OVERLONG_3 | TOO_LARGE_1000,
      TOO_LONG | OVERLONG_2 | TWO_CONTS | OVERLONG_3 | TOO_LARGE,
      TOO_LONG | OVERLONG_2 | TWO_CONTS | SURROGATE | TOO_LARGE,
      TOO_LONG | OVERLONG_2 | TWO_CONTS | SURROGATE | TOO_LARGE,
      TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT),
    highNibbles(v),
  );
}

/** Sets bits where the block at `at` is not valid. The 3 bytes before it must be readable. */
// @ts-ignore: decorator
@inline function faults(at: usize): v128 {
  const v = v128.load(at), one = v128.load(at - 1), two = v128.load(at - 2), three = v128.load(at - 3);
  const special = v128.and(v128.and(byHighNibble(one), byLowNibble(one)), bySecond(v));
  // The third byte of three and the third and fourth of four must be continuations. No other byte may follow a continuation as one.
  const must = v128.and(
    v128.or(i8x16.sub_sat_u(two, i8x16.splat(0x60)), i8x16.sub_sat_u(three, i8x16.splat(0x70))),
    i8x16.splat(<i8>0x80),
  );
  return v128.xor(must, special);
}

/** The same for the 64 bytes at `at`. A call, so that ASCII bodies do not keep the tables in registers. */
function faults64(at: usize): v128 {
  return v128.or(v128.or(faults(at), faults(at + 16)), v128.or(faults(at + 32), faults(at + 48)));
}

/** Whether the 64 bytes at `p` are ASCII. */
// @ts-ignore: decorator
@inline function isAscii(p: usize): bool {
  const first = v128.or(v128.load(p), v128.load(p, 16)), second = v128.or(v128.load(p, 32), v128.load(p, 48));
  return !i8x16.bitmask(v128.or(first, second));
}

/**
 * End of the longest valid prefix of [from, to) that ends with a whole character. A character must begin at `from`, behind
 * valid text or 3 zeros.
 */
export function validEnd(from: usize, to: usize): usize {
  let p = from, high = 0;
  while (p + 64 <= to) {
    if (!isAscii(p)) {
      if (v128.any_true(faults64(p))) break;
      lookAtBlock(p);
    }
    else if (high && v128.any_true(faults(p))) break;
    high = i8x16.bitmask(v128.load(p, 48));
    p += 64;
  }
  while (p + 16 <= to) {
    const bits = i8x16.bitmask(v128.load(p));
    if ((bits | high) != 0 && v128.any_true(faults(p))) break;
    if (bits != 0) lookAtBytes(p, p + 16);
    high = bits;
    p += 16;
  }
  // From here character by character, beginning with one that the last valid block may have cut.
  const begin = lastBegin(p, from), end = walk(begin, to);
  if (begin < end) lookAtBytes(begin, end);
  return end;
}

/** Where the character before `p` begins, or `from`. */
function lastBegin(p: usize, from: usize): usize {
  if (p == from) return p;
  do p--; while (p > from && (load<u8>(p) & 0xc0) == 0x80);
  return p;
}

/** Reads one character after the other and returns the end of the last valid, whole one. */
function walk(p: usize, to: usize): usize {
  while (p < to) {
    const c: u32 = load<u8>(p);
    let n: usize = 1;
    if (c >= 0x80) {
      if (c < 0xc2 || c > 0xf4) return p;
      n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
      if (p + n > to) return p;
      const second: u32 = load<u8>(p, 1);
      const least: u32 = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, most: u32 = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
      if (second < least || second > most) return p;
      for (let i: usize = 2; i < n; i++) if ((load<u8>(p + i) & 0xc0) != 0x80) return p;
    }
    p += n;
  }
  return p;
}
