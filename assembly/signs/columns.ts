/**
 * Looks through all cells of one column for signs that its values were damaged before they came. The host asks only for columns that may have some, and judges what is found. Each
 * question counts, and lists the rows in question at FOUND_ROWS, a u16 each; it returns how many there are.
 */
import { Tag } from '../abi';
import { DecimalCount, DigitCount, LengthCount, WholeCount } from '../abi-signs';
import { ESCAPED, HASHES, TAGS, VALUES } from '../arena';
import { isLarge, restIn } from '../exact';
import { add, base, begin, bytesOf, cells, digit, found, note, slotAt, startOf, tagAt } from './cells';
import { hasEscape, oddIn } from './odd-bytes';

const POINT: u32 = 0x2e, COMMA: u32 = 0x2c, DASH: u32 = 0x2d, PLUS: u32 = 0x2b, SPACE: u32 = 0x20, ZERO: u32 = 0x30;

// ---- texts ----

/** Rows whose text may have one of the bits `wanted` of `OddText`. `doubled`: a marked text has no escapes. CSV: before the column is settled. */
export function findOddTexts(column: u32, wanted: u32, doubled: bool): u32 {
  begin(column);
  for (let cell: u32 = 0; cell < cells; cell++) {
    if (tagAt(cell) != Tag.STRING) continue;
    const slot = slotAt(cell), at = startOf(slot), to = at + bytesOf(slot);
    if ((oddIn(at, to) & wanted) != 0 || (!doubled && (<u32>(slot >> 32) & ESCAPED) != 0 && hasEscape(at, to))) note(cell);
  }
  return found;
}

/** Rows with an error of a spreadsheet, by its first four bytes. */
export function findErrors(column: u32): u32 {
  begin(column);
  for (let cell: u32 = 0; cell < cells; cell++) if (tagAt(cell) == Tag.STRING && isError(slotAt(cell))) note(cell);
  return found;
}

/** CSV, before the column is settled: rows with `#N/A`, which may become null. */
export function findNullErrors(column: u32): u32 {
  begin(column);
  const nullish = i8x16.splat(<i8>Tag.NULLISH);
  for (let first: u32 = 0; first < cells; first += 16) {
    let hits: u32 = i8x16.bitmask(i8x16.eq(v128.load(base + TAGS + <usize>first), nullish));
    if (cells - first < 16) hits &= (1 << (cells - first)) - 1;
    for (; hits != 0; hits &= hits - 1) if (isError(slotAt(first + ctz(hits)))) note(first + ctz(hits));
  }
  return found;
}

/** `#REF!`, `#N/A`, `#VALUE!`, `#DIV/0!`, `#NAME?`, `#NULL!`, `#NUM!` by their first four bytes. */
function isError(slot: u64): bool {
  if (<u32>(slot >> 32) - 4 > 3) return false;
  const start = load<u32>(startOf(slot));
  return start == 0x46455223 || start == 0x412f4e23 || start == 0x4c415623 || start == 0x56494423 || start == 0x4d414e23 || start == 0x4c554e23 || start == 0x4d554e23;
}

/** Bytes of a character at most, as an escape: a text of more bytes than that for each has more characters. */
const MOST_BYTES: usize = 6;

/** Texts of 255 and 32,767 characters, which are listed, and longer ones. `doubled`: a marked text has doubled quotes, else escapes. */
export function findCutTexts(column: u32, doubled: bool): u32 {
  begin(column);
  for (let cell: u32 = 0; cell < cells; cell++) {
    if (tagAt(cell) != Tag.STRING) continue;
    const slot = slotAt(cell), bytes = bytesOf(slot);
    if (bytes < 255) continue;
    const length = bytes > 32767 * MOST_BYTES ? bytes : charactersIn(startOf(slot), bytes, (<u32>(slot >> 32) & ESCAPED) == 0 ? 0 : doubled ? QUOTE : BACKSLASH);
    if (length == 255 || length == 32767) note(cell);
    if (length == 255) add(LengthCount.AT_255);
    else if (length > 255) add(LengthCount.ABOVE_255);
    if (length == 32767) add(LengthCount.AT_32767);
    else if (length > 32767) add(LengthCount.ABOVE_32767);
  }
  return found;
}

