/**
 * Texts that are dates, or dates with a time: to milliseconds since 1970-01-01 (UTC where no zone is written), in the proleptic
 * Gregorian calendar. `form` says how the text is written. Days of months, leap years, leap seconds and days of the week are
 * checked. A year of two digits is read only between slashes, where spreadsheets write it. A text like 01/02/2026 is read only when its order is known.
 */
import { DateClock, DateForm, DateOrder, DateStyle, DateZone, LAST_OF_SECOND } from './abi-dates';

const SPACE: u32 = 0x20, COMMA: u32 = 0x2c, PLUS: u32 = 0x2b, DASH: u32 = 0x2d, DOT: u32 = 0x2e, SLASH: u32 = 0x2f, COLON: u32 = 0x3a;
const DAY: f64 = 86400000;
/** Shortest and longest text that is read: `1/2/26`, and a weekday, a month in full, a fraction and an offset. */
const MIN_BYTES: usize = 6, MAX_BYTES: usize = 64;
/** Eight digits or a year with a month are more often a code, except near our time. */
const FIRST_USUAL_YEAR: u32 = 1900, LAST_USUAL_YEAR: u32 = 2099;

/** How the last date is written: a sum of the parts of `DateForm`; 0 if the text is not a date. */
export let form: u32 = 0;

// The text that is left, and what was read of it.
let at: usize = 0, end: usize = 0;
let year: u32 = 0, month: u32 = 0, day: u32 = 0;
/** Milliseconds since midnight, and minutes east of Greenwich. */
let clock: f64 = 0;
export let east: i32 = 0;

/** The ISO date before, ten bytes, and its day: in most columns many rows have the same. No text begins with bytes of ones. */
let lastHead: u64 = u64.MAX_VALUE, lastTail: u32 = 0, lastDays: i32 = 0;

/** Milliseconds since 1970; NaN when the `length` bytes at `from` are no date. Sixteen bytes must be readable. */
export function dateTime(from: usize, length: usize, order: DateOrder): f64 {
  form = 0;
  if (length < MIN_BYTES || length > MAX_BYTES) return NaN;
  at = from;
  end = from + length;
  clock = 0;
  east = 0;
  let days: i32, found: u32 = DateStyle.ISO;
  if (load<u64>(from) == lastHead && length >= 10 && load<u16>(from, 8) == lastTail) {
    days = lastDays;
    at += 10;
  } else {
    found = readDay(length, order);
    if (found == 0) return NaN;
    days = daysSince1970();
    if (weekday >= 0 && (days + 4 + 7000000) % 7 != weekday) return NaN;
    if (found == DateStyle.ISO) keepDay(from, days);
  }
  if (at < end) {
    const written = readTime(found);
    if (written == 0) return NaN;
    found |= written;
  }
  form = found;
  return <f64>days * DAY + clock - <f64>east * 60000;
}

function keepDay(from: usize, days: i32): void {
  lastHead = load<u64>(from);
  lastTail = load<u16>(from, 8);
  lastDays = days;
}

// @ts-ignore: decorator
@inline function isDigit(c: u32): bool { return c - 48 < 10; }

/** Whether `c` is the next byte. Then it is behind us. */
// @ts-ignore: decorator
@inline function skip(c: u32): bool {
  if (at >= end || load<u8>(at) != c) return false;
  at++;
  return true;
}

/** How many digits follow, at most 15. */
function digitsAhead(): u32 {
  let n: usize = 0;
  while (n < 15 && at + n < end && isDigit(load<u8>(at + n))) n++;
  return <u32>n;
}

/** The number of the next `n` digits, which are there. */
function take(n: u32): u32 {
  let value: u32 = 0;
  for (let i: u32 = 0; i < n; i++) value = value * 10 + (load<u8>(at + <usize>i) - 48);
  at += <usize>n;
  return value;
}

/** A number of one or two digits; of two where `isPadded`. 255 for another one. */
function takeShort(isPadded: bool): u32 {
  const n = digitsAhead();
  return n == 2 || (n == 1 && !isPadded) ? take(n) : 255;
}

/** A year of four digits. 0 is a year too, so another number of digits is u32.MAX_VALUE. */
function takeYear(): u32 { return digitsAhead() == 4 ? take(4) : u32.MAX_VALUE; }

/** A year of two digits: 1969 to 2068, as POSIX reads it. */
function takeShortYear(): u32 { const short = take(2); return short + (short < 69 ? 2000 : 1900); }

// ---- the day ----

/** The day of the week that is written, from Sunday, 0; -1 for none. */
let weekday: i32 = -1;

