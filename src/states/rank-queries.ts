/** What the ranks of a column say: order statistics, and how many numbers lie below a bound. */
import type { Outside } from '../engine/queries.ts';
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

/** The numbers below `low` and above `high`: how many is exact unless a bound lies within a bucket. */
export function outsideIn(ranks: Ranks, low: number, high: number): Outside {
  const runs = runsOf(ranks);
  const below = runs.filter(({ least }) => least < low);
  const above = runs.filter(({ greatest }) => greatest > high);
  if (below.length + above.length === 0) return { count: 0, min: Number.NaN, max: Number.NaN };
  const lower = below.reduce((sum, run) => sum + (run.greatest < low ? run.count : belowIn(run, low)), 0);
  const upTo = (run: Run) => (run.least > high ? 0 : belowIn(run, nextUp(high)));
  const upper = above.reduce((sum, run) => sum + run.count - upTo(run), 0);
  return {
    count: lower + upper,
    min: below[0]?.least ?? nextAbove(above[0]!, high),
    max: above.at(-1)?.greatest ?? nextBelow(below.at(-1)!, low),
  };
}

/** The nearest number to a bound that is known of a run. */
const nextAbove = ({ least, greatest }: Run, x: number): number => (least > x ? least : greatest);
const nextBelow = ({ least, greatest }: Run, x: number): number => (greatest < x ? greatest : least);

const word = new DataView(new ArrayBuffer(8));

/** The least double above x. */
function nextUp(x: number): number {
  word.setFloat64(0, x + 0);
  const bits = word.getBigUint64(0);
  word.setBigUint64(0, x >= 0 ? bits + 1n : bits - 1n);
  return word.getFloat64(0);
}