const QUOTE: u32 = 0x22, BACKSLASH: u32 = 0x5c, UNICODE: u8 = 0x75;

/** Units of UTF-16, as spreadsheets count. `mark`: the byte with which an escape or a doubled quote begins; 0 without any. */
function charactersIn(at: usize, bytes: usize, mark: u32): usize {
  let count: usize = 0;
  for (let p = at, to = at + bytes; p < to; p++) {
    const c: u32 = load<u8>(p);
    count += <usize>((c & 0xc0) != 0x80) + <usize>(c >= 0xf0);
    if (c == mark) p += mark == BACKSLASH && load<u8>(p, 1) == UNICODE ? 5 : 1;
  }
  return count;
}

// ---- numbers ----

/** Counts how long numbers are, and lists those in scientific notation. `doubled`: the body is CSV, which keeps the text of numbers. Looks at one cell in `step`. */
export function findRounded(column: u32, doubled: bool, step: u32): u32 {
  begin(column);
  for (let cell: u32 = 0; cell < cells; cell += step) {
    const tag = tagAt(cell);
    if (tag == Tag.NUMBER) {
      if (!doubled) lookAtNumber(cell);
      else if (lookAtText(load<u64>(base + HASHES + (<usize>cell << 3)))) note(cell);
    } else if (tag == Tag.STRING && lookAtText(slotAt(cell))) note(cell);
  }
  return found;
}

/** A number whose text is not in the body: of Arrow and Parquet. */
function lookAtNumber(cell: u32): void {
  const x = abs(load<f64>(base + VALUES + (<usize>cell << 3)));
  if (x != Math.floor(x) || x >= BEYOND) return add(DigitCount.OTHERS);
  const whole = magnitudeAt(cell);
  let digits: u32 = 1, zeros: u32 = 0;
  for (let left = whole; left >= 10; left /= 10) digits++;
  if (whole != 0) for (let left = whole; left % 10 == 0; left /= 10) zeros++;
  addWhole(digits, zeros);
}

/** Doubles from here on may be beyond 64 bits. */
const BEYOND: f64 = 18446744073709549568.0;

/** Of a whole number below BEYOND, to the last digit. */
function magnitudeAt(cell: u32): u64 {
  const x = load<f64>(base + VALUES + (<usize>cell << 3));
  const rest = isLarge(x) ? restIn(x, load<u64>(base + HASHES + (<usize>cell << 3))) : 0;
  return <u64>abs(x) + <u64>(x < 0 ? -rest : rest);
}

/** The magnitude of a whole number of JSON, of the column that was looked through last; 0 for any other value. */
export function magnitudeOf(cell: u32): u64 {
  if (tagAt(cell) != Tag.NUMBER) return 0;
  const x = abs(load<f64>(base + VALUES + (<usize>cell << 3)));
  return x != Math.floor(x) || x >= BEYOND ? 0 : magnitudeAt(cell);
}

function addWhole(digits: u32, zeros: u32): void {
  add(DigitCount.WHOLE);
  if (digits < 12) return;
  add(DigitCount.WHOLE_12);
  if (digits < 16) return;
  add(DigitCount.WHOLE_16);
  const significant = digits - zeros;
  if (significant <= 15) add(DigitCount.ZEROS_FROM_16);
  if (significant <= 14) add(DigitCount.ZEROS_FROM_15);
  if (digits < 18) return;
  add(DigitCount.WHOLE_18);
  if (significant <= 17) add(DigitCount.ZEROS_FROM_18);
  if (significant <= 16) add(DigitCount.ZEROS_FROM_17);
}