/** Reads the day. Returns its `DateStyle`, or 0 if there is no day. */
function readDay(length: usize, order: DateOrder): u32 {
  weekday = -1;
  let found: u32 = 0;
  if (isDigit(load<u8>(at))) {
    found = readIsoDate(length);
    if (found == 0) found = readDate(order);
  } else {
    weekday = readWeekday();
    found = readDate(order);
    if (weekday >= 0 && found != DateStyle.NAMED && found != DateStyle.NAMED_FIRST) return 0;
  }
  return isDay() ? found : 0;
}

/** `2026-01-02`, by far the most frequent: its digits and dashes by one comparison. */
// @ts-ignore: decorator
@inline function readIsoDate(length: usize): u32 {
  if (length < 10) return 0;
  const v = i8x16.sub(v128.load(at), i8x16.splat(48));
  // Digits stand at 0 to 3, 5, 6, 8 and 9.
  if ((i8x16.bitmask(i8x16.lt_u(v, i8x16.splat(10))) & 0x3ff) != 0x36f) return 0;
  if (load<u8>(at, 4) != <u8>DASH || load<u8>(at, 7) != <u8>DASH) return 0;
  year = <u32>i8x16.extract_lane_u(v, 0) * 1000 + <u32>i8x16.extract_lane_u(v, 1) * 100 + <u32>i8x16.extract_lane_u(v, 2) * 10 + i8x16.extract_lane_u(v, 3);
  month = <u32>i8x16.extract_lane_u(v, 5) * 10 + i8x16.extract_lane_u(v, 6);
  day = <u32>i8x16.extract_lane_u(v, 8) * 10 + i8x16.extract_lane_u(v, 9);
  at += 10;
  return DateStyle.ISO;
}

/** Any other notation. Returns its `DateStyle`, 0 for none. */
function readDate(order: DateOrder): u32 {
  const n = digitsAhead();
  if (n == 0) return readMonthFirst();
  if (n == 8 || n == 14) return readCompact();
  if (n == 4) return readYearFirst();
  if (n > 2) return 0;
  const first = take(n), separator: u32 = load<u8>(at);
  if (at >= end) return 0;
  at++;
  if (separator != SPACE && separator != DASH && separator != SLASH && separator != DOT) return 0;
  if (at < end && !isDigit(load<u8>(at))) return separator == DOT ? 0 : readNamedMonth(first, separator);
  if (separator == SPACE) return 0;
  const second = takeShort(false);
  if (!skip(separator)) return 0;
  const isShort = separator == SLASH && digitsAhead() == 2;
  year = isShort ? takeShortYear() : takeYear();
  if (separator == DOT) return dayFirst(first, second, DateStyle.DOTTED);
  const style = inOrder(first, second, separator == DASH, order);
  return isShort && style != 0 ? style | DateForm.SHORT_YEAR : style;
}

function dayFirst(first: u32, second: u32, style: DateStyle): u32 {
  day = first;
  month = second;
  return style;
}

function monthFirst(first: u32, second: u32, style: DateStyle): u32 {
  month = first;
  day = second;
  return style;
}

/** Two numbers before the year. A number above 12 is the day; else the order decides. */
function inOrder(first: u32, second: u32, isDashed: bool, order: DateOrder): u32 {
  if (first > 12) return dayFirst(first, second, isDashed ? DateStyle.DAY_DASHED : DateStyle.DAY_SLASHED);
  if (second > 12) return monthFirst(first, second, isDashed ? DateStyle.MONTH_DASHED : DateStyle.MONTH_SLASHED);
  if (order == DateOrder.UNKNOWN && first != second) return 0;
  const style = isDashed ? DateStyle.EITHER_DASHED : DateStyle.EITHER_SLASHED;
  return order == DateOrder.MONTH_FIRST ? monthFirst(first, second, style) : dayFirst(first, second, style);
}

/** `20260102` and `20260102030405`. */
function readCompact(): u32 {
  year = take(4);
  month = take(2);
  day = take(2);
  return isUsualYear() ? DateStyle.COMPACT : 0;
}

// @ts-ignore: decorator
@inline function isUsualYear(): bool { return year >= FIRST_USUAL_YEAR && year <= LAST_USUAL_YEAR; }

/** `2026/1/2`, `2026.01.02`, `2026-1-2` and `2026-01`. */
function readYearFirst(): u32 {
  year = take(4);
  const separator: u32 = at < end ? load<u8>(at) : 0;
  if (separator != SLASH && separator != DOT && separator != DASH) return 0;
  at++;
  const digits = digitsAhead();
  month = takeShort(false);
  if (at == end) {
    day = 1;
    return separator == DASH && digits == 2 && isUsualYear() ? DateStyle.YEAR_MONTH : 0;
  }
  if (!skip(separator)) return 0;
  day = takeShort(false);
  return separator == SLASH ? DateStyle.YEAR_SLASHED : separator == DOT ? DateStyle.YEAR_DOTTED : DateStyle.YEAR_DASHED;
}

