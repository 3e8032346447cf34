/** Numbers as the engine tells them apart: integers of up to 64 bits and a sign by all their digits, others by their doubles. */
import type { Cell } from './batch.ts';

const LIMIT = 2n ** 64n;

/** Null for a number that is no such integer. */
export function integerOf({ text, number }: Cell): bigint | null {
  if (/^ *[+-]?\d+ *$/.test(text)) {
    const integer = BigInt(text);
    if (integer < LIMIT && integer > -LIMIT) return integer;
  }
  return Number.isInteger(number) && Math.abs(number) < Number(LIMIT) ? BigInt(number) : null;
}

/** Equal texts for equal numbers. */
export const exactNumber = (cell: Cell): string => String(integerOf(cell) ?? cell.number);

/** -1, 0 or 1. */
export function exactOrder(a: Cell, b: Cell): number {
  const [left, right] = [integerOf(a), integerOf(b)];
  if (left === null || right === null) return Math.sign(Number(a.text) - Number(b.text)) || 0;
  return Number(left > right) - Number(left < right);
}
