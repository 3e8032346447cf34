/** Dates and times as texts of RFC 3339. A time without a zone is taken as UTC. Years beyond four digits get a sign, as in ISO 8601. */

const DAY_SECONDS: i64 = 86400;
const MINUS: u8 = 0x2d, PLUS: u8 = 0x2b, COLON: u8 = 0x3a, POINT: u8 = 0x2e, LETTER_T: u8 = 0x54, LETTER_Z: u8 = 0x5a;

/** Days whose text is kept: the bytes, and the day as a number that is not 0. A column has the same days again and again. */
const DAYS: u32 = 512;
const KEPT: usize = memory.data(<i32>DAYS * 16);
/** From year 0 to 9999, whose texts have ten bytes. */
const FIRST_DAY: i64 = -719528, LAST_DAY: i64 = 2932896;
/** 2^32: less fits a u32. */
const SMALL: u64 = 4294967296;

// A division of 64 bits takes as long as ten of 32, and one of 32 as long as five multiplications.
// @ts-ignore: decorator
@inline function by60(x: u32): u32 { return <u32>(<u64>x * 2290649225 >> 37); }
// @ts-ignore: decorator
@inline function by100(x: u32): u32 { return <u32>(<u64>x * 1374389535 >> 37); }

/** Writes the two digits of a number below 100. */
// @ts-ignore: decorator
@inline function writePair(value: u32, at: usize): void {
  const tens = value * 103 >> 10;
  store<u16>(at, <u16>(0x3030 + tens + (value - 10 * tens << 8)));
}

/** Writes `count` digits and returns the end. */
function writeDigits(value: u64, count: u32, at: usize): usize {
  let i = at + count;
  for (; value >= SMALL && i > at; value /= 10) store<u8>(--i, <u8>(48 + value % 10));
  let left = <u32>value;
  for (; i >= at + 2; i -= 2) {
    const rest = by100(left);
    writePair(left - 100 * rest, i - 2);
    left = rest;
  }
  if (i > at) store<u8>(at, <u8>(48 + left % 10));
  return at + count;
}

/** Writes a day, from a table where it is of a usual year. Days since 1970. */
export function writeDay(days: i64, at: usize): usize {
  if (days < FIRST_DAY || days > LAST_DAY) return writeDate(days, at);
  const kept = KEPT + (<usize>(<u32>days & (DAYS - 1)) << 4), key = <u32>(days - FIRST_DAY) + 1;
  if (load<u32>(kept, 12) != key) {
    writeDate(days, kept);
    store<u32>(kept, key, 12);
  }
  store<u64>(at, load<u64>(kept));
  store<u16>(at, load<u16>(kept, 8), 8);
  return at + 10;
}

/** The day as year, month and day (Hinnant 2013, "chrono-compatible low-level date algorithms", civil_from_days). */
function writeDate(days: i64, at: usize): usize {
  const shifted = days + 719468;
  const era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const shiftedMonth = (5 * dayOfYear + 2) / 153;
  const day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  at = writeYear(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), at);
  store<u8>(at++, MINUS);
  at = writeDigits(month, 2, at);
  store<u8>(at++, MINUS);
  return writeDigits(day, 2, at);
}

function writeYear(year: i64, at: usize): usize {
  if (year >= 0 && year <= 9999) return writeDigits(year, 4, at);
  store<u8>(at++, year < 0 ? MINUS : PLUS);
  const magnitude: u64 = year < 0 ? 0 - year : year;
  return writeDigits(magnitude, magnitude < 1000000 ? 6 : 12, at);
}

function power(digits: u32): u64 {
  let result: u64 = 1;
  for (; digits != 0; digits--) result *= 10;
  return result;
}

/** A fraction of 0 is left out; one in nanoseconds has 9 digits only where it needs them. */
function writeClock(seconds: u64, fraction: u64, digits: u32, at: usize): usize {
  const hours = seconds / 3600, rest = <u32>(seconds - hours * 3600), minutes = by60(rest);
  at = writeDigits(hours, hours < 100 ? 2 : 16, at);
  store<u8>(at, COLON);
  writePair(minutes, at + 1);
  store<u8>(at, COLON, 3);
  writePair(rest - 60 * minutes, at + 4);
  at += 6;
  if (fraction == 0) return at;
  if (digits == 9 && fraction % 1000 == 0) { fraction /= 1000; digits = 6; }
  store<u8>(at++, POINT);
  return writeDigits(fraction, digits, at);
}

/** `digits`: 0 for seconds, 3, 6 or 9. A negative time gets a sign. From 100 on, hours have 16 digits. */
export function writeTime(units: i64, digits: u32, at: usize): usize {
  const scale = power(digits), magnitude: u64 = units < 0 ? 0 - units : units;
  if (units < 0) store<u8>(at++, MINUS);
  return writeClock(magnitude / scale, magnitude % scale, digits, at);
}

export function writeTimestamp(units: i64, digits: u32, at: usize): usize {
  const scale = <i64>power(digits);
  let seconds = units / scale, fraction = units - seconds * scale;
  if (fraction < 0) { fraction += scale; seconds--; }
  let days = seconds / DAY_SECONDS, rest = seconds - days * DAY_SECONDS;
  if (rest < 0) { rest += DAY_SECONDS; days--; }
  at = writeDay(days, at);
  store<u8>(at++, LETTER_T);
  at = writeClock(rest, fraction, digits, at);
  store<u8>(at++, LETTER_Z);
  return at;
}
