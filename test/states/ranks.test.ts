/** Order statistics over parts: exact for few distinct numbers, close for many, and the same bits for every order and grouping. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { countsBelow, quantilesOf } from '../../src/states/rank-queries.ts';
import { MAX_BUCKETS, mergeRanks, NO_RANKS, type Ranks, ranksOf } from '../../src/states/ranks.ts';

const sizeOf = (ranks: Ranks): number => countsBelow(ranks, [Number.POSITIVE_INFINITY])[0]!;

const of = (numbers: readonly number[]): Ranks => ranksOf(Float64Array.from(numbers));

/** Type 7, over all numbers. */
function exactly(numbers: readonly number[], n: number): number[] {
  const sorted = Float64Array.from(numbers).sort();
  return Array.from({ length: n }, (_, i) => {
    const rank = ((sorted.length - 1) * i) / (n - 1);
    const [below, above] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!];
    return below + (above - below) * (rank - Math.floor(rank));
  });
}

/** Repeatable: Park and Miller's generator. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

const anyNumbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
  minLength: 1,
  maxLength: 60,
});

describe('ranks of parts', () => {
  test('few distinct numbers: the order statistics of all of them', () => {
    fc.assert(
      fc.property(fc.array(anyNumbers, { minLength: 1, maxLength: 5 }), parts => {
        const ranks = parts.map(of).reduce(mergeRanks);
        const [got, expected] = [quantilesOf(ranks, 33), exactly(parts.flat(), 33)];
        for (const [i, x] of expected.entries())
          if (Number.isFinite(x))
            expect(Math.abs(got[i]! - x)).toBeLessThanOrEqual(1e-9 * Math.abs(x) + 1e-300);
        expect(sizeOf(ranks)).toBe(parts.flat().length);
      }),
    );
  });

  test('order and grouping change no bit, past the bound too', () => {
    const next = uniform(7);
    const parts = Array.from({ length: 6 }, (_, part) =>
      of(Array.from({ length: 3000 }, () => (part % 2 === 0 ? Math.exp(20 * next()) : -next()))),
    );
    const inOrder = parts.reduce(mergeRanks, NO_RANKS);
    expect(inOrder.keys.length).toBeLessThanOrEqual(MAX_BUCKETS);
    const [a, b, c, d, e, f] = parts as [Ranks, Ranks, Ranks, Ranks, Ranks, Ranks];
    const grouped = mergeRanks(mergeRanks(mergeRanks(f, b), d), mergeRanks(a, mergeRanks(e, c)));
    expect(grouped).toEqual(inOrder);
  });

  test('each of 4,096 distinct numbers has its own bucket; with one more, neighbours share buckets', () => {
    const numbers = Array.from({ length: MAX_BUCKETS + 1 }, (_, i) => 1 + i / 2 ** 20);
    expect(of(numbers.slice(1)).keys.length).toBe(MAX_BUCKETS);
    expect(of(numbers).keys.length).toBeLessThan(MAX_BUCKETS);
    expect(sizeOf(of(numbers))).toBe(MAX_BUCKETS + 1);
  });

  const distributions: [string, (next: () => number) => number][] = [
    ['even', next => next()],
    ['exponential', next => -Math.log(next())],
    ['of amounts', next => Math.exp(3 + 1.2 * Math.sqrt(-2 * Math.log(next())) * Math.cos(6.283 * next()))],
    ['of times within a day', next => 1.7e12 + Math.floor(next() * 86_400_000)],
    ['two levels far apart', next => (next() < 0.3 ? 1e6 + next() : -next())],
    ['heavy tailed', next => next() ** -1.5],
  ];
  for (const [name, draw] of distributions)
    test(`a million numbers, ${name}: ranks within half a percent`, () => {
      const next = uniform(11);
      const numbers = Float64Array.from({ length: 1_000_000 }, () => draw(next));
      let ranks = NO_RANKS;
      for (let from = 0; from < numbers.length; from += 10_000)
        ranks = mergeRanks(ranks, ranksOf(numbers.slice(from, from + 10_000)));
      const sorted = numbers.sort();
      for (const [i, x] of quantilesOf(ranks, 33).entries()) {
        const rank = firstAtLeast(sorted, x) / sorted.length;
        expect(Math.abs(rank - i / 32)).toBeLessThan(0.005);
      }
      const middle = sorted[400_000]!;
      expect(Math.abs(countsBelow(ranks, [middle])[0]! - firstAtLeast(sorted, middle))).toBeLessThan(5000);
    });

  test('a price that is frequent among others has its own ranks', () => {
    const next = uniform(5);
    let ranks = NO_RANKS;
    for (let slice = 0; slice < 30; slice++) {
      const prices = Array.from({ length: 10_000 }, () => (next() < 0.6 ? 9.99 : 20 * next()));
      ranks = mergeRanks(ranks, of(prices));
    }
    const quantiles = quantilesOf(ranks, 33);
    expect([8, 16, 24].map(i => quantiles[i])).toEqual([9.99, 9.99, 9.99]);
    expect(quantiles[32]).toBeGreaterThan(19);
  });

  test('two numbers that differ only in their last bits stay two numbers', () => {
    const ranks = [of([...Array(19).fill(4e15), 4e15 + 100]), of([4e15 + 100])].reduce(mergeRanks);
    expect([...quantilesOf(ranks, 21)]).toEqual([...Array(19).fill(4e15), 4e15 + 100, 4e15 + 100]);
  });

  test('4,096 frequent numbers are counted by themselves; with one more none is, in any order of merging', () => {
    const pairs = Array.from({ length: MAX_BUCKETS + 1 }, (_, i) => of([i, i]));
    const most = inPairs(pairs.slice(1));
    expect([most.atoms?.numbers.length, most.keys.length]).toEqual([MAX_BUCKETS, 0]);
    const more = mergeRanks(most, pairs[0]!);
    expect([more.atoms, sizeOf(more)]).toEqual([null, 2 * (MAX_BUCKETS + 1)]);
    expect(inPairs(pairs.toReversed())).toEqual(more);
  });

  test('counts below bounds outside the numbers: none, and all', () => {
    const ranks = of([-0, 0, 1, 2, 2]);
    expect(countsBelow(ranks, [-1, 0, 0.5, 2, 3])).toEqual([0, 0, 2, 3, 5]);
    expect(countsBelow(NO_RANKS, [1])).toEqual([0]);
  });
});

const inPairs = (all: readonly Ranks[]): Ranks =>
  all.length === 1
    ? all[0]!
    : mergeRanks(inPairs(all.slice(0, all.length >> 1)), inPairs(all.slice(all.length >> 1)));

function firstAtLeast(sorted: Float64Array, x: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! >= x) high = middle;
    else low = middle + 1;
  }
  return low;
}