/** Behind `2 `, `2-` or `2/`: `Jan 2026`. */
function readNamedMonth(first: u32, separator: u32): u32 {
  day = first;
  month = readName(MONTHS, 12) + 1;
  if (month == 0 || !skip(separator)) return 0;
  year = takeYear();
  return DateStyle.NAMED;
}

/** `Jan 2, 2026`. */
function readMonthFirst(): u32 {
  month = readName(MONTHS, 12) + 1;
  if (month == 0 || !skip(SPACE)) return 0;
  day = takeShort(false);
  skip(COMMA);
  if (!skip(SPACE)) return 0;
  year = takeYear();
  return DateStyle.NAMED_FIRST;
}

/** `Fri, ` or `Friday `: the day of the week from Sunday, 0. Without one, reads nothing and returns -1. */
function readWeekday(): i32 {
  const begin = at, name = <i32>readName(WEEKDAYS, 7);
  if (name >= 0) {
    skip(COMMA);
    if (skip(SPACE)) return name;
  }
  at = begin;
  return -1;
}

/** The first eight letters in lower case. */
const MONTHS: usize = memory.data<u64>([
  0x797261756e616a, 0x7972617572626566, 0x686372616d, 0x6c69727061, 0x79616d, 0x656e756a,
  0x796c756a, 0x747375677561, 0x65626d6574706573, 0x7265626f74636f, 0x7265626d65766f6e, 0x7265626d65636564,
]);
const WEEKDAYS: usize = memory.data<u64>([
  0x7961646e7573, 0x7961646e6f6d, 0x79616473657574, 0x616473656e646577, 0x7961647372756874, 0x796164697266, 0x7961647275746173,
]);

/** The two names of nine letters, without the last one. */
const SEPTEMBE: u64 = 0x65626d6574706573, WEDNESDA: u64 = 0x616473656e646577;

/** The index of the name that is next, whole or its first three letters, in any case. u32.MAX_VALUE for none. */
function readName(names: usize, count: u32): u32 {
  let word: u64 = 0, ninth: u32 = 0, n: u32 = 0;
  for (; at < end && n < 10; at++, n++) {
    const letter: u32 = load<u8>(at) | 32;
    if (letter - 97 >= 26) break;
    if (n < 8) word |= <u64>letter << (n << 3);
    else ninth = ninth << 8 | letter;
  }
  for (let i: u32 = 0; i < count; i++) {
    const name = load<u64>(names + (<usize>i << 3));
    if (n == 3 && word == (name & 0xffffff)) return i;
    if (word == name && ninth == (name == SEPTEMBE ? 0x72 : name == WEDNESDA ? 0x79 : 0)) return i;
  }
  return u32.MAX_VALUE;
}

function isDay(): bool {
  if (month - 1 >= 12 || year > 9999) return false;
  const isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const last: u32 = month == 2 ? 28 + <u32>isLeap : 30 + ((month + (month >> 3)) & 1);
  return day - 1 < last;
}

/** By eras of 400 years that begin in March (Hinnant 2013, days_from_civil), 400 years later so that nothing is negative. */
function daysSince1970(): i32 {
  const y = year + 400 - <u32>(month <= 2), era = y / 400, ofEra = y % 400;
  const ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return <i32>(era * 146097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear) - 719468 - 146097;
}

// ---- the time ----

/** Reads everything behind the day. Returns the parts of `DateForm`, 0 when it is no time. */
function readTime(style: u32): u32 {
  if (style == DateStyle.YEAR_MONTH) return 0;
  const isIso = style == DateStyle.ISO;
  if (style == DateStyle.COMPACT) return readCompactTime();
  let found: u32 = 0;
  if (!isIso) skip(COMMA);
  if (skip(SPACE)) found = DateForm.SPACED;
  else if (!isIso || at + 1 >= end || (load<u8>(at++) | 32) != 0x74) return 0;
  const hours = takeShort(isIso);
  if (!skip(COLON)) return 0;
  const minutes = takeShort(true);
  let seconds: u32 = 0;
  found |= DateClock.MINUTE;
  if (skip(COLON)) {
    seconds = takeShort(true);
    found = (found & ~DateForm.CLOCK) | DateClock.SECOND | readFraction();
  }
  return readZone(hours, minutes, seconds, found, !isIso);
}

