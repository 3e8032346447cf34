/** Mean and deviations of parts: the same bits in whatever order and grouping they are added, and right where doubles cancel. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { mergeMoments, type Moments, momentsOf, NO_MOMENTS, readMoments } from '../../src/states/moments.ts';

/** By the textbook, over the numbers themselves, where they are small whole numbers. */
function plain(numbers: readonly number[]): { mean: number; m2: number } {
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  return { mean, m2: numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) };
}

const partOf = (numbers: readonly number[]): Moments => {
  const { mean, m2 } = plain(numbers);
  return momentsOf(numbers.length, mean, m2);
};

const anyPart = fc
  .tuple(
    fc.integer({ min: 1, max: 10_000 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ min: 0, noNaN: true }),
  )
  .map(([count, mean, m2]) => momentsOf(count, mean, m2));

describe('moments of parts', () => {
  test('one part has its own mean and deviations, to the bit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.double({ min: 0, noNaN: true }),
        (count, mean, m2) => {
          const read = readMoments(momentsOf(count, mean, m2));
          // A negative zero is a zero.
          expect(read).toEqual({ mean: mean + 0, m2: m2 + 0 });
        },
      ),
      {
        examples: [
          [1, 5e-324, 5e-324],
          [3, -1.7976931348623157e308, 1.7976931348623157e308],
        ],
      },
    );
  });

  test('order and grouping change no bit', () => {
    fc.assert(
      fc.property(fc.array(anyPart, { minLength: 2, maxLength: 9 }), fc.nat(), (parts, seed) => {
        const inOrder = parts.reduce(mergeMoments, NO_MOMENTS);
        const cut = seed % parts.length;
        const left = parts.slice(0, cut).reduceRight(mergeMoments, NO_MOMENTS);
        const right = parts.slice(cut).reduceRight(mergeMoments, NO_MOMENTS);
        expect(mergeMoments(right, left)).toEqual(inOrder);
      }),
    );
  });

  test('parts have the mean and deviations of all their numbers', () => {
    const numbers = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 6 }), parts => {
        const read = readMoments(parts.map(partOf).reduce(mergeMoments));
        const expected = plain(parts.flat());
        expect(read.mean).toBeCloseTo(expected.mean, 9);
        expect(read.m2).toBeCloseTo(expected.m2, 5);
      }),
    );
  });

  test('times of our age, whose squares leave no digit of a double for what differs', () => {
    const day = 86_400_000;
    const parts = [0, 1, 2, 3].map(i => momentsOf(10_000, 1.7e12 + i * day, 0));
    const { mean, m2 } = readMoments(parts.reduce(mergeMoments));
    expect(mean).toBe(1.7e12 + 1.5 * day);
    expect(m2).toBe(10_000 * (2 * 1.5 ** 2 + 2 * 0.5 ** 2) * day ** 2);
  });

  test('no numbers, and deviations beyond the range of a double', () => {
    expect(readMoments(NO_MOMENTS)).toEqual({ mean: Number.NaN, m2: Number.NaN });
    const beyond = mergeMoments(momentsOf(2, 0, Number.POSITIVE_INFINITY), momentsOf(2, 0, 1));
    expect(readMoments(beyond)).toEqual({ mean: 0, m2: Number.POSITIVE_INFINITY });
    const far = mergeMoments(momentsOf(1, 1e308, 0), momentsOf(1, -1e308, 0));
    expect(readMoments(far)).toEqual({ mean: 0, m2: Number.POSITIVE_INFINITY });
  });
});
