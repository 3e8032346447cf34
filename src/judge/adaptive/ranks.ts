/** Ranks among all numbers of a source's last batches, read from the quantiles that each keeps. */
import { Statistic } from '../../baseline/statistics.ts';
import { OUTLIER_MIN_NUMBERS } from '../../policy.ts';

type Numbers = (which: Statistic) => number;

/** The order statistics that a batch keeps, and the share of its numbers that each stands for: half of what lies to either side. */
const POINTS: readonly (readonly [Statistic, number])[] = [
  [Statistic.MINIMUM, 1 / 32],
  [Statistic.LOW, 1 / 8],
  [Statistic.QUARTILE_1, 7 / 32],
  [Statistic.MEDIAN, 1 / 4],
  [Statistic.QUARTILE_3, 7 / 32],
  [Statistic.HIGH, 1 / 8],
  [Statistic.MAXIMUM, 1 / 32],
];

/** The share of all numbers below a value, equal ones by half: 0..1. Null beyond all that was there: then ranks do not tell how far. */
export type RankOf = (value: number) => number | null;

export function pooledRanks(batches: readonly (Numbers | null)[]): RankOf {
  const { values, weights } = sortedPoints(batches);
  const below = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) below[i + 1] = below[i]! + weights[i]!;
  const all = below.at(-1)!;
  return value => {
    if (!(value >= values[0]! && value <= values.at(-1)!)) return null;
    const [first, end] = [firstFrom(values, value, false), firstFrom(values, value, true)];
    return (below[first]! + below[end]!) / 2 / all;
  };
}

function sortedPoints(batches: readonly (Numbers | null)[]): { values: Float64Array; weights: Float64Array } {
  const known = batches.filter(at => at !== null && at(Statistic.FINITE) >= OUTLIER_MIN_NUMBERS);
  const count = known.length * POINTS.length;
  const points = Float64Array.from({ length: count }, (_, i) =>
    known[Math.floor(i / POINTS.length)]!(POINTS[i % POINTS.length]![0]),
  );
  const order = Uint16Array.from(points.keys()).sort((a, b) => points[a]! - points[b]!);
  return {
    values: Float64Array.from(order, i => points[i]!),
    weights: Float64Array.from(order, i => POINTS[i % POINTS.length]![1]),
  };
}

/** Index of the first that is at least the value, or `beyond` it. */
function firstFrom(ascending: Float64Array, value: number, beyond: boolean): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const each = ascending[middle]!;
    if (each > value || (!beyond && each === value)) high = middle;
    else low = middle + 1;
  }
  return low;
}