/** Whether it is a large number in scientific notation: `1.05514380400001E+16`. */
function lookAtText(slot: u64): bool {
  let p = startOf(slot), to = p + <usize>(slot >> 32);
  if ((<u32>(slot >> 32) & ESCAPED) != 0 || to - p > 40) {
    add(DigitCount.OTHERS);
    return false;
  }
  while (p < to && load<u8>(p) == SPACE) p++;
  while (to > p && load<u8>(to - 1) == SPACE) to--;
  if (p < to && (load<u8>(p) == <u8>DASH || load<u8>(p) == <u8>PLUS)) p++;
  const from = p;
  while (p < to && digit(p) < 10) p++;
  const digits = <u32>(p - from);
  if (p == to && digits > 0) {
    let zeros: u32 = 0;
    while (zeros < digits - 1 && load<u8>(to - 1 - <usize>zeros) == <u8>ZERO) zeros++;
    addWhole(digits, zeros);
    return false;
  }
  if (digits == 1 && isScientific(p, to)) return true;
  add(DigitCount.OTHERS);
  return false;
}

/** From behind the first digit on. */
function isScientific(p: usize, to: usize): bool {
  let decimals: u32 = 0;
  if (load<u8>(p) == <u8>POINT || load<u8>(p) == <u8>COMMA) {
    p++;
    for (; p < to && digit(p) < 10; p++) decimals++;
  }
  if (p >= to || (load<u8>(p) | 32) != 0x65) return false;
  const isCapital = load<u8>(p++) == 0x45, hasPlus = p < to && load<u8>(p) == <u8>PLUS;
  if (hasPlus) p++;
  let exponent: u32 = 0, count: u32 = 0;
  for (; p < to && digit(p) < 10 && count < 4; p++, count++) exponent = exponent * 10 + digit(p);
  if (p != to || count < 2 || exponent < 11 || exponent > 30 || decimals > exponent) return false;
  add(DigitCount.SCIENTIFIC);
  if (isCapital && hasPlus && exponent <= 20) add(DigitCount.SPREADSHEET);
  return true;
}

/** Counts texts like `1,5` and `1.5`, and lists those with the sign of the bits `wanted`. `withNumbers`: those of CSV too. */
export function findDecimals(column: u32, wanted: u32, withNumbers: bool): u32 {
  begin(column);
  for (let cell: u32 = 0; cell < cells; cell++) {
    const tag = tagAt(cell);
    let slot: u64;
    if (tag == Tag.STRING) slot = slotAt(cell);
    else if (tag == Tag.NUMBER && withNumbers) slot = load<u64>(base + HASHES + (<usize>cell << 3));
    else continue;
    const mark = decimalMark(startOf(slot), <usize>(slot >> 32));
    if (mark < 0) continue;
    add(mark);
    if (((wanted >> mark) & 1) != 0) note(cell);
  }
  return found;
}

/** The `DecimalCount` of a text; -1 for another one. Three digits behind a comma may be thousands, and so may those behind a point. */
function decimalMark(at: usize, length: usize): i32 {
  if (length < 3 || length > 24) return -1;
  let p = at, to = at + length;
  if (load<u8>(p) == <u8>DASH) p++;
  const from = p;
  while (p < to && digit(p) < 10) p++;
  const mark: u32 = load<u8>(p);
  if (p == from || p >= to || (mark != COMMA && mark != POINT)) return -1;
  const decimals = to - p - 1;
  p++;
  while (p < to && digit(p) < 10) p++;
  if (p != to || decimals == 0 || decimals == 3) return -1;
  return mark == COMMA ? DecimalCount.COMMA : DecimalCount.POINT;
}

/** CSV: rows with a whole number that is written with a point, such as `1000.0`. */
export function findWholeDecimals(column: u32): u32 {
  begin(column);
  for (let cell: u32 = 0; cell < cells; cell++) {
    if (tagAt(cell) != Tag.NUMBER) continue;
    const x = load<f64>(base + VALUES + (<usize>cell << 3));
    if (x != Math.floor(x)) add(WholeCount.FRACTIONS);
    else if (hasPoint(load<u64>(base + HASHES + (<usize>cell << 3)))) note(cell);
    else add(WholeCount.PLAIN);
  }
  return found;
}

/** A point behind digits; in scientific notation it tells nothing. */
function hasPoint(slot: u64): bool {
  const at = startOf(slot), to = at + bytesOf(slot);
  let has = false;
  for (let p = at; p < to; p++) {
    const c: u32 = load<u8>(p);
    if ((c | 32) == 0x65) return false;
    has = has || c == POINT;
  }
  return has;
}
