/**
 * Texts among the whole numbers of a CSV column that are more likely codes than damaged numbers: house numbers (`12a`), ranges (`22-23`), tickets (`A/5 21171`), sizes
 * (`XL`), subway lines (`N`, `A-C`), versions (`1.2.10`). Dates, words, and numbers in another form (`1,200`, `$5`, `12 kg`, `1.234.567`) are not codes.
 */
import { Tag } from './abi';
import { cellsOf, edgeOf, ESCAPED, TAGS, VALUES } from './arena';
import { COUNT } from './column';
import { dateTime } from './date-time';
import { DateOrder } from './abi-dates';

/** Longer ones are sentences, addresses, names. */
const MOST_BYTES: u32 = 24;
/** Bits of `letters` behind those of A to Z: a size such as `XL`, and two letters with a dash. */
const SIZE: u32 = 1 << 26, PAIR: u32 = 1 << 27;
const SPACE: u32 = 32, HASH_MARK: u32 = 35, AMPERSAND: u32 = 38, PLUS: u32 = 43, COMMA: u32 = 44, ZERO: u32 = 48, DASH: u32 = 45, POINT: u32 = 46, SLASH: u32 = 47, UNDERSCORE: u32 = 95;

/** Texts with a digit, and those of digits and points among them; texts of capital letters, and a bit for each of these that occurs. */
export let codeTexts: u32 = 0;
export let dottedTexts: u32 = 0;
/** Numbers with commas between thousands, and the numbers from 1,000 on without. */
export let groupedTexts: u32 = 0;
export let largeNumbers: u32 = 0;
export let letterTexts: u32 = 0;
export let letters: u32 = 0;

/** Before the column is settled. */
export function countCodeTexts(column: u32): void {
  const base = cellsOf(column), count = load<u32>(edgeOf(column), COUNT);
  codeTexts = 0;
  dottedTexts = 0;
  groupedTexts = 0;
  largeNumbers = 0;
  letterTexts = 0;
  letters = 0;
  for (let cell: usize = 0; cell < <usize>count; cell++) {
    if (load<u8>(base + TAGS + cell) != <u8>Tag.STRING) continue;
    const slot = load<u64>(base + VALUES + (cell << 3)), length = <u32>(slot >> 32);
    if (length > MOST_BYTES || (length & ESCAPED) != 0) continue;
    countText(<usize>(slot & 0xffffffff), length);
  }
  if (groupedTexts != 0) countLargeNumbers(base, count);
}

function countLargeNumbers(base: usize, count: u32): void {
  for (let cell: usize = 0; cell < <usize>count; cell++) {
    const tag = load<u8>(base + TAGS + cell);
    if (tag != <u8>Tag.INTEGER && tag != <u8>Tag.NUMBER) continue;
    largeNumbers += <u32>(abs(load<f64>(base + VALUES + (cell << 3))) >= 1000);
  }
}

// @ts-ignore: decorator
@inline function isDigit(c: u32): bool { return c - 48 < 10; }
// @ts-ignore: decorator
@inline function isLetter(c: u32): bool { return (c | 32) - 97 < 26; }
// @ts-ignore: decorator
@inline function isCapital(c: u32): bool { return c - 65 < 26; }

// @ts-ignore: decorator
@inline function equal(v: v128, c: u32): v128 { return i8x16.eq(v, i8x16.splat(<i8>c)); }
// @ts-ignore: decorator
@inline function within(v: v128, first: u32, count: u32): v128 { return i8x16.lt_u(i8x16.sub(v, i8x16.splat(<i8>first)), i8x16.splat(<i8>count)); }
// @ts-ignore: decorator
@inline function bitsOf(v: v128): u32 { return <u32>i8x16.bitmask(v); }

/** Of sixteen bytes those that a code may have. Behind the dash come point, slash and digits. */
// @ts-ignore: decorator
@inline function usualBits(v: v128): u32 {
  const letters = within(v128.or(v, i8x16.splat(32)), 97, 26), marks = v128.or(equal(v, SPACE), v128.or(equal(v, HASH_MARK), equal(v, AMPERSAND)));
  return bitsOf(v128.or(v128.or(within(v, DASH, 13), letters), v128.or(marks, v128.or(equal(v, PLUS), equal(v, UNDERSCORE)))));
}

