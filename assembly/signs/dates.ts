/** Looks through the texts and numbers of one column for days that do not exist, both orders of day and month, days that may stand for none, and offsets from UTC. */
import { Tag } from '../abi';
import { CompactCount, DateCount, OffsetCount } from '../abi-signs';
import { DateForm, DateOrder, DateStyle } from '../abi-dates';
import { HASHES, KNOWN, TAGS, VALUES } from '../arena';
import { dateTime, east, form } from '../date-time';
import { add, addMany, base, begin, cells, digit, found, note, slotAt, startOf, tagAt } from './cells';

const DAY: f64 = 86400000;
const POINT: u32 = 0x2e, DASH: u32 = 0x2d, SLASH: u32 = 0x2f, SPACE: u32 = 0x20;

/** Rows with a text of one of the kinds `wanted`, a bit for each `DateCount`. Looks at one cell in `step`. */
export function findDates(column: u32, wanted: u32, step: u32): u32 {
  begin(column);
  const count = cells, tags = base + TAGS, slots = base + VALUES;
  let plain: u32 = 0;
  for (let cell: u32 = 0; cell < count; cell += step) {
    if (load<u8>(tags + <usize>cell) != <u8>Tag.STRING) continue;
    const slot = load<u64>(slots + (<usize>cell << 3)), length = <usize>(slot >> 32);
    if (length - 10 <= MOST_BYTES_OF_DATE - 10 && isPlainDay(startOf(slot))) plain++;
    else if (length <= MOST_BYTES_OF_DATE) addDate(cell, startOf(slot), length, wanted);
  }
  addMany(DateCount.DATES, plain);
  return found;
}

/** Hashes of texts that were looked at, in the place of their lowest bits or the one beside it; 0 where none is. They lie where the host will write what it knows. */
const SEEN_SLOTS: u64 = 8192;
const SEEN: usize = KNOWN;
/** Cells that are looked at behind the last of these. */
const REST: u32 = 256;

/** Counts the different texts, and not their cells: at most `most`, and then some of the others. Equal hashes are read without the texts, which are far from each other. */
export function countDistinctDates(column: u32, most: u32): void {
  begin(column);
  memory.fill(SEEN, 0, <usize>SEEN_SLOTS << 3);
  let looked: u32 = 0, step: u32 = 1;
  for (let cell: u32 = 0; cell < cells; cell += step) {
    if (tagAt(cell) != Tag.STRING) continue;
    const hash = load<u64>(base + HASHES + (<usize>cell << 3)), place = SEEN + (<usize>(hash & (SEEN_SLOTS - 1)) << 3), other = place ^ 8;
    if (load<u64>(place) == hash || load<u64>(other) == hash) continue;
    store<u64>(load<u64>(place) == 0 ? place : other, hash);
    if (++looked == most) step = max<u32>(1, (cells - cell) / REST);
    const slot = slotAt(cell), length = <usize>(slot >> 32);
    if (length - 10 <= MOST_BYTES_OF_DATE - 10 && isPlainDay(startOf(slot))) add(DateCount.DATES);
    else if (length <= MOST_BYTES_OF_DATE) addDate(cell, startOf(slot), length, 0);
  }
}

const DATE: u32 = 1 << DateCount.DATES, NO_DATE: u32 = 1 << DateCount.NO_DATES, SENTINEL: u32 = 1 << DateCount.SENTINELS;

const MOST_BYTES_OF_DATE: usize = 64;

function addDate(cell: u32, at: usize, length: usize, wanted: u32): void {
  const kinds = dateKinds(at, length);
  for (let left = kinds; left != 0; left &= left - 1) add(<i32>ctz(left));
  if ((kinds & wanted) != 0) note(cell);
}

/** Bits of `DateCount`. */
function dateKinds(at: usize, length: usize): u32 {
  const time = dateTime(at, length, DateOrder.DAY_FIRST);
  if (form != 0) return kindsOfDate(time);
  if (length == 8) return isCompactYear(at) ? 1 << DateCount.NO_COMPACT : hasShapeOfDate(at, at + length) ? NO_DATE : 0;
  return hasShapeOfDate(at, at + length) ? NO_DATE : 0;
}

const NINE: u8 = 0x39;
const DIGITS: u32 = 0x36f, ISO_DASHES: u32 = 0x90;

/** By month, from 1 on. */
const LAST_DAYS: usize = memory.data<u8>([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 30]);

/** `2026-01-02` and whatever follows, as most are; no first of January, which may stand for an unknown day, and no 29th of February or year from 9000 on. Any other text takes ten times as long. */
// @ts-ignore: decorator
@inline function isPlainDay(at: usize): bool {
  const v = v128.load(at), places = i8x16.sub(v, i8x16.splat(48));
  const digits: u32 = i8x16.bitmask(i8x16.lt_u(places, i8x16.splat(10))), dashes: u32 = i8x16.bitmask(i8x16.eq(v, i8x16.splat(<i8>DASH)));
  if ((digits & 0x3ff) != DIGITS || (dashes & 0x3ff) != ISO_DASHES) return false;
  const month = <u32>i8x16.extract_lane_u(places, 5) * 10 + i8x16.extract_lane_u(places, 6);
  const day = <u32>i8x16.extract_lane_u(places, 8) * 10 + i8x16.extract_lane_u(places, 9);
  return month - 1 < 12 && day - 1 < <u32>load<u8>(LAST_DAYS + <usize>month) && month + day > 2 && load<u8>(at) != NINE;
}

