/** Tukey's outer fences: numbers beyond them are far from the bulk. */
import { FENCE_FACTOR } from '../../assembly/abi.ts';
import type { BaselineField } from './baseline.ts';

export interface Fences {
  low: number;
  high: number;
}

/** Null without a spread between the quartiles. */
export function fencesAround(q1: number, q3: number): Fences | null {
  const reach = FENCE_FACTOR * (q3 - q1);
  return reach > 0 ? { low: q1 - reach, high: q3 + reach } : null;
}

/** Around what the source's numbers were before. */
export const fencesOf = (before: BaselineField | undefined): Fences | null =>
  before ? fencesAround(before.quantile(0.25), before.quantile(0.75)) : null;
