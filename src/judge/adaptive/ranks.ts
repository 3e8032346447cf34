/** Ranks among all numbers of a source's last batches, read from the quantiles that each keeps. */
import { Statistic } from '../../baseline/statistics.ts';
import { OUTLIER_MIN_NUMBERS } from '../policy.ts';

type Numbers = (which: Statistic) => number;

/** The order statistics that a batch keeps, and the share of its numbers that each stands for: half of what lies to either side. */
const POINTS = [
  Statistic.MINIMUM,
  Statistic.LOW,
  Statistic.QUARTILE_1,
  Statistic.MEDIAN,
  Statistic.QUARTILE_3,
  Statistic.HIGH,
  Statistic.MAXIMUM,
];
const WEIGHTS = [1 / 32, 1 / 8, 7 / 32, 1 / 4, 7 / 32, 1 / 8, 1 / 32];
const STATISTIC_AT: Readonly<Record<number, Statistic>> = {
  [1 / 16]: Statistic.LOW,
  [1 / 4]: Statistic.QUARTILE_1,
  [1 / 2]: Statistic.MEDIAN,
  [3 / 4]: Statistic.QUARTILE_3,
  [15 / 16]: Statistic.HIGH,
};

/**
 * Asks a batch for the rank of its quantile at `ranks[0]`, or how many of all numbers lie between its quantiles at both, in 0..1. Null where it
 * lies beyond all that was there before: then ranks do not tell how far.
 */
export function pooledRanks(
  batches: readonly (Numbers | null)[],
): (of: Numbers, ranks: readonly number[]) => number | null {
  const points: { value: number; weight: number }[] = [];
  for (const at of batches) {
    if (!at || !(at(Statistic.FINITE) >= OUTLIER_MIN_NUMBERS)) continue;
    for (let i = 0; i < POINTS.length; i++) points.push({ value: at(POINTS[i]!), weight: WEIGHTS[i]! });
  }
  points.sort((a, b) => a.value - b.value);
  const all = points.reduce((sum, each) => sum + each.weight, 0);
  const rankOf = (value: number): number | null => {
    if (points.length === 0 || value < points[0]!.value || value > points.at(-1)!.value) return null;
    let rank = 0;
    for (const each of points) {
      if (each.value > value) break;
      rank += each.value === value ? each.weight / 2 : each.weight;
    }
    return rank / all;
  };
  return (of, ranks) => {
    const found = ranks.map(rank => rankOf(of(STATISTIC_AT[rank]!)));
    if (found.some(each => each === null)) return null;
    return found.length === 1 ? found[0]! : Math.max(0, found[1]! - found[0]!);
  };
}
