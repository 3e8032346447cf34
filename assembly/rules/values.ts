/** Two values beside each other: which comes first, and whether they are the same. */
import { Tag } from '../abi';
import { DateOrder } from '../abi-dates';
import { HASHES, VALUES } from '../arena';
import { isLarge } from '../exact';
import { booleanAt, dateIn, isText, NO_TEXT, numberAt, restAt, tagAt, textSlot } from './cells';
import { bytesOf, compareTexts, isSameText, startOf } from './texts';

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
  if (!isNaN(left)) return sign(left, right);
  const order = compareTexts(leftText, rightText);
  return order < 0 ? -1 : <i32>(order > 0);
}

// @ts-ignore: decorator
@inline export function sign(a: f64, b: f64): i32 { return <i32>(a > b) - <i32>(a < b); }

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
