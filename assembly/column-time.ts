/** Dates and times as texts of RFC 3339. A time without a zone is taken as UTC. Years beyond four digits get a sign, as in ISO 8601. */

const DAY_SECONDS: i64 = 86400;
const MINUS: u8 = 0x2d, PLUS: u8 = 0x2b, COLON: u8 = 0x3a, POINT: u8 = 0x2e, LETTER_T: u8 = 0x54, LETTER_Z: u8 = 0x5a;

/** Writes `count` digits and returns the end. */
function writeDigits(value: u64, count: u32, at: usize): usize {
  for (let i = at + count; i > at; value /= 10) store<u8>(--i, <u8>(48 + value % 10));
  return at + count;
}

/** The day as year, month and day (Hinnant 2013, "chrono-compatible low-level date algorithms", civil_from_days). */
export function writeDate(days: i64, at: usize): usize {
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

function power(digits: u32): i64 {
  let result: i64 = 1;
  for (; digits != 0; digits--) result *= 10;
  return result;
}

/** A fraction of 0 is left out; one in nanoseconds has 9 digits only where it needs them. */
function writeClock(seconds: i64, fraction: i64, digits: u32, at: usize): usize {
  const hours = seconds / 3600;
  at = writeDigits(hours, hours < 100 ? 2 : 16, at);
  store<u8>(at++, COLON);
  at = writeDigits((seconds / 60) % 60, 2, at);
  store<u8>(at++, COLON);
  at = writeDigits(seconds % 60, 2, at);
  if (fraction == 0) return at;
  if (digits == 9 && fraction % 1000 == 0) { fraction /= 1000; digits = 6; }
  store<u8>(at++, POINT);
  return writeDigits(fraction, digits, at);
}

/** `digits`: 0 for seconds, 3, 6 or 9. A time outside of a day gets a sign, or as many hours as it has. */
export function writeTime(units: i64, digits: u32, at: usize): usize {
  const scale = power(digits);
  if (units >= 0) return writeClock(units / scale, units % scale, digits, at);
  store<u8>(at++, MINUS);
  return writeClock(-(units / scale), -(units % scale), digits, at);
}

export function writeTimestamp(units: i64, digits: u32, at: usize): usize {
  const scale = power(digits);
  let seconds = units / scale, fraction = units % scale;
  if (fraction < 0) { fraction += scale; seconds--; }
  let days = seconds / DAY_SECONDS, rest = seconds % DAY_SECONDS;
  if (rest < 0) { rest += DAY_SECONDS; days--; }
  at = writeDate(days, at);
  store<u8>(at++, LETTER_T);
  at = writeClock(rest, fraction, digits, at);
  store<u8>(at++, LETTER_Z);
  return at;
}
