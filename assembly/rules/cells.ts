/** What a cell is to a rule: a text, a number, a date. In CSV numbers are texts too, and texts that look like numbers are numbers. */
import { Tag } from '../abi';
import { DateOrder, DateForm, DateStyle } from '../abi-dates';
import { cellsOf, edgeOf, HASHES, TAGS, VALUES } from '../arena';
import { COUNT, isSparse, rowOf } from '../column';
import { dateTime, form } from '../date-time';
import { isLarge, restIn } from '../exact';
import { number, scanNumber } from '../number';
import { fromRow, toRow } from './failing';
import { instant } from './instants';
import { bytesOf, doubled, isEscaped, plainAt, plainBytes, readPlain, startOf, TOO_LONG } from './texts';

/** A field that the batch lacks. */
export const NO_COLUMN: u32 = u32.MAX_VALUE;
/** No cell of that row. */
export const NO_CELL: u32 = u32.MAX_VALUE;
/** In place of the slot of a cell that is no text. */
export const NO_TEXT: u64 = u64.MAX_VALUE;
const SPACE: u32 = 32;

// @ts-ignore: decorator
@inline export function countOf(column: u32): u32 { return column == NO_COLUMN ? 0 : load<u32>(edgeOf(column), COUNT); }

// @ts-ignore: decorator
@inline export function tagAt(base: usize, cell: u32): u32 { return load<u8>(base + TAGS + <usize>cell); }

// @ts-ignore: decorator
@inline export function isText(tag: u32): bool { return tag == Tag.STRING || tag == Tag.EMPTY; }

