/**
 * Ways to expect a batch from those before it: as all of them were, as the newest, as the trend goes on, as the same weekday or hour was, as
 * every so-many-th batch was. Taken is the one that would have come closest in the past, and another than all together only where it is better
 * by more than chance makes the best of so many.
 */
import { added, distanceOf, type Past, type Sums } from './distance.ts';
import type { Measure } from './measures.ts';
import { expectedLargest } from './unusual.ts';

/** Newest batches that may be expected to go on where all together do not: three still average out a single odd one. */
const NEWEST = 3;
/** A distance beyond this many usual ones counts as so many when ways to expect are compared: one stray batch must not decide. */
const FAR = 4;
/** Mean square of the distances up to which sampling explains all: there is nothing that another way could explain. */
const EXPLAINED = 1.5;
/** Longest cycle, in batches: of a longer one a history of 32 has too few. A cycle has to be seen this often. */
const LONGEST_CYCLE = 12;
const CYCLES = 3;

/** What is expected of each batch of the past by those before it, null where there is nothing to expect it from; and of one that comes next, at a time. */
interface Expectation {
  past: (Sums | null)[];
  next: (at: number) => Sums | null;
}

type Way = (past: readonly Past[]) => Expectation;

export interface Chosen {
  /** Of each batch of the past from what was expected of it; NaN where nothing was. */
  distances: number[];
  next: (at: number) => Sums | null;
  /** By what factor the best of so many ways comes closer to the past than to what follows. */
  luck: number;
}

export function bestWay({ kind }: Measure, past: readonly Past[]): Chosen {
  const distancesBy = (expected: Expectation): number[] =>
    past.map((each, i) => (expected.past[i] ? distanceOf(kind, each, expected.past[i]) : Number.NaN));
  const all = everything(past);
  const plain = distancesBy(all);
  let best: Chosen = { distances: plain, next: all.next, luck: 1 };
  if (meanSquare(plain) <= EXPLAINED) return best;
  const far = FAR * Math.max(1, medianOf(plain.slice(1).map(Math.abs)));
  const ways = waysFor(kind, past);
  const luck = 1 - expectedLargest(ways.length) / Math.sqrt(2 * past.length);
  let least = luck;
  for (const way of ways) {
    const expected = way(past);
    const distances = distancesBy(expected);
    const ratio = farnessRatio(distances, plain, far);
    if (!(ratio < least)) continue;
    least = ratio;
    // A season that has not been seen yet is like all.
    best = { distances, next: orElse(expected.next, all.next), luck: Math.sqrt(luck) };
  }
  return best;
}

const orElse =
  (first: Expectation['next'], second: Expectation['next']): Expectation['next'] =>
  at =>
    first(at) ?? second(at);

const meanSquare = (distances: readonly number[]): number =>
  distances.reduce((sum, each) => sum + (Number.isNaN(each) ? 0 : each * each), 0) /
  Math.max(1, distances.length - 1);

/** Over the batches that both expect something of, a third of all and three at least. */
function farnessRatio(distances: readonly number[], plain: readonly number[], far: number): number {
  let [common, own, others] = [0, 0, 0];
  for (let i = 0; i < plain.length; i++) {
    if (Number.isNaN(distances[i]!) || Number.isNaN(plain[i]!)) continue;
    common++;
    own += Math.min(distances[i]! ** 2, far * far);
    others += Math.min(plain[i]! ** 2, far * far);
  }
  return common >= Math.max(3, plain.length / 3) ? own / others : Number.NaN;
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

function waysFor(kind: Measure['kind'], past: readonly Past[]): Way[] {
  // A season that all batches are in is none.
  const differ = ({ of }: Season): boolean => past.some(each => of(each.at) !== of(past[0]!.at));
  const cycles = Math.min(LONGEST_CYCLE, Math.floor(past.length / CYCLES));
  return [
    newest,
    ...(kind === 'level' ? [trendOver(timeOf), trendOver(indexOf)] : []),
    ...[WEEKDAY, HOUR].filter(differ).map(seasonal),
    ...Array.from({ length: Math.max(0, cycles - 1) }, (_, i) => everyNth(i + 2)),
  ];
}

// ---- the ways ----

const everything: Way = past => {
  const expected: (Sums | null)[] = [];
  let sums: Sums | null = null;
  for (const each of past) {
    expected.push(sums);
    sums = added(sums, each);
  }
  return { past: expected, next: always(sums) };
};

/** Holds on to nothing else. */
const always =
  (sums: Sums | null): Expectation['next'] =>
  () =>
    sums;

/** Sums over the batches from `from` to before `to`. */
function summed(past: readonly Past[], from: number, to: number): Sums | null {
  let sums: Sums | null = null;
  for (let i = Math.max(0, from); i < to; i++) sums = added(sums, past[i]!);
  return sums;
}

const newest: Way = past => ({
  past: past.map((_, i) => summed(past, i - NEWEST, i)),
  next: always(summed(past, past.length - NEWEST, past.length)),
});

type Place = (past: readonly Past[], i: number, at: number) => number;
const timeOf: Place = (past, i, at) => (i < past.length ? past[i]!.at : at);
const indexOf: Place = (_, i) => i;

/** The newest, moved on as the first ones have moved to them, by the time or by the number of batches; that one batch was lost in between is no wonder. */
const trendOver =
  (placeOf: Place): Way =>
  past => {
    const expected = (i: number, at: number): Sums | null => {
      if (i < 2 * NEWEST) return null;
      const [first, last] = [summed(past, 0, NEWEST)!, summed(past, i - NEWEST, i)!];
      const middle = (from: number): number =>
        (placeOf(past, from, at) + placeOf(past, from + 1, at) + placeOf(past, from + 2, at)) / NEWEST;
      const length = middle(i - NEWEST) - middle(0);
      if (!(length > 0)) return null;
      const slope = (last.value / last.size - first.value / first.size) / length;
      const on = slope * (placeOf(past, i, at) - middle(i - NEWEST));
      return { ...last, value: last.value + last.size * on, own: ((slope * length) / (i - NEWEST)) ** 2 };
    };
    return { past: past.map((each, i) => expected(i, each.at)), next: at => expected(past.length, at) };
  };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Season {
  /** Which season a time is in, and which of its returns. */
  of(at: number): number;
  turn(at: number): number;
}

const dayOf = (at: number): number => Math.floor(at / DAY_MS);
const WEEKDAY: Season = { of: at => dayOf(at) % 7, turn: dayOf };
const HOUR: Season = { of: at => Math.floor(at / HOUR_MS) % 24, turn: dayOf };

/** What a season was like when it was there before: batches of the same day do not say what a day of the week is like. */
const seasonal =
  ({ of, turn }: Season): Way =>
  past => {
    const before = (season: number, now: number, end: number): Sums | null => {
      let sums: Sums | null = null;
      for (let i = 0; i < end; i++) {
        const { at } = past[i]!;
        if (of(at) === season && turn(at) !== now) sums = added(sums, past[i]!);
      }
      return sums;
    };
    return {
      past: past.map(({ at }, i) => before(of(at), turn(at), i)),
      next: at => before(of(at), turn(at), past.length),
    };
  };

const everyNth =
  (n: number): Way =>
  past => {
    const sums: (Sums | null)[] = Array(n).fill(null);
    const expected = past.map((each, i) => {
      const before = sums[i % n]!;
      sums[i % n] = added(before, each);
      return before;
    });
    return { past: expected, next: always(sums[past.length % n]!) };
  };
