/** Rules about single cells: whether there is a value, its type, its range, the length of its text, how it is written as a date. */
import { TextFormat, Declared, Tag } from '../abi';
import { DateClock, DateForm, DateOrder, DateStyle, DateZone } from '../abi-dates';
import { cellsOf, DECODE, edgeOf, TAGS, VALUES } from '../arena';
import { isSparse, rowOf } from '../column';
import { dateTime, form } from '../date-time';
import { booleanAt, countOf, dateIn, endCell, firstCell, formedDateIn, NO_COLUMN, NO_TEXT, numberAt, orderOf, tagAt, textSlot } from './cells';
import { flag, flags, flagUndecided, fromRow, isChosen, toRow } from './failing';
import { instant } from './instants';
import { bytesOf, charactersIn, doubled, isEscaped, plainAt, plainBytes, readPlain, startOf } from './texts';
import { isUuid } from './uuid';

/** Flags rows without a value. */
export function flagNulls(column: u32): void {
  memory.fill(flags + <usize>fromRow, 1, <usize>(toRow - fromRow));
  if (column == NO_COLUMN) return;
  const edge = edgeOf(column), base = cellsOf(column), end = endCell(column);
  let cell = firstCell(column);
  if (!isSparse(edge)) {
    const nulls = i8x16.splat(<i8>Tag.NULL), one = i8x16.splat(1);
    for (; cell + 16 <= end; cell += 16)
      v128.store(flags + <usize>cell, v128.and(i8x16.eq(v128.load(base + TAGS + <usize>cell), nulls), one));
  }
  for (; cell < end; cell++) flag(rowOf(edge, base, cell), tagAt(base, cell) == Tag.NULL);
}

/** Flags rows that have the field, null or not. */
export function flagPresent(column: u32): void {
  if (column == NO_COLUMN) return;
  const edge = edgeOf(column), base = cellsOf(column), end = endCell(column);
  for (let cell = firstCell(column); cell < end; cell++) flag(rowOf(edge, base, cell), true);
}

/** Flags values that have none of the `types`. */
export function flagTypes(column: u32, types: u32): void {
  const edge = edgeOf(column), base = cellsOf(column), end = endCell(column);
  for (let cell = firstCell(column); cell < end; cell++) {
    if (tagAt(base, cell) != Tag.NULL) flag(rowOf(edge, base, cell), (typesAt(base, cell) & types) == 0);
  }
}

/** All types that a value has. In CSV everything is a text too. */
function typesAt(base: usize, cell: u32): u32 {
  const tag = tagAt(base, cell);
  if (tag == Tag.OBJECT) return Declared.OBJECT;
  if (tag == Tag.ARRAY) return Declared.ARRAY;
  const text: u32 = doubled || tag == Tag.STRING || tag == Tag.EMPTY ? Declared.STRING : 0;
  if (booleanAt(base, cell) != 0) return text | Declared.BOOLEAN;
  const x = numberAt(base, cell);
  return isNaN(x) ? text : text | Declared.NUMBER | (trunc(x) == x ? <u32>Declared.INTEGER : 0);
}

/** Flags numbers outside `low` .. `high`; where `open`, also those that equal a bound. */
export function flagOutside(column: u32, low: f64, high: f64, open: bool): void {
  const edge = edgeOf(column), base = cellsOf(column), end = endCell(column);
  for (let cell = firstCell(column); cell < end; cell++) {
    const x = numberAt(base, cell);
    // Of NaN, which is no number, every comparison is false.
    if (x < low || x > high || (open && (x == low || x == high))) flag(rowOf(edge, base, cell), true);
  }
}

/**
 * Flags numbers that are no multiple of `m` / `scale`, where `scale` is a power of ten and both are integers below 2^53. A number n / scale is
 * one double (Clinger 1990), so a double is the decimal that its reader meant. The host decides about larger numbers.
 */
export function flagNoMultiples(column: u32, m: f64, scale: f64): void {
  const edge = edgeOf(column), base = cellsOf(column), end = endCell(column);
  for (let cell = firstCell(column); cell < end; cell++) {
    const x = numberAt(base, cell);
    if (isNaN(x) || x == 0) continue;
    const n = nearest(x * scale);
    if (abs(n) >= 9007199254740992) flagUndecided(rowOf(edge, base, cell));
    else flag(rowOf(edge, base, cell), n / scale != x || <i64>n % <i64>m != 0);
  }
}