/** `T0304`, `T030405` and `030405`. */
function readCompactTime(): u32 {
  const isJoined = at < end && (load<u8>(at) | 32) == 0x74;
  if (isJoined) at++;
  const n = digitsAhead();
  if (n != 6 && (n != 4 || !isJoined)) return 0;
  const hours = take(2), minutes = take(2);
  if (n == 4) return readZone(hours, minutes, 0, DateClock.MINUTE, false);
  const seconds = take(2);
  return readZone(hours, minutes, seconds, DateClock.SECOND | readFraction(), false);
}

/** `.123` and `,123`: a part of a second, of any number of digits. Nine of them count. */
function readFraction(): u32 {
  const isComma = at < end && load<u8>(at) == <u8>COMMA;
  if (!isComma && (at >= end || load<u8>(at) != <u8>DOT)) return 0;
  const begin = at++;
  let value: f64 = 0, scale: f64 = 1, isAny = false;
  for (; at < end && isDigit(load<u8>(at)); at++) {
    isAny = true;
    if (at - begin > 9) continue;
    value = value * 10 + <f64>(load<u8>(at) - 48);
    scale *= 10;
  }
  if (!isAny) {
    // The caller finds the mark in the place of a zone, and stops.
    at = begin;
    return 0;
  }
  clock = min(value * 1000 / scale, LAST_OF_SECOND);
  return DateClock.FRACTION | (isComma ? DateForm.COMMA : 0);
}

/** The rest: AM or PM where a clock of twelve hours is usual, then a zone or nothing. */
function readZone(hours: u32, minutes: u32, seconds: u32, found: u32, mayHaveTwelve: bool): u32 {
  if (mayHaveTwelve && readHalf()) {
    if (hours - 1 >= 12) return 0;
    hours = hours % 12 + (isAfternoon ? 12 : 0);
    found |= DateForm.TWELVE_HOURS;
  }
  const zone = readOffset((found & DateForm.SPACED) != 0);
  if (zone == NO_ZONE || hours > 23 || minutes > 59 || seconds > 60) return 0;
  // A leap second is the last one of a day in UTC.
  if (seconds == 60 && (<i32>(hours * 60 + minutes) - east + 1440) % 1440 != 1439) return 0;
  clock += <f64>(hours * 3600 + minutes * 60 + seconds) * 1000;
  return found | zone;
}

let isAfternoon: bool = false;

/** `AM` or `PM`, in any case, after at most one space. */
function readHalf(): bool {
  const begin = at;
  skip(SPACE);
  if (end - at >= 2 && (load<u8>(at, 1) | 32) == 0x6d) {
    const half: u32 = load<u8>(at) | 32;
    isAfternoon = half == 0x70;
    if (isAfternoon || half == 0x61) {
      at += 2;
      return true;
    }
  }
  at = begin;
  return false;
}

/** What `readOffset` returns for something that is neither a zone nor the end. */
const NO_ZONE: u32 = u32.MAX_VALUE;

/** Reads a zone to the end of the text, and sets `east`. A space may stand before it where one stands before the time. */
function readOffset(maySpace: bool): u32 {
  if (at == end) return 0;
  if (maySpace) skip(SPACE);
  const sign: u32 = at < end ? load<u8>(at) : 0;
  if (sign != PLUS && sign != DASH) return readZoneName();
  at++;
  const n = digitsAhead();
  if (n != 2 && n != 4) return NO_ZONE;
  const hours = take(2), hasColon = n == 2 && skip(COLON);
  const minutes = hasColon || n == 4 ? takeShort(true) : 0;
  if (at != end || hours > 23 || minutes > 59) return NO_ZONE;
  east = <i32>(hours * 60 + minutes) * (sign == DASH ? -1 : 1);
  return hasColon ? DateZone.OFFSET : DateZone.SHORT_OFFSET;
}

/** `Z`, and the names of RFC 2822. */
function readZoneName(): u32 {
  if (end - at > 3) return NO_ZONE;
  let name: u32 = 0;
  for (; at < end; at++) name = name << 8 | <u32>(load<u8>(at) | 32);
  if (name == 0x7a) return DateZone.Z;
  if (name == 0x757463 || name == 0x676d74 || name == 0x7574) return DateZone.NAMED; // utc gmt ut
  const first = name >> 16, isSummer = (name & 0xffff) == 0x6474;
  const west = first == 0x65 ? 5 : first == 0x63 ? 6 : first == 0x6d ? 7 : first == 0x70 ? 8 : 0; // est cst mst pst
  if (west == 0 || (!isSummer && (name & 0xffff) != 0x7374)) return NO_ZONE;
  east = (<i32>isSummer - west) * 60;
  return DateZone.NAMED;
}