function kindsOfDate(time: f64): u32 {
  const style: u32 = form & DateForm.STYLE;
  if (style == DateStyle.DAY_SLASHED || style == DateStyle.DAY_DASHED) return DATE | (1 << DateCount.DAY_FIRST);
  if (style == DateStyle.MONTH_SLASHED || style == DateStyle.MONTH_DASHED) return DATE | (1 << DateCount.MONTH_FIRST);
  return isNearSentinel(Math.floor(time / DAY), 0) ? DATE | SENTINEL : DATE;
}

/** 1970-01-01, 1900-01-01, 0001-01-01, 9999-12-31 */
// @ts-ignore: decorator
@inline function isNearSentinel(day: f64, days: f64): bool {
  return abs(day) <= days || abs(day + 25567) <= days || abs(day + 719162) <= days || abs(day - 2932896) <= days;
}

const MONTH: f64 = 31;

/** Rows with one of these days; counts other days near them. */
export function findSentinels(column: u32): u32 {
  begin(column);
  for (let cell: u32 = 0; cell < cells; cell++) {
    if (tagAt(cell) != Tag.STRING) continue;
    const slot = slotAt(cell), time = dateTime(startOf(slot), <usize>(slot >> 32), DateOrder.DAY_FIRST);
    if (form == 0) continue;
    const day = Math.floor(time / DAY);
    if (isNearSentinel(day, 0)) {
      add(DateCount.SENTINELS);
      note(cell);
    } else if (isNearSentinel(day, MONTH)) add(DateCount.NEAR_SENTINELS);
  }
  return found;
}

/** Eight digits, the first four of which are a year from 1900 to 2099. */
function isCompactYear(at: usize): bool {
  for (let i: usize = 0; i < 8; i++) if (digit(at + i) >= 10) return false;
  const century = digit(at) * 10 + digit(at + 1);
  return century == 19 || century == 20;
}

/** Rows with a number that would be a day if its month were longer, or its year. */
export function findCompactDays(column: u32): u32 {
  begin(column);
  for (let cell: u32 = 0; cell < cells; cell++) {
    if (tagAt(cell) != Tag.NUMBER) continue;
    const x = load<f64>(base + VALUES + (<usize>cell << 3));
    if (!(x >= FIRST_COMPACT && x <= LAST_COMPACT) || x != Math.floor(x)) continue;
    if (isDay(<u32>x)) add(CompactCount.DAYS);
    else {
      add(CompactCount.NO_DAYS);
      note(cell);
    }
  }
  return found;
}

/** Of eight digits. */
function isDay(digits: u32): bool {
  const year = digits / 10000, month = digits / 100 % 100, day = digits % 100;
  if (month - 1 >= 12) return false;
  const isLeapDay = month == 2 && day == 29 && year % 4 == 0 && year != 1900;
  return isLeapDay || day - 1 < <u32>load<u8>(LAST_DAYS + <usize>month);
}

const FIRST_COMPACT: f64 = 19000000, LAST_COMPACT: f64 = 20999999;

/** Rows with a time of one of the kinds `wanted`, a bit for each `OffsetCount`. Looks at one cell in `step`. */
export function findOffsets(column: u32, wanted: u32, step: u32): u32 {
  begin(column);
  for (let cell: u32 = 0; cell < cells; cell += step) {
    if (tagAt(cell) != Tag.STRING) continue;
    const slot = slotAt(cell);
    dateTime(startOf(slot), <usize>(slot >> 32), DateOrder.DAY_FIRST);
    if ((form & DateForm.CLOCK) == 0) continue;
    const kinds = kindsOfOffset();
    for (let left = kinds; left != 0; left &= left - 1) add(<i32>ctz(left));
    if ((kinds & wanted) != 0) note(cell);
  }
  return found;
}

function kindsOfOffset(): u32 {
  if ((form & DateForm.ZONE) == 0) return 1 << OffsetCount.NONE;
  const written: u32 = 1 << OffsetCount.WITH;
  if (east == 0) return written | 1 << OffsetCount.ZERO;
  if (east > 0) return written | 1 << OffsetCount.EAST | (east > HOUR ? 1 << OffsetCount.FAR_EAST : 0);
  return written | 1 << OffsetCount.WEST | (east < -HOUR ? 1 << OffsetCount.FAR_WEST : 0);
}

const HOUR: i32 = 60;

/** Three numbers with the same one of `-/.` between them, one of them of four digits, and nothing behind but a time. */
function hasShapeOfDate(at: usize, to: usize): bool {
  let p = at;
  while (p < to && digit(p) < 10) p++;
  const first = p - at, separator: u32 = load<u8>(p);
  if (p >= to || (separator != DASH && separator != SLASH && separator != POINT)) return false;
  const second = ++p;
  while (p < to && digit(p) < 10) p++;
  const middle = p - second;
  if (middle - 1 > 1 || p >= to || load<u8>(p) != separator) return false;
  const third = ++p;
  while (p < to && digit(p) < 10) p++;
  const last = p - third;
  if (!(first == 4 && last - 1 <= 1) && !(first - 1 <= 1 && last == 4)) return false;
  return p == to || load<u8>(p) == SPACE || (load<u8>(p) | 32) == 0x74;
}
