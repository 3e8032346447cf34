/** Order statistics over parts: exact for few distinct numbers, close for many, and the same bits for every order and grouping. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  MAX_BUCKETS,
  countBelow,
  mergeRanks,
  NO_RANKS,
  quantilesOf,
  type Ranks,
  ranksOf,
  sizeOf,
} from '../../src/states/ranks.ts';

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

  test('as many distinct numbers as there are buckets are told apart; with one more, neighbours are joined', () => {
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
      expect(Math.abs(countBelow(ranks, middle) - firstAtLeast(sorted, middle))).toBeLessThan(5000);
    });

  test('below the least number there is none, below more than the greatest are all', () => {
    const ranks = of([-0, 0, 1, 2, 2]);
    expect([-1, 0, 0.5, 2, 3].map(x => countBelow(ranks, x))).toEqual([0, 0, 2, 3, 5]);
    expect(countBelow(NO_RANKS, 1)).toBe(0);
  });
});

function firstAtLeast(sorted: Float64Array, x: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! >= x) high = middle;
    else low = middle + 1;
  }
  return low;
}
