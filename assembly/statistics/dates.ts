/**
 * Dates among the inspected texts: how many there are, in how many forms, to which unit they are exact, between which times they
 * lie, and at which hours. The order of day and month is that of the column's texts that leave no choice.
 */
import { Column, MAX_INSPECTED, Tag } from '../abi';
import { DATE_FORMS, DateForm, DateOrder, DateStyle } from '../abi-dates';
import { DATE_FORM_COUNTS, DATE_HOURS, DATE_TIMES, DATE_TIMES_OTHER, get, put } from '../arena';
import { dateTime, form } from '../date-time';
import { cellCount, tags, values } from '../gather';
import { putDistribution } from './frequencies';
import { digitBits, findText, textAt, textLength, upperBits } from './text';

const DAY: f64 = 86400000, HOURS_OF_BUCKET: f64 = 5400000;
/** So few dates show no range. */
const MIN_DATES: u32 = 8;

/** If none of so many texts is a date, the others are not looked at. */
const TRIED: u32 = 48;

let tried: u32 = 0, dates: u32 = 0, dayFirst: u32 = 0, monthFirst: u32 = 0, either: u32 = 0;

export function beginDates(): void {
  tried = 0;
  dates = 0;
  dayFirst = 0;
  monthFirst = 0;
  either = 0;
}

/** Texts with fewer digits than 1/2/26, and those that begin with neither a digit nor a name in capitals, are left out at once. */
// @ts-ignore: decorator
@inline function mayBeDate(): bool { return popcnt(digitBits) >= 4 && ((digitBits | upperBits) & 1) != 0; }

/** The text at hand. */
export function addDate(): void {
  if (dates == 0 && tried == TRIED) return;
  tried++;
  if (!mayBeDate()) return;
  const at = textAt, length = textLength, time = dateTime(at, length, DateOrder.DAY_FIRST);
  if (form == 0) return;
  const style = form & DateForm.STYLE, found = form;
  let other = time;
  if (style == DateStyle.EITHER_SLASHED || style == DateStyle.EITHER_DASHED) {
    other = dateTime(at, length, DateOrder.MONTH_FIRST);
    either++;
  }
  dayFirst += <u32>(style == DateStyle.DAY_SLASHED || style == DateStyle.DAY_DASHED);
  monthFirst += <u32>(style == DateStyle.MONTH_SLASHED || style == DateStyle.MONTH_DASHED);
  assert(dates < <u32>MAX_INSPECTED, 'more dates than inspected cells');
  store<f64>(DATE_TIMES + (<usize>dates << 3), time);
  store<f64>(DATE_TIMES_OTHER + (<usize>dates << 3), other);
  store<u16>(DATE_FORM_COUNTS + FORM_LIST + (<usize>dates << 1), <u16>familyOf(found));
  dates++;
}

/** Forms that one writer mixes: a fraction that is left out where it is 0, and days and months of one or two digits in either order. */
function familyOf(found: u32): u32 {
  const style = found & DateForm.STYLE;
  let family = found & ~DateForm.STYLE;
  if (style == DateStyle.DAY_SLASHED || style == DateStyle.MONTH_SLASHED) family |= DateStyle.EITHER_SLASHED;
  else if (style == DateStyle.DAY_DASHED || style == DateStyle.MONTH_DASHED) family |= DateStyle.EITHER_DASHED;
  else family |= style;
  return (family & DateForm.CLOCK) == DateForm.CLOCK ? (family & ~DateForm.CLOCK) | 32 : family;
}

/** Behind the counts of all forms lies the form of each date. */
export const FORM_LIST: usize = <usize>DATE_FORMS * 2;

export function putDates(record: usize): void {
  put(record, Column.DATES, <f64>dates);
  if (dates == 0) return;
  putForms(record);
  const order = dayFirst == 0 && monthFirst > 0 ? DateOrder.MONTH_FIRST : monthFirst == 0 && dayFirst > 0 ? DateOrder.DAY_FIRST : DateOrder.UNKNOWN;
  put(record, Column.DATE_ORDER, <f64>order);
  if (either != 0 && order == DateOrder.UNKNOWN) return;
  const times = order == DateOrder.MONTH_FIRST ? DATE_TIMES_OTHER : DATE_TIMES;
  putHours(record, times);
  sort(times, dates);
  put(record, Column.DATE_UNIT, unitOf(times));
  if (dates < MIN_DATES) return;
  // A fiftieth of the dates, and one at least, may lie beyond.
  const beyond = max<u32>(1, dates / 50);
  put(record, Column.DATE_LOW, load<f64>(times + (<usize>beyond << 3)));
  put(record, Column.DATE_HIGH, load<f64>(times + (<usize>(dates - 1 - beyond) << 3)));
}