/** Whether a text has only bytes that a code may have: most texts have others. */
// @ts-ignore: decorator
@inline function isUsual(at: usize, length: u32): bool {
  const bits: u32 = (1 << length) - 1;
  if ((~usualBits(v128.load(at)) & bits & 0xffff) != 0) return false;
  return length <= 16 || (~usualBits(v128.load(at, 16)) & bits >> 16) == 0;
}

/** The shortest date has so many: 1/2/26. */
const LEAST_DIGITS_OF_DATE: u32 = 4;

function countText(at: usize, length: u32): void {
  if (!isUsual(at, length)) {
    groupedTexts += <u32>isGrouped(at, length);
    return;
  }
  const bits: u32 = (1 << length) - 1, first = v128.load(at), second = v128.load(at, 16);
  const digits = <u32>popcnt((bitsOf(within(first, 48, 10)) | bitsOf(within(second, 48, 10)) << 16) & bits);
  if (digits == 0) {
    const letter = letterOf(at, length);
    letterTexts += <u32>(letter != 0);
    letters |= letter;
    return;
  }
  const points = <u32>popcnt((bitsOf(equal(first, POINT)) | bitsOf(equal(second, POINT)) << 16) & bits);
  const spaces = <u32>popcnt((bitsOf(equal(first, SPACE)) | bitsOf(equal(second, SPACE)) << 16) & bits);
  const isDotted = digits + points == length;
  // Groups of thousands; a unit behind a number.
  if (isDotted ? points < 2 || areThousands(at, length) : digits + spaces + points == length || isWithUnit(at, length)) return;
  if (digits >= LEAST_DIGITS_OF_DATE && !isNaN(dateTime(at, length, DateOrder.UNKNOWN))) return;
  codeTexts++;
  dottedTexts += <u32>isDotted;
}

/** `1,234`, `-12,345,678.90`: three digits behind each comma, and one to three before the first; no `0,125`. */
function isGrouped(at: usize, length: u32): bool {
  let i: u32 = <u32>(load<u8>(at) == DASH || load<u8>(at) == PLUS), commas: u32 = 0, group: u32 = 0;
  if (load<u8>(at + i) == ZERO) return false;
  for (; i < length; i++) {
    const c: u32 = load<u8>(at + i);
    if (isDigit(c)) group++;
    else if (c == COMMA && (commas == 0 ? group - 1 < 3 : group == 3)) {
      commas++;
      group = 0;
    } else break;
  }
  if (commas == 0 || group != 3) return false;
  if (i == length) return true;
  if (load<u8>(at + i) != POINT || ++i == length) return false;
  while (i < length && isDigit(load<u8>(at + i))) i++;
  return i == length;
}

/** Three digits behind each point. */
function areThousands(at: usize, length: u32): bool {
  let group: u32 = 0;
  for (let i = length; i > 0; i--) {
    if (load<u8>(at + i - 1) != POINT) { group++; continue; }
    if (group != 3) return false;
    group = 0;
  }
  return true;
}

/** The bit of a capital letter, of a size, or of two letters with a dash; 0 for any other text. */
function letterOf(at: usize, length: u32): u32 {
  const first: u32 = load<u8>(at), last: u32 = load<u8>(at + length - 1);
  if (length == 1) return isCapital(first) ? 1 << (first - 65) : 0;
  if (length == 3 && load<u8>(at, 1) == DASH) return isCapital(first) && isCapital(last) ? PAIR : 0;
  if (last != 76 && last != 77 && last != 83) return 0; // L M S
  for (let i: u32 = 0; i + 1 < length; i++) if (load<u8>(at + i) != 88) return 0; // X
  return SIZE;
}

/** Digits, perhaps with a sign and points, then nothing but spaces and at least two letters. */
function isWithUnit(at: usize, length: u32): bool {
  let i: u32 = 0, unit: u32 = 0;
  for (let c: u32 = load<u8>(at); i < length && (isDigit(c) || c == POINT || (i == 0 && (c == DASH || c == PLUS))); c = load<u8>(at + i)) i++;
  if (i == 0) return false;
  for (; i < length; i++) {
    const c: u32 = load<u8>(at + i);
    if (isLetter(c)) unit++;
    else if (c != SPACE) return false;
  }
  return unit >= 2;
}
