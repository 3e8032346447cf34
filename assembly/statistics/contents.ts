/** How many inspected texts are padded, and how many contain a digit, an upper-case letter, white space, a character outside ASCII. */
import { Column, Like } from '../abi';
import { put } from '../arena';
import { digitBits, isPadded, nonAsciiBits, readCharacters, spaceBits, upperBits } from './text';

let texts: u32 = 0, padded: u32 = 0, withDigit: u32 = 0, withUpper: u32 = 0, withSpace: u32 = 0, withNonAscii: u32 = 0;

export function beginContents(): void {
  texts = 0;
  padded = 0;
  withDigit = 0;
  withUpper = 0;
  withSpace = 0;
  withNonAscii = 0;
}

export function addContents(): void {
  texts++;
  padded += <u32>isPadded();
  withDigit += <u32>(digitBits != 0);
  withUpper += <u32>(upperBits != 0);
  withSpace += <u32>(spaceBits != 0);
  withNonAscii += <u32>(nonAsciiBits != 0);
}

export function putContents(record: usize): void {
  put(record, Column.INSPECTED_TEXTS, <f64>texts);
  put(record, Column.PADDED, <f64>padded);
  put(record, Column.WITH_DIGIT, <f64>withDigit);
  put(record, Column.WITH_UPPER, <f64>withUpper);
  put(record, Column.WITH_SPACE, <f64>withSpace);
  put(record, Column.WITH_NON_ASCII, <f64>withNonAscii);
}

/** Whether the text of a cell has one of these properties. */
export function isTextLike(slot: u64, doubled: bool, like: Like): bool {
  readCharacters(slot, doubled);
  if (like == Like.PADDED) return isPadded();
  if (like == Like.WITH_DIGIT) return digitBits != 0;
  if (like == Like.WITH_UPPER) return upperBits != 0;
  if (like == Like.WITH_SPACE) return spaceBits != 0;
  return like == Like.WITH_NON_ASCII && nonAsciiBits != 0;
}