/** Flags texts of fewer than `least` or more than `most` characters. */
export function flagLengths(column: u32, least: u32, most: u32): void {
  const edge = edgeOf(column), base = cellsOf(column), end = endCell(column);
  for (let cell = firstCell(column); cell < end; cell++) {
    const slot = textSlot(base, cell);
    if (slot == NO_TEXT) continue;
    const bytes = <u32>bytesOf(slot);
    // A character has one to four bytes; an escaped one up to twelve.
    if (bytes <= most && <u64>bytes >= <u64>least * (isEscaped(slot) ? 12 : 4)) continue;
    const length = charactersIn(slot);
    flag(rowOf(edge, base, cell), length < least || length > most);
  }
}

// ---- formats ----

/** Flags texts that are not written as `format` says. */
export function flagMisformed(column: u32, format: TextFormat): void {
  const edge = edgeOf(column), base = cellsOf(column), end = endCell(column);
  for (let cell = firstCell(column); cell < end; cell++) {
    const slot = textSlot(base, cell);
    if (slot != NO_TEXT) flag(rowOf(edge, base, cell), !(format == TextFormat.UUID ? isUuid(slot) : isDate(slot, format)));
  }
}

/** RFC 3339, where the offset may be missing, and a space may stand for the T. */
const UNUSUAL: u32 = DateForm.TWELVE_HOURS | DateForm.COMMA;

function isDate(slot: u64, format: TextFormat): bool {
  if (format == TextFormat.DATE_TIME && !isEscaped(slot) && !isNaN(instant(startOf(slot), bytesOf(slot)))) return true;
  const ms = format == TextFormat.TIME ? timeIn(slot) : formedDateIn(slot, DateOrder.UNKNOWN);
  if (isNaN(ms) || (form & DateForm.STYLE) != DateStyle.ISO || (form & UNUSUAL) != 0) return false;
  const clock: u32 = form & DateForm.CLOCK, zone: u32 = form & DateForm.ZONE;
  if (format == TextFormat.DATE) return clock == 0;
  return clock >= <u32>DateClock.SECOND && zone != DateZone.SHORT_OFFSET && zone != DateZone.NAMED;
}

/** Bytes that a time may have. */
const MAX_TIME: usize = 48;
const DAY_BYTES: usize = 11;

/** A time alone, read behind a day. */
function timeIn(slot: u64): f64 {
  readPlain(slot);
  if (plainBytes > MAX_TIME) return NaN;
  memory.copy(DECODE + DAY_BYTES, plainAt, plainBytes);
  // 2000-01-01T
  store<u64>(DECODE, 0x2d31302d30303032);
  store<u16>(DECODE, 0x3130, 8);
  store<u8>(DECODE, 0x54, 10);
  return dateTime(DECODE, DAY_BYTES + plainBytes, DateOrder.UNKNOWN);
}

/** Epoch times: seconds and milliseconds of the years 1990 to 2100. */
const FIRST_SECOND: f64 = 631152000, LAST_SECOND: f64 = 4102444800;

/** The newest date of the chosen rows in ms; NaN without one. */
export function newestDate(column: u32): f64 {
  let newest: f64 = NaN;
  const edge = edgeOf(column), base = cellsOf(column), count = countOf(column), order = orderOf(column);
  for (let cell: u32 = 0; cell < count; cell++) {
    if (!isChosen(rowOf(edge, base, cell))) continue;
    const ms = momentAt(base, cell, order);
    if (!(ms <= newest) && !isNaN(ms)) newest = ms;
  }
  return newest;
}

function momentAt(base: usize, cell: u32, order: DateOrder): f64 {
  const tag = tagAt(base, cell);
  if (tag == Tag.NUMBER) {
    const x = load<f64>(base + VALUES + (<usize>cell << 3));
    if (x >= FIRST_SECOND && x <= LAST_SECOND) return x * 1000;
    if (x >= FIRST_SECOND * 1000 && x <= LAST_SECOND * 1000) return x;
  }
  const slot = textSlot(base, cell);
  return slot == NO_TEXT ? NaN : dateIn(slot, order);
}