/** How many forms there are, the most frequent one, and how often it occurs. */
function putForms(record: usize): void {
  let most: u32 = 0, usual: u32 = 0, distinct: u32 = 0;
  for (let i: usize = 0; i < <usize>dates; i++) {
    const each: u32 = load<u16>(DATE_FORM_COUNTS + FORM_LIST + (i << 1)), at = DATE_FORM_COUNTS + (<usize>each << 1);
    const count: u32 = load<u16>(at) + 1;
    store<u16>(at, <u16>count);
    distinct += <u32>(count == 1);
    if (count > most) {
      most = count;
      usual = each;
    }
  }
  for (let i: usize = 0; i < <usize>dates; i++) store<u16>(DATE_FORM_COUNTS + (<usize>load<u16>(DATE_FORM_COUNTS + FORM_LIST + (i << 1)) << 1), 0);
  put(record, Column.DATE_FORMS, <f64>distinct);
  put(record, Column.TOP_DATE_FORM, <f64>most);
  put(record, Column.DATE_FORM, <f64>usual);
}

/** Milliseconds of the longest of day, hour, minute, second, millisecond that all dates are multiples of; 0 for less. */
function unitOf(times: usize): f64 {
  let unit = DAY;
  for (let i: usize = 0; i < <usize>dates; i++) {
    const time = load<f64>(times + (i << 3));
    while (unit > 0 && time != Math.floor(time / unit) * unit) unit = unit == DAY ? 3600000 : unit == 3600000 ? 60000 : unit == 60000 ? 1000 : unit == 1000 ? 1 : 0;
  }
  return unit;
}

/** Of dates with a time. A bucket is an hour and a half. */
function putHours(record: usize, times: usize): void {
  let n: u32 = 0;
  for (let i: usize = 0; i < <usize>dates; i++) {
    if ((load<u16>(DATE_FORM_COUNTS + FORM_LIST + (i << 1)) & <u16>DateForm.CLOCK) == 0) continue;
    const time = load<f64>(times + (i << 3)), bucket = <u64>((time - Math.floor(time / DAY) * DAY) / HOURS_OF_BUCKET);
    store<u64>(DATE_HOURS + (<usize>n << 3), bucket << 8);
    n++;
  }
  put(record, Column.TIMED_DATES, <f64>n);
  if (n != 0) putDistribution(record + (<usize>Column.FIRST_HOUR_BUCKET << 3), DATE_HOURS, n);
}

/** By insertion: dates of rows that follow one another are often in order already. */
function sort(times: usize, n: u32): void {
  for (let i: u32 = 1; i < n; i++) {
    const time = load<f64>(times + (<usize>i << 3));
    let at = times + (<usize>i << 3);
    for (; at > times && load<f64>(at - 8) > time; at -= 8) store<f64>(at, load<f64>(at - 8));
    store<f64>(at, time);
  }
}

// ---- questions ----

/** Whether the text at hand is a date. */
export function isDate(): bool {
  if (!mayBeDate()) return false;
  dateTime(textAt, textLength, DateOrder.DAY_FIRST);
  return form != 0;
}

export let earliest: f64 = 0, latest: f64 = 0;

/** Finds the earliest and the latest date of the gathered column's texts: NaN without one. `doubled`: as in `findText`. */
export function findRange(record: usize, doubled: bool): void {
  const order = <DateOrder>get(record, Column.DATE_ORDER);
  earliest = Infinity;
  latest = -Infinity;
  likeLength = 0;
  // In rows in order of time, all others are between the first and the last one.
  if (cellCount != 0) lookAt(cellCount - 1, order, doubled);
  for (let cell: u32 = 0; cell < cellCount; cell++) lookAt(cell, order, doubled);
  if (earliest > latest) earliest = latest = NaN;
}

