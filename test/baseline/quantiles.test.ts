import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { LONG_TAIL, UNFOLDED } from '../../src/baseline/sources.ts';
import { fold, mergeState } from '../../src/baseline/merge.ts';
import { baselineOf } from '../../src/baseline/merged.ts';
import { Mixture, RANK_ERROR } from '../../src/baseline/quantiles.ts';
import { type BaselineRecord, EMPTY_RECORD } from '../../src/baseline/record.ts';
import { batchState, idOf, measuresOf, numberField } from './batches.ts';

const RANKS = Array.from({ length: 65 }, (_, i) => i / 64);

/** What a cache has after these batches: long tails folded, the newest batches left. */
function quantilesAfter(batches: readonly number[][]): (p: number) => number {
  let folded: BaselineRecord = EMPTY_RECORD;
  let tail: number[] = [];
  const add = (record: BaselineRecord, index: number): BaselineRecord => {
    const numbers = batches[index]!;
    return mergeState(record, batchState(idOf(index), numbers.length, { x: numberField(numbers) }));
  };
  for (const index of batches.keys()) {
    tail.push(index);
    if (tail.length < LONG_TAIL) continue;
    folded = fold(tail.slice(0, -UNFOLDED).reduce(add, folded));
    tail = tail.slice(-UNFOLDED);
  }
  const field = baselineOf({ record: tail.reduce(add, folded), provisional: false }).fields.get('x')!;
  return p => field.quantile(p);
}

/** The share of the weight below x, and at or below it, where a batch's weight halves every 10 batches. */
function exactRanks(batches: readonly number[][], x: number): { below: number; upTo: number } {
  let [below, upTo, total] = [0, 0, 0];
  for (const [index, numbers] of batches.entries()) {
    const weight = 2 ** (-(batches.length - 1 - index) / 10);
    below += weight * numbers.filter(number => number < x).length;
    upTo += weight * numbers.filter(number => number <= x).length;
    total += weight * numbers.length;
  }
  return { below: below / total, upTo: upTo / total };
}

function expectRanksWithin(batches: readonly number[][], error: number): void {
  const quantile = quantilesAfter(batches);
  for (const p of RANKS) {
    const { below, upTo } = exactRanks(batches, quantile(p));
    expect(below).toBeLessThanOrEqual(p + error);
    expect(upTo).toBeGreaterThanOrEqual(p - error);
  }
}

const SIZE = 40;
const smooth = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const atoms = fc.constantFrom(0, 0, 0, 1, 2, 1e9);
const numbersOf = (number: fc.Arbitrary<number>): fc.Arbitrary<number[]> =>
  fc.array(number, { minLength: SIZE, maxLength: SIZE });
const anyNumbers = fc.oneof(numbersOf(smooth), numbersOf(atoms), numbersOf(fc.oneof(smooth, atoms)));

describe('quantiles', () => {
  test('over many batches of like size every rank is within the stated error', () => {
    fc.assert(
      fc.property(fc.array(anyNumbers, { minLength: 1, maxLength: 12 }), fc.nat(110), (kinds, count) => {
        const batches = Array.from({ length: count + 1 }, (_, i) => kinds[(i * i) % kinds.length]!);
        expectRanksWithin(batches, RANK_ERROR + 1 / SIZE);
      }),
      { numRuns: 40 },
    );
  });

  test('a distribution that drifts is followed within the stated error', () => {
    const batches = Array.from({ length: 150 }, (_, batch) =>
      Array.from({ length: SIZE }, (_, i) => batch + 7 * Math.sin(i * i)),
    );
    expectRanksWithin(batches, RANK_ERROR + 1 / SIZE);
  });

  test('one batch gives back its own order statistics', () => {
    fc.assert(
      fc.property(numbersOf(smooth), numbers => {
        const { quantiles } = measuresOf(numbers);
        const mixture = new Mixture([{ points: quantiles, weight: SIZE, batch: 1 }], 1);
        for (const [i, point] of quantiles.entries()) {
          expect(Math.abs(mixture.quantile(i / 32) - point)).toBeLessThanOrEqual(
            1e-9 * Math.abs(point) + 1e-9,
          );
        }
      }),
    );
  });

  test('quantiles never fall, nor leave the range of the numbers', () => {
    fc.assert(
      fc.property(fc.array(anyNumbers, { minLength: 1, maxLength: 5 }), batches => {
        const quantile = quantilesAfter(batches);
        // Adding 0 makes -0 and 0 one number.
        const all = batches.flat().map(number => number + 0);
        const found = RANKS.map(p => quantile(p) + 0);
        expect(found[0]).toBe(Math.min(...all));
        expect(found.at(-1)).toBe(Math.max(...all));
        for (let i = 1; i < found.length; i++) {
          // Interpolation may round down by a few units in the last place.
          expect(found[i]!).toBeGreaterThanOrEqual(found[i - 1]! - 1e-9 * Math.abs(found[i - 1]!));
        }
      }),
    );
  });

  test('numbers at both ends of the range of a double neither overflow nor vanish', () => {
    const huge = Number.MAX_VALUE;
    const quantile = quantilesAfter([Array.from({ length: SIZE }, (_, i) => (i % 2 ? huge / 2 : -huge / 2))]);
    expect(quantile(0)).toBe(-huge / 2);
    expect(quantile(1)).toBe(huge / 2);
    expect(Number.isFinite(quantile(0.5))).toBe(true);
    const points = Float64Array.from({ length: 33 }, (_, i) => (i < 16 ? -huge : huge));
    const mixture = new Mixture([{ points, weight: 1, batch: 1 }], 1);
    expect(mixture.compress().points.every(Number.isFinite)).toBe(true);
  });

  test('without numbers there is no quantile', () => {
    expect(new Mixture([], 5).quantile(0.5)).toBeNaN();
  });
});
