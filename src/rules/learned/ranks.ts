/** Ranks among all numbers of a source's last batches, estimated from the quantiles that each batch keeps. */
import { PLACE } from '../../statistics/registry.ts';
import { MIN_NUMBERS } from '../../terms/policy.ts';
import type { At } from '../../statistics/statistic.ts';

/** The order statistics that a batch keeps, and the share of its numbers that each represents: half of those to either side. */
const POINTS: readonly (readonly [place: number, share: number])[] = [
  [PLACE.minimum, 1 / 32],
  [PLACE.quantile_1_16, 1 / 8],
  [PLACE.quartile_1, 7 / 32],
  [PLACE.median, 1 / 4],
  [PLACE.quartile_3, 7 / 32],
  [PLACE.quantile_15_16, 1 / 8],
  [PLACE.maximum, 1 / 32],
];

/** Share of all numbers below a value, plus half of the equal ones: 0..1. Null for a value beyond all numbers: a rank does not say how far. */
export type RankOf = (value: number) => number | null;

export function pooledRanks(batches: readonly (At | null)[]): RankOf {
  const { values, weights } = sortedPoints(batches);
  // All shares are multiples of 1/32: the sums are exact in any order.
  const below = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) below[i + 1] = below[i]! + weights[i]!;
  const all = below.at(-1)!;
  return value => {
    if (!(value >= values[0]! && value <= values.at(-1)!)) return null;
    const first = firstFrom(values, value, false);
    const end = firstFrom(values, value, true);
    return (below[first]! + below[end]!) / 2 / all;
  };
}

/** The weight of equal points is at the first of them. */
function sortedPoints(batches: readonly (At | null)[]): { values: Float64Array; weights: Float64Array } {
  const points: number[] = [];
  for (const at of batches)
    if (at !== null && at(PLACE.finite) >= MIN_NUMBERS) for (const [place] of POINTS) points.push(at(place));
  const values = Float64Array.from(points).sort();
  const weights = new Float64Array(values.length);
  for (let i = 0; i < points.length; i++)
    weights[firstFrom(values, points[i]!, false)]! += POINTS[i % POINTS.length]![1];
  return { values, weights };
}

/** Index of the first one that is at least the value; with `beyond`, of the first one above it. */
function firstFrom(ascending: Float64Array, value: number, beyond: boolean): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const each = ascending[middle]!;
    if (each > value || (!beyond && each === value)) high = middle;
    else low = middle + 1;
  }
  return low;
}
