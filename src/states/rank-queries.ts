/** What the ranks of a column say: order statistics, and how many numbers lie below a bound. */
import type { Ranks } from './ranks.ts';

/** Numbers from `least` to `greatest`, which lie evenly between them. */
interface Run {
  count: number;
  least: number;
  greatest: number;
}

/** Ascending. An atom divides the bucket around it as if the numbers there lay evenly. */
function runsOf({ atoms, counts, least, greatest }: Ranks): Run[] {
  const runs: Run[] = [];
  const numbers = atoms?.numbers ?? new Float64Array();
  let atom = 0;
  const addAtom = (): void => {
    const x = numbers[atom]!;
    runs.push({ count: atoms!.counts[atom]!, least: x, greatest: x });
    atom++;
  };
  for (let i = 0; i < counts.length; i++) {
    let rest: Run = { count: counts[i]!, least: least[i]!, greatest: greatest[i]! };
    while (atom < numbers.length && numbers[atom]! < rest.least) addAtom();
    while (atom < numbers.length && numbers[atom]! < rest.greatest) {
      const x = numbers[atom]!;
      const below = belowIn(rest, x);
      const above = rest.count - below;
      if (below > 0) runs.push({ count: below, least: rest.least, greatest: below > 1 ? x : rest.least });
      addAtom();
      rest = { count: above, least: above > 1 ? x : rest.greatest, greatest: rest.greatest };
    }
    if (rest.count > 0) runs.push(rest);
  }
  while (atom < numbers.length) addAtom();
  return runs;
}

/** How many of a run's numbers lie below x, which lies within it. */
function belowIn({ count, least, greatest }: Run, x: number): number {
  if (x <= least) return 0;
  return 1 + Math.floor(Math.max(0, count - 2) * Math.min(1, (x - least) / (greatest - least)));
}

/** Order statistics of type 7 (Hyndman and Fan 1996) at i / (n - 1). There must be numbers. */
export function quantilesOf(ranks: Ranks, n: number): Float64Array {
  const runs = runsOf(ranks);
  const last = runs.reduce((sum, { count }) => sum + count, 0) - 1;
  const at = numberAt(runs);
  return Float64Array.from({ length: n }, (_, i) => {
    const rank = (last * i) / (n - 1);
    const below = at(Math.floor(rank));
    const above = at(Math.ceil(rank));
    const share = rank - Math.floor(rank);
    return share === 0 ? below : between(below, above, share);
  });
}

/** Reads the number of a rank, from 0. Ranks must be asked for in ascending order, but for the one before. */
function numberAt(runs: readonly Run[]): (rank: number) => number {
  let at = 0;
  let before = 0;
  return rank => {
    while (at > 0 && rank < before) before -= runs[--at]!.count;
    while (rank >= before + runs[at]!.count) before += runs[at++]!.count;
    const { count, least, greatest } = runs[at]!;
    return count === 1 ? least : between(least, greatest, (rank - before) / (count - 1));
  };
}

/** As the engine does: the distance of two huge numbers may overflow a double. */
function between(a: number, b: number, share: number): number {
  const gap = b - a;
  return Number.isFinite(gap) ? a + share * gap : a * (1 - share) + b * share;
}

/** How many numbers lie below each bound. Exact unless the bound lies within a bucket. */
export function countsBelow(ranks: Ranks, bounds: readonly number[]): number[] {
  const runs = runsOf(ranks);
  return bounds.map(x => {
    let below = 0;
    for (const run of runs) {
      if (run.least >= x) break;
      below += run.greatest < x ? run.count : belowIn(run, x);
    }
    return below;
  });
}

/** The least and the greatest number. There must be numbers. */
export const leastIn = (ranks: Ranks): number => runsOf(ranks)[0]!.least;
export const greatestIn = (ranks: Ranks): number => runsOf(ranks).at(-1)!.greatest;

/** The least number above x, and the greatest one below it: the nearest that is known. NaN without one. */
export function nextAbove(ranks: Ranks, x: number): number {
  const run = runsOf(ranks).find(({ greatest }) => greatest > x);
  return run === undefined ? Number.NaN : run.least > x ? run.least : run.greatest;
}

export function nextBelow(ranks: Ranks, x: number): number {
  const run = runsOf(ranks).findLast(({ least }) => least < x);
  return run === undefined ? Number.NaN : run.greatest < x ? run.greatest : run.least;
}
