/** How many inspected texts are padded, contain a digit, an upper-case letter, white space, a character outside ASCII, or are an e-mail address. */
import { Column, Like } from '../abi';
import { put } from '../arena';
import { isDate } from './dates';
import { standsForMissing } from './missing-texts';
import { digitBits, inspectedBytes, isPadded, letterBits, nonAsciiBits, otherBits, readCharacters, spaceBits, textAt, textLength, upperBits } from './text';

let texts: u32 = 0, padded: u32 = 0, withDigit: u32 = 0, withUpper: u32 = 0, withSpace: u32 = 0, withNonAscii: u32 = 0, emails: u32 = 0, capitals: u32 = 0;

export function beginContents(): void {
  texts = 0;
  padded = 0;
  withDigit = 0;
  withUpper = 0;
  withSpace = 0;
  withNonAscii = 0;
  emails = 0;
  capitals = 0;
}

export function addContents(): void {
  texts++;
  padded += <u32>isPadded();
  withDigit += <u32>(digitBits != 0);
  withUpper += <u32>(upperBits != 0);
  withSpace += <u32>(spaceBits != 0);
  withNonAscii += <u32>(nonAsciiBits != 0);
  emails += <u32>isEmail();
  capitals += <u32>isInCapitals();
}

export function putContents(record: usize): void {
  put(record, Column.INSPECTED_TEXTS, <f64>texts);
  put(record, Column.PADDED, <f64>padded);
  put(record, Column.WITH_DIGIT, <f64>withDigit);
  put(record, Column.WITH_UPPER, <f64>withUpper);
  put(record, Column.WITH_SPACE, <f64>withSpace);
  put(record, Column.WITH_NON_ASCII, <f64>withNonAscii);
  put(record, Column.EMAILS, <f64>emails);
  put(record, Column.CAPITALS, <f64>capitals);
}

/** Whether the text of a cell has one of these properties. */
export function isTextLike(slot: u64, doubled: bool, like: Like): bool {
  readCharacters(slot, doubled);
  if (like == Like.PADDED) return isPadded();
  if (like == Like.WITH_DIGIT) return digitBits != 0;
  if (like == Like.WITH_UPPER) return upperBits != 0;
  if (like == Like.WITH_SPACE) return spaceBits != 0;
  if (like == Like.EMAIL) return isEmail();
  if (like == Like.CAPITALS) return isInCapitals();
  if (like == Like.DATE) return isDate();
  if (like == Like.MISSING) return standsForMissing(slot, doubled);
  return like == Like.WITH_NON_ASCII && nonAsciiBits != 0;
}

/** One capital letter may be an initial. */
function isInCapitals(): bool { return letterBits == 0 && (upperBits & (upperBits - 1)) != 0; }

const AT: u8 = 0x40, DOT: u8 = 0x2e, HYPHEN: u8 = 0x2d;

/**
 * Whether the text looks like an e-mail address: dot-atoms around one @ (RFC 5322, section 3.4.1), letters outside ASCII included, and a dot in the
 * domain. Texts longer than the inspected bytes do not count.
 */
function isEmail(): bool {
  if (textLength > inspectedBytes || spaceBits != 0) return false;
  let at: usize = 0, dotInDomain = false;
  for (let left = otherBits; left != 0; left &= left - 1) {
    const i = <usize>ctz(left), c = load<u8>(textAt + i);
    if (c == AT || c == DOT) {
      if (i == 0 || i + 1 == textLength) return false;
      const before = load<u8>(textAt + i - 1);
      if (before == DOT || before == AT || (c == AT && at != 0)) return false;
      if (c == AT) at = i;
      else dotInDomain = at != 0;
    } else if (at != 0 ? c != HYPHEN : !isAtomMark(c)) return false;
  }
  return at != 0 && dotInDomain;
}

/** Whether a punctuation character is allowed in the local part: printable ASCII without `"(),:;<>[\]`, as `atext` of RFC 5322. */
function isAtomMark(c: u8): bool {
  if (c <= 0x20 || c == 0x7f) return false;
  return c != 0x22 && c != 0x28 && c != 0x29 && c != 0x2c && c != 0x3a && c != 0x3b && c != 0x3c && c != 0x3e && c != 0x5b && c != 0x5c && c != 0x5d;
}