// @ts-ignore: decorator
@inline function lookAt(cell: u32, order: DateOrder, doubled: bool): void {
  if (load<u8>(tags + <usize>cell) != <u8>Tag.STRING) return;
  const slot = load<u64>(values + (<usize>cell << 3));
  if (isBetween(slot)) return;
  findText(slot, doubled);
  const time = dateTime(textAt, textLength, order);
  if (form == 0) return;
  if (time < earliest) earliest = time;
  if (time > latest) latest = time;
  widen();
}

// Dates like `2026-01-02T03:04:05Z` with the same length sort as their times do, except in a leap second. In most columns all texts are written so, and few
// have to be read: those between the least and the greatest so far change nothing, whether they are dates or not.

/** Texts are compared up to the seconds. */
const COMPARED: usize = 19;
/** Length of these texts; 0 before the first one. */
let likeLength: usize = 0;
/** First sixteen bytes of one of these texts, and a mask of the separators in them. */
let like: v128 = i8x16.splat(0);
const SEPARATORS: v128 = i8x16(0, 0, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0);
const T: u8 = 0x54, SPACE: u8 = 0x20, Z: u8 = 0x5a, COLON: u8 = 0x3a, SIX: u8 = 0x36;
/** Bytes 0 to 15, and 15 to 18 as numbers that sort as the bytes do, of the least and the greatest text. */
let least: v128 = i8x16.splat(0), greatest: v128 = i8x16.splat(0);
let leastTail: u32 = 0, greatestTail: u32 = 0;

// @ts-ignore: decorator
@inline function tailOf(at: usize): u32 { return bswap(load<u32>(at, 15)); }

/** Whether the text of a cell is written like the others and sorts between the least and the greatest. Nearly all do, so nothing is kept of it. */
// @ts-ignore: decorator
@inline function isBetween(slot: u64): bool {
  // A text that has to be decoded has another length.
  if (likeLength == 0 || <usize>(slot >> 32) != likeLength) return false;
  const at = <usize>(slot & 0xffffffff), text = v128.load(at), tail = tailOf(at);
  return isLike(at, text) && sortsFirst(least, leastTail, text, tail) && sortsFirst(text, tail, greatest, greatestTail);
}

/** Whether a text of the same length has the separators and the end of the others, and no leap second. */
// @ts-ignore: decorator
@inline function isLike(at: usize, text: v128): bool {
  if (load<u8>(at, 16) != COLON || load<u8>(at, 17) == SIX) return false;
  if (likeLength != COMPARED && load<u8>(at + likeLength - 1) != Z) return false;
  return !v128.any_true(v128.and(v128.xor(text, like), SEPARATORS));
}

/** By the first byte in which they differ. */
// @ts-ignore: decorator
@inline function sortsFirst(text: v128, tail: u32, other: v128, otherTail: u32): bool {
  const below = i8x16.bitmask(i8x16.lt_u(text, other)), differing = below | i8x16.bitmask(i8x16.gt_u(text, other));
  return differing == 0 ? tail < otherTail : (below & differing & -differing) != 0;
}

/** Makes the date at hand the least or the greatest, if it is written like the others. The first one sets how they are written. */
function widen(): void {
  const isFirst = likeLength == 0;
  if (isFirst && !begin()) return;
  const text = v128.load(textAt), tail = tailOf(textAt);
  if (textLength != likeLength || !isLike(textAt, text)) {
    if (isFirst) likeLength = 0;
    return;
  }
  if (isFirst || sortsFirst(text, tail, least, leastTail)) {
    least = text;
    leastTail = tail;
  }
  if (isFirst || sortsFirst(greatest, greatestTail, text, tail)) {
    greatest = text;
    greatestTail = tail;
  }
}

/** Sets how texts are written to that of the date at hand. False unless it is in ISO's notation, to seconds or finer. */
function begin(): bool {
  if ((form & DateForm.STYLE) != DateStyle.ISO || textLength < COMPARED) return false;
  const between = load<u8>(textAt, 10);
  if ((between != T && between != SPACE) || load<u8>(textAt, 13) != COLON) return false;
  likeLength = textLength;
  like = v128.load(textAt);
  return true;
}