/** Index of the first cell in this row or a later one; the number of cells if there is no such cell. */
function cellFrom(column: u32, row: u32): u32 {
  const count = countOf(column);
  if (count == 0) return 0;
  const edge = edgeOf(column), base = cellsOf(column);
  if (!isSparse(edge)) return min(row, count);
  let low: u32 = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rowOf(edge, base, middle) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The cell of a row; NO_CELL where the row lacks the field. */
export function cellOf(column: u32, row: u32): u32 {
  const cell = cellFrom(column, row);
  return cell < countOf(column) && rowOf(edgeOf(column), cellsOf(column), cell) == row ? cell : NO_CELL;
}

/** The cells of the rows that the check looks at: from the first up to the second. */
export function firstCell(column: u32): u32 { return cellFrom(column, fromRow); }
export function endCell(column: u32): u32 { return cellFrom(column, toRow); }

/** The slot of its text; NO_TEXT if the value is not a text. */
// @ts-ignore: decorator
@inline export function textSlot(base: usize, cell: u32): u64 {
  const tag = tagAt(base, cell);
  if (isText(tag)) return load<u64>(base + VALUES + (<usize>cell << 3));
  return doubled ? csvTextSlot(base, cell, tag) : NO_TEXT;
}

/** A CSV cell keeps its text: a number in the place of its hash, a boolean in that of its value. */
function csvTextSlot(base: usize, cell: u32, tag: u32): u64 {
  if (tag == Tag.NUMBER) return load<u64>(base + HASHES + (<usize>cell << 3));
  return tag == Tag.TRUE || tag == Tag.FALSE ? load<u64>(base + VALUES + (<usize>cell << 3)) : NO_TEXT;
}

/** Where the slot of its text is; 0 if the value is not a text. */
export function textSlotOf(column: u32, cell: u32): usize {
  const base = cellsOf(column), tag = tagAt(base, cell);
  if (isText(tag) || (doubled && (tag == Tag.TRUE || tag == Tag.FALSE))) return base + VALUES + (<usize>cell << 3);
  return doubled && tag == Tag.NUMBER ? base + HASHES + (<usize>cell << 3) : 0;
}

/** Tag.TRUE or Tag.FALSE where a cell is a boolean, else 0. */
// @ts-ignore: decorator
@inline export function booleanAt(base: usize, cell: u32): u32 {
  const tag = tagAt(base, cell);
  if (tag == Tag.TRUE || tag == Tag.FALSE) return tag;
  return doubled && tag == Tag.STRING ? booleanIn(load<u64>(base + VALUES + (<usize>cell << 3))) : 0;
}

/** `true` or `false` in any case. Sixteen bytes are readable behind every text. */
export function booleanIn(slot: u64): u32 {
  const word = load<u64>(startOf(slot)) | 0x2020202020, length = <u32>(slot >> 32);
  if (length == 4 && (word & 0xffffffff) == 0x65757274) return Tag.TRUE;
  return length == 5 && (word & 0xffffffffff) == 0x65736c6166 ? Tag.FALSE : 0;
}

/** The number in a cell; NaN if the cell is not a number. */
// @ts-ignore: decorator
@inline export function numberAt(base: usize, cell: u32): f64 {
  const tag = tagAt(base, cell);
  if (tag == Tag.NUMBER) return load<f64>(base + VALUES + (<usize>cell << 3));
  return doubled && tag == Tag.STRING ? numberIn(load<u64>(base + VALUES + (<usize>cell << 3))) : NaN;
}

/** What the double `x`, which `numberAt` gave, lacks: 0 but for integers of more than 53 bits. */
// @ts-ignore: decorator
@inline export function restAt(base: usize, cell: u32, x: f64): i64 { return isLarge(x) ? restOfCell(base, cell, x) : 0; }

function restOfCell(base: usize, cell: u32, x: f64): i64 {
  const slot = tagAt(base, cell) == Tag.NUMBER ? HASHES : VALUES;
  return restIn(x, load<u64>(base + slot + (<usize>cell << 3)));
}

/** The number that the cell of a row is, which has one. */
export function numberOf(column: u32, row: u32): f64 { return numberAt(cellsOf(column), cellOf(column, row)); }

/** The number in a text, with or without spaces around it; NaN if the text is not a number. */
export function numberIn(slot: u64): f64 {
  if (isEscaped(slot)) return NaN;
  let p = startOf(slot), to = p + bytesOf(slot);
  while (p < to && load<u8>(p) == SPACE) p++;
  while (to > p && load<u8>(to - 1) == SPACE) to--;
  return p < to && scanNumber(p, true) == <isize>to ? number : NaN;
}

/** The milliseconds of the date in a text; NaN if the text is not a date. */
// @ts-ignore: decorator
@inline export function dateIn(slot: u64, order: DateOrder): f64 {
  if (!isEscaped(slot)) {
    const ms = instant(startOf(slot), bytesOf(slot));
    return isNaN(ms) ? dateTime(startOf(slot), bytesOf(slot), order) : ms;
  }
  readPlain(slot);
  return plainBytes == TOO_LONG ? NaN : dateTime(plainAt, plainBytes, order);
}

/** The milliseconds of a cell whose text is written as programs write moments; NaN for any other cell. Such a text is neither a number nor a boolean. */
// @ts-ignore: decorator
@inline export function instantAt(base: usize, cell: u32): f64 {
  if (tagAt(base, cell) != Tag.STRING) return NaN;
  const slot = load<u64>(base + VALUES + (<usize>cell << 3));
  return isEscaped(slot) ? NaN : instant(startOf(slot), bytesOf(slot));
}

/** The same, and `form` of `date-time.ts` says how it is written. */
export function formedDateIn(slot: u64, order: DateOrder): f64 {
  readPlain(slot);
  return plainBytes == TOO_LONG ? NaN : dateTime(plainAt, plainBytes, order);
}

/** Texts that are looked at for the order of day and month. */
const ORDER_TEXTS: u32 = 1000;

/** Which number of `01/02/2026` is the day, by the first text of the column that tells; UNKNOWN where none does. */
export function orderOf(column: u32): DateOrder {
  const base = cellsOf(column), count = countOf(column);
  let left = ORDER_TEXTS;
  for (let cell: u32 = 0; cell < count && left > 0; cell++) {
    if (!isText(tagAt(base, cell))) continue;
    left--;
    if (isNaN(formedDateIn(load<u64>(base + VALUES + (<usize>cell << 3)), DateOrder.UNKNOWN))) continue;
    const style: u32 = form & DateForm.STYLE;
    if (style == DateStyle.DAY_SLASHED || style == DateStyle.DAY_DASHED) return DateOrder.DAY_FIRST;
    if (style == DateStyle.MONTH_SLASHED || style == DateStyle.MONTH_DASHED) return DateOrder.MONTH_FIRST;
    // The first text that is a date in another style tells enough of a column: dates are written alike.
    if (style == DateStyle.ISO) return DateOrder.UNKNOWN;
  }
  return DateOrder.UNKNOWN;
}
