/** Rules about two values: two fields of a row, a field and a constant, a row and the one before. */
import { Operator, Tag } from '../abi';
import { DateOrder } from '../abi-dates';
import { cellsOf, edgeOf } from '../arena';
import { isSparse, rowOf } from '../column';
import { booleanIn, cellOf, countOf, endCell, firstCell, instantAt, NO_CELL, NO_TEXT, numberIn, orderOf, tagAt, textSlot } from './cells';
import { flag, isChosen } from './failing';
import { doubled } from './texts';
import { compareSides, NEITHER, onlyDate, signOfCells, signOfMoments, takeLeft, takeRight, takeRightCell } from './values';

const BELOW: u32 = 1, SAME: u32 = 2, ABOVE: u32 = 4, NOT_COMPARED: u32 = 8;

/** The orders for which the operator holds. Values that cannot be compared are only not equal. */
function ordersOf(operator: Operator): u32 {
  if (operator == Operator.EQUAL) return SAME;
  if (operator == Operator.NOT_EQUAL) return BELOW | ABOVE | NOT_COMPARED;
  if (operator == Operator.BELOW) return BELOW;
  if (operator == Operator.AT_MOST) return BELOW | SAME;
  return operator == Operator.ABOVE ? ABOVE : SAME | ABOVE;
}

/** Whether an order, -1, 0, 1 or NEITHER, is among them. */
// @ts-ignore: decorator
@inline function holds(order: i32, orders: u32): bool { return ((orders >> (order + 1)) & 1) != 0; }

/** Flags rows with both values in which `left operator right` does not hold. */
export function flagUnordered(left: u32, operator: Operator, right: u32, leftOrder: DateOrder, rightOrder: DateOrder): void {
  const edge = edgeOf(left), base = cellsOf(left), end = endCell(left), other = cellsOf(right), orders = ordersOf(operator);
  const isDense = !isSparse(edgeOf(right)), others = countOf(right);
  for (let cell = firstCell(left); cell < end; cell++) {
    const row = rowOf(edge, base, cell);
    const there = isDense ? (row < others ? row : NO_CELL) : cellOf(right, row);
    if (there == NO_CELL) continue;
    const tag = tagAt(base, cell), otherTag = tagAt(other, there);
    if (tag == Tag.NULL || otherTag == Tag.NULL) continue;
    if (tag == Tag.NUMBER && otherTag == Tag.NUMBER) { flag(row, !holds(signOfCells(base, cell, other, there), orders)); continue; }
    const moment = instantAt(base, cell), than = isNaN(moment) ? NaN : instantAt(other, there);
    if (!isNaN(than)) { flag(row, !holds(signOfMoments(moment, than, textSlot(base, cell), textSlot(other, there)), orders)); continue; }
    takeLeft(base, cell);
    takeRightCell(other, there);
    flag(row, !holds(compareSides(leftOrder, rightOrder), orders));
  }
}

/** Flags values for which `value operator constant` does not hold. The constant: a text of `bytes` at `at`, a number, or a tag. */
export function flagUnlike(column: u32, operator: Operator, x: f64, at: usize, bytes: i32, tag: u32, order: DateOrder): void {
  const text: u64 = bytes < 0 ? NO_TEXT : <u64>at | (<u64>bytes << 32);
  // In CSV a text that looks like a number or a boolean is one.
  const constant = doubled && bytes >= 0 ? numberIn(text) : x, flagged = doubled && bytes >= 0 ? booleanIn(text) : tag;
  takeRight(constant, text, flagged);
  const edge = edgeOf(column), base = cellsOf(column), end = endCell(column);
  const date = onlyDate(order), isDate = !isNaN(date), orders = ordersOf(operator);
  for (let cell = firstCell(column); cell < end; cell++) {
    if (tagAt(base, cell) == Tag.NULL) continue;
    const moment = isDate ? instantAt(base, cell) : NaN;
    if (!isNaN(moment)) { flag(rowOf(edge, base, cell), !holds(signOfMoments(moment, date, textSlot(base, cell), text), orders)); continue; }
    takeLeft(base, cell);
    flag(rowOf(edge, base, cell), !holds(compareSides(order, order), orders));
  }
}

/** Flags chosen rows whose value is below that of the chosen row before with a value; `falling`: above it. */
export function flagDisordered(column: u32, falling: bool): void {
  const edge = edgeOf(column), base = cellsOf(column), count = countOf(column), order = orderOf(column);
  const wrong = falling ? 1 : -1;
  let before = NO_CELL;
  for (let cell: u32 = 0; cell < count; cell++) {
    if (tagAt(base, cell) == Tag.NULL || !isChosen(rowOf(edge, base, cell))) continue;
    if (before != NO_CELL) {
      takeLeft(base, cell);
      takeRightCell(base, before);
      flag(rowOf(edge, base, cell), compareSides(order, order) == wrong);
    }
    before = cell;
  }
}
