/**
 * The text at hand: its bytes, and which of the first 64 are digits, letters, white space and so on, as one bit for each
 * byte. The statistics of texts count these bits.
 */
import { DECODE, ESCAPED, LOW_BYTES } from '../arena';
import { decodeUnit, unit, unitBytes } from '../escapes';

/** Bytes of a text that are inspected at most: a bit for each fits into a u64. */
const MAX_BYTES: usize = 64;
const QUOTE: u8 = 0x22, BACKSLASH: u8 = 0x5c;

/** Where the decoded text begins, its length in bytes, and how many of these are inspected. */
export let textAt: usize = 0, textLength: usize = 0, inspectedBytes: usize = 0;
/** A bit for each inspected byte. Letters are lower-case ASCII letters and all bytes outside ASCII. Others have no bit in the four masks before. */
export let digitBits: u64 = 0, upperBits: u64 = 0, letterBits: u64 = 0, spaceBits: u64 = 0, otherBits: u64 = 0;
export let nonAsciiBits: u64 = 0;
/** Bytes behind the first of a character. */
export let continuationBits: u64 = 0;
/** Where the last byte of the text is. */
let lastAt: usize = 0;

/** Finds the text of a cell. `doubled`: two quotes in a marked text mean one (CSV); else a marked text has escapes. */
export function findText(slot: u64, doubled: bool): void {
  textAt = <usize>(slot & 0xffffffff);
  textLength = <usize>(slot >> 32);
  lastAt = textAt + textLength - 1;
  if (textLength & ESCAPED) {
    textLength = decode(textAt, textLength & ~ESCAPED, doubled);
    textAt = DECODE;
  }
}

/** Finds the text of a cell, and reads its characters. `doubled`: as in `findText`. */
export function readCharacters(slot: u64, doubled: bool): void {
  findText(slot, doubled);
  inspectedBytes = min<usize>(textLength, MAX_BYTES);
  let digits: u64 = 0, uppers: u64 = 0, letters: u64 = 0, spaces: u64 = 0, nonAscii: u64 = 0, continuations: u64 = 0;
  for (let i: usize = 0; i < inspectedBytes; i += 16) {
    const v = v128.and(v128.load(textAt + i), v128.load(LOW_BYTES + 16 - min<usize>(16, inspectedBytes - i)));
    digits |= bitsOf(within(v, 48, 10)) << i;
    uppers |= bitsOf(within(v, 65, 26)) << i;
    letters |= bitsOf(within(v, 97, 26)) << i;
    spaces |= bitsOf(spacesIn(v)) << i;
    nonAscii |= bitsOf(v) << i;
    continuations |= bitsOf(i8x16.lt_s(v, i8x16.splat(-64))) << i;
  }
  digitBits = digits;
  upperBits = uppers;
  letterBits = letters | nonAscii;
  spaceBits = spaces;
  nonAsciiBits = nonAscii;
  continuationBits = continuations;
  otherBits = inspectedBytes ? ~(digits | uppers | letters | nonAscii | spaces) & (u64.MAX_VALUE >> (64 - inspectedBytes)) : 0;
}

// @ts-ignore: decorator
@inline function bitsOf(v: v128): u64 { return <u64><u32>i8x16.bitmask(v); }

// @ts-ignore: decorator
@inline function within(v: v128, first: u8, count: u8): v128 {
  return i8x16.lt_u(i8x16.sub(v, i8x16.splat(<i8>first)), i8x16.splat(<i8>count));
}

// @ts-ignore: decorator
@inline function spacesIn(v: v128): v128 { return v128.or(within(v, 9, 5), i8x16.eq(v, i8x16.splat(32))); }

/** Whether the text begins or ends with white space. */
export function isPadded(): bool {
  if (textLength == 0) return false;
  return ((spaceBits | bitsOf(spacesIn(i8x16.splat(load<i8>(lastAt))))) & 1) != 0;
}

/**
 * Decodes the first bytes of a marked text at DECODE, plain stretches a vector at a time. Returns the length of the whole
 * text; behind MAX_BYTES its raw bytes count.
 */
function decode(at: usize, length: usize, doubled: bool): usize {
  const end = at + length, mark = i8x16.splat(doubled ? QUOTE : BACKSLASH);
  let to = DECODE;
  while (at < end && to < DECODE + MAX_BYTES) {
    assert(to < DECODE + MAX_BYTES, 'more of a text is decoded than is inspected');
    const v = v128.load(at), plain = <usize>ctz(i8x16.bitmask(i8x16.eq(v, mark)) | 0x10000);
    v128.store(to, v);
    const copied = min<usize>(plain, end - at);
    at += copied;
    to += copied;
    if (copied == 16 || at == end) continue;
    if (doubled) {
      store<u8>(to++, QUOTE);
      at += 2;
    } else {
      at = decodeUnit(at);
      store<u32>(to, unit);
      to += unitBytes;
    }
  }
  lastAt = (at < end ? end : to) - 1;
  return to - DECODE + (end - at);
}
