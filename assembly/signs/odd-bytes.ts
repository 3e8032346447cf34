/**
 * Characters that damaged texts have and few others: U+FFFD, those that nobody sees, UTF-8 that was read as another encoding. They are looked for where the encoding is checked, in blocks
 * that are not ASCII, and where escapes are decoded. Only if a body has some are its cells looked at.
 */
import { OddText } from '../abi-signs';
import { BODY } from '../arena';

const BACKSLASH: u32 = 0x5c;
const MARK: u32 = 0xbfbbef;
/** A mark takes so many bytes. */
const MARK_BYTES: usize = 3;
/** Two characters that tell together take fewer bytes. */
const LONGEST: usize = 8;

/** Bits of `OddText` that the body may have. */
export let oddTexts: u32 = 0;

export function beginOddTexts(): void { oddTexts = 0; }

/** The 64 bytes at `p` are part of a body that is valid up to there. Two more are read. */
export function lookAtBlock(p: usize): void {
  const may = v128.or(v128.or(mayLead(p), mayLead(p + 16)), v128.or(mayLead(p + 32), mayLead(p + 48)));
  if (v128.any_true(may)) lookAtLeads(p);
}

function lookAtLeads(p: usize): void {
  const odd = v128.or(v128.or(leadsIn(p), leadsIn(p + 16)), v128.or(leadsIn(p + 32), leadsIn(p + 48)));
  if (v128.any_true(odd)) lookAtBytes(p, p + 64);
}

/** All ones for each byte that `leadsIn` may have. */
// @ts-ignore: decorator
@inline function mayLead(p: usize): v128 {
  const v = v128.load(p);
  return v128.or(v128.or(i8x16.eq(v, i8x16.splat(<i8>0xc3)), i8x16.eq(v, i8x16.splat(<i8>0xe2))), i8x16.eq(v, i8x16.splat(<i8>0xef)));
}

/** The bytes between `from` and `to` are valid. Those before and behind them are looked at once more: they may have come apart. */
export function lookAtEnds(from: usize, to: usize): void {
  if (from < to) lookAtBytes(max(BODY, from - LONGEST), min(to, from + LONGEST));
}

export function lookAtBytes(from: usize, to: usize): void {
  // The mark at the beginning of a body is no part of a text.
  const isMarked = from == BODY && (load<u32>(BODY) & 0xffffff) == MARK;
  oddTexts |= oddIn(isMarked ? from + MARK_BYTES : from, to);
}

/** A character that was written as an escape; what stands around it may be written in either way. */
// @ts-ignore: decorator
@inline export function lookAtEscaped(utf8: u32): void { oddTexts |= oddCharacter(utf8, true, true); }

/** All ones for each byte with which an odd character may begin. */
// @ts-ignore: decorator
@inline function leadsIn(p: usize): v128 {
  const v = v128.load(p), next = v128.load(p, 1), third = v128.load(p, 2);
  // A Latin letter before another character that is not ASCII; a character of U+2000 to U+207F, or of U+F000 to U+FFFF.
  const misread = v128.and(i8x16.eq(v, i8x16.splat(<i8>0xc3)), i8x16.ge_u(third, i8x16.splat(<i8>0xc0)));
  const spaces = v128.and(i8x16.eq(v, i8x16.splat(<i8>0xe2)), i8x16.le_u(next, i8x16.splat(<i8>0x81)));
  return v128.or(v128.or(misread, spaces), i8x16.eq(v, i8x16.splat(<i8>0xef)));
}

/** Bits of `OddText` that the text between `from` and `to` may have, but for its escapes. */
export function oddIn(from: usize, to: usize): u32 {
  let found: u32 = 0;
  for (let p = from; p < to; p += 16) {
    let bits: u32 = i8x16.bitmask(leadsIn(p));
    if (to - p < 16) bits &= (1 << <u32>(to - p)) - 1;
    for (; bits != 0; bits &= bits - 1) {
      const at = p + <usize>ctz(bits), isAmongAscii = load<u8>(at - 1) < 0x80 && load<u8>(at, 3) < 0x80;
      found |= oddCharacter(load<u32>(at), isAmongAscii, isMisread(load<u8>(at, 2)));
    }
  }
  return found;
}

/** Whether a text has an escape, which may stand for an odd character. */
export function hasEscape(from: usize, to: usize): bool {
  for (let p = from; p < to; p++) if (load<u8>(p) == BACKSLASH) return true;
  return false;
}

/** Whether a byte begins one of the characters that stand for the bytes 80 to BF in windows-1252. */
// @ts-ignore: decorator
@inline function isMisread(lead: u32): bool {
  return lead == 0xc2 || lead == 0xe2 || lead == 0xc5 || lead == 0xc6 || lead == 0xcb;
}

/** `utf8`: the bytes of a character, the first one lowest. `isAmongAscii`: whether its neighbours may be ASCII; `isBeforeMisread`: see `isMisread`. */
function oddCharacter(utf8: u32, isAmongAscii: bool, isBeforeMisread: bool): u32 {
  const second = (utf8 >> 8) & 0xff, third = (utf8 >> 16) & 0xff;
  switch (utf8 & 0xff) {
    case 0xef:
      if (second == 0xbf && third == 0xbd) return OddText.REPLACEMENT;
      return second == 0xbb && third == 0xbf ? OddText.INVISIBLE : 0;
    case 0xe2:
      return isInvisible(second, third, isAmongAscii) ? OddText.INVISIBLE : 0;
    case 0xc3:
      return second - 0x82 <= 0xb0 - 0x82 && isBeforeMisread ? OddText.MISREAD : 0;
    default:
      return 0;
  }
}

/** U+200B to U+200F, U+202A to U+202E, U+2060, U+2066 to U+2069. The joiners U+200C and U+200D belong to scripts other than that of ASCII. */
function isInvisible(second: u32, third: u32, isAmongAscii: bool): bool {
  if (second == 0x81) return third == 0xa0 || third - 0xa6 <= 3;
  if (second != 0x80) return false;
  if (third == 0x8c || third == 0x8d) return isAmongAscii;
  return third == 0x8b || third == 0x8e || third == 0x8f || third - 0xaa <= 4;
}
