/** Two values beside each other: which comes first, and whether they are the same. */
import { Tag } from '../abi';
import { DateOrder } from '../abi-dates';
import { HASHES, VALUES } from '../arena';
import { isLarge } from '../exact';
import { booleanAt, dateIn, isText, NO_TEXT, numberAt, restAt, tagAt, textSlot } from './cells';
import { bytesOf, compareTexts, isEscaped, isSameText, startOf } from './texts';

/** What `compareCells` returns besides -1, 0 and 1: the values cannot be compared. */
export const NEITHER: i32 = 2;

// A value that is compared: one of these is set.
export let leftNumber: f64 = NaN, leftText: u64 = NO_TEXT, leftFlag: u32 = 0;
let leftRest: i64 = 0;

/** Sets the left side from a cell that is not null. */
// @ts-ignore: decorator
@inline export function takeLeft(base: usize, cell: u32): void {
  leftNumber = numberAt(base, cell);
  leftRest = restAt(base, cell, leftNumber);
  leftText = textSlot(base, cell);
  leftFlag = booleanAt(base, cell);
}

let rightNumber: f64 = NaN, rightText: u64 = NO_TEXT, rightFlag: u32 = 0;
/** A constant is a double: only cells are compared by the rest. */
let rightRest: i64 = 0, isRightCell: bool = false;
/** The date of the right side, read when it is needed: a constant is read once. */
let rightDate: f64 = NaN, isDateRead: bool = false;

export function takeRight(x: f64, text: u64, flag: u32): void {
  rightNumber = x;
  rightText = text;
  rightFlag = flag;
  isDateRead = false;
  isRightCell = false;
}

// @ts-ignore: decorator
@inline export function takeRightCell(base: usize, cell: u32): void {
  takeRight(numberAt(base, cell), textSlot(base, cell), booleanAt(base, cell));
  rightRest = restAt(base, cell, rightNumber);
  isRightCell = true;
}

/** The date of a right side that is a date and no number; else NaN. */
export function onlyDate(order: DateOrder): f64 {
  if (!isNaN(rightNumber) || rightText == NO_TEXT || rightFlag != 0) return NaN;
  rightDate = dateIn(rightText, order);
  isDateRead = true;
  return rightDate;
}

/** -1, 0, 1: as the left value is below, the same as, or above the right one. Numbers before dates before texts. */
export function compareSides(leftOrder: DateOrder, rightOrder: DateOrder): i32 {
  if (leftFlag != 0 && rightFlag != 0) return leftFlag == rightFlag ? 0 : NEITHER;
  if (!isNaN(leftNumber) && !isNaN(rightNumber)) {
    const order = sign(leftNumber, rightNumber);
    return order == 0 && isRightCell ? signOfRests(leftRest, rightRest) : order;
  }
  if (leftText == NO_TEXT || rightText == NO_TEXT) return NEITHER;
  // A number beside a text that is not a number.
  if (isNaN(leftNumber) != isNaN(rightNumber)) return NEITHER;
  if (!isDateRead) {
    rightDate = dateIn(rightText, rightOrder);
    isDateRead = true;
  }
  const left = dateIn(leftText, leftOrder), right = rightDate;
  if (isNaN(left) != isNaN(right)) return NEITHER;
  if (!isNaN(left)) return signOfMoments(left, right, leftText, rightText);
  const order = compareTexts(leftText, rightText);
  return order < 0 ? -1 : <i32>(order > 0);
}

// @ts-ignore: decorator
@inline export function sign(a: f64, b: f64): i32 { return <i32>(a > b) - <i32>(a < b); }

/** `.` and `,` before a fraction, at its place behind `2026-01-02T03:04:05`. */
const DOT: u32 = 0x2e, COMMA: u32 = 0x2c, COLON: u32 = 0x3a;
const MINUTES_COLON: usize = 13, SECONDS_COLON: usize = 16, FRACTION_AT: usize = 19;
/** Bytes of `2026-01-02T03:04:05.678Z`: shorter fractions are exact in a double. */
const MILLISECONDS: usize = 24;
const HALF_A_SECOND: i64 = 500000000000000000;

/** `sign` of two moments. A double cannot tell apart what is closer than a quarter of a microsecond; then the digits of the texts decide. */
// @ts-ignore: decorator
@inline export function signOfMoments(a: f64, b: f64, aText: u64, bText: u64): i32 {
  if (a != b || max(bytesOf(aText), bytesOf(bText)) <= MILLISECONDS) return sign(a, b);
  return signOfFractions(aText, bText);
}

/** Of moments with the same double. Zones do not change a fraction. If they differ by more than half a second, the larger one is of the second before. */
function signOfFractions(aText: u64, bText: u64): i32 {
  if (isEscaped(aText) || isEscaped(bText)) return 0;
  const more = fractionOf(aText) - fractionOf(bText), order = <i32>(more > 0) - <i32>(more < 0);
  return more > HALF_A_SECOND || more < -HALF_A_SECOND ? -order : order;
}

/** The first 18 digits of a fraction of a second, as an integer of 18 digits; 0 in other notations. */
function fractionOf(text: u64): i64 {
  const p = startOf(text), bytes = <usize>bytesOf(text);
  if (bytes <= FRACTION_AT || load<u8>(p, MINUTES_COLON) != COLON || load<u8>(p, SECONDS_COLON) != COLON) return 0;
  const mark: u32 = load<u8>(p, FRACTION_AT);
  if (mark != DOT && mark != COMMA) return 0;
  let digits: i64 = 0, at = FRACTION_AT + 1;
  for (let place: u32 = 0; place < 18; place++) {
    const digit: u32 = at < bytes ? load<u8>(p + at) - 48 : 10;
    digits = digits * 10 + (digit < 10 ? digit : 0);
    if (digit < 10) at++;
  }
  return digits;
}

// @ts-ignore: decorator
@inline function signOfRests(a: i64, b: i64): i32 { return <i32>(a > b) - <i32>(a < b); }

/** `sign` of the numbers of two cells, exactly. */
// @ts-ignore: decorator
@inline export function signOfCells(aBase: usize, a: u32, bBase: usize, b: u32): i32 {
  const x = numberAt(aBase, a), y = numberAt(bBase, b);
  return x == y && isLarge(x) ? signOfRests(restAt(aBase, a, x), restAt(bBase, b, y)) : sign(x, y);
}

/** Whether two cells that are not null have the same value: numbers by value, texts by their characters, nested values as written. */
export function isSame(aBase: usize, a: u32, bBase: usize, b: u32): bool {
  const tag = tagAt(aBase, a), other = tagAt(bBase, b);
  if (tag == Tag.NUMBER || other == Tag.NUMBER)
    return tag == other && signOfCells(aBase, a, bBase, b) == 0;
  if (isText(tag) && isText(other))
    return isSameText(load<u64>(aBase + VALUES + (<usize>a << 3)), load<u64>(bBase + VALUES + (<usize>b << 3)));
  if (tag != other || tag == Tag.TRUE || tag == Tag.FALSE) return tag == other;
  const left = load<u64>(aBase + VALUES + (<usize>a << 3)), right = load<u64>(bBase + VALUES + (<usize>b << 3));
  return bytesOf(left) == bytesOf(right) && memory.compare(startOf(left), startOf(right), bytesOf(left)) == 0;
}
