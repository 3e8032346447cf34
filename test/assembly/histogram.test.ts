import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { HISTOGRAM_BINS } from '../../assembly/abi.ts';
import { anyColumn, hardColumns, LENGTHS } from './columns.ts';
import { buffer, exports, start } from './statistics.ts';

function measured(values: Float64Array): number[] {
  // Values behind the column must not count.
  new Float64Array(buffer, start, values.length + 8).fill(values[0]!).set(values);
  exports.histogram(start, values.length, values.toSorted()[0]!, values.toSorted().at(-1)!);
  return [...new Uint32Array(buffer, exports.histogramAddress(), HISTOGRAM_BINS)];
}

/** A plain loop over the values. */
function oracle(values: Float64Array): number[] {
  const [low, high] = [values.toSorted()[0]!, values.toSorted().at(-1)!];
  const half = high - low === Number.POSITIVE_INFINITY ? 0.5 : 1;
  const counts = Array<number>(HISTOGRAM_BINS).fill(0);
  for (const x of values) {
    const share = (x * half - low * half) / (high * half - low * half);
    const bin = low === high ? 0 : Math.min(HISTOGRAM_BINS - 1, Math.floor(share * HISTOGRAM_BINS));
    counts[bin]!++;
  }
  return counts;
}

describe('histogram', () => {
  test('counts what a loop over the values counts, among any finite numbers', () => {
    fc.assert(fc.property(anyColumn(100), values => expect(measured(values)).toEqual(oracle(values))));
  });

  test('counts what a loop counts at every length', () => {
    for (const n of LENGTHS)
      for (const values of Object.values(hardColumns(n, n))) expect(measured(values)).toEqual(oracle(values));
  });

  test('counts every value once', () => {
    fc.assert(
      fc.property(anyColumn(100), values => {
        expect(measured(values).reduce((sum, count) => sum + count, 0)).toBe(values.length);
      }),
    );
  });

  test('an interval includes its lower bound, and the last one also its upper bound', () => {
    const values = Float64Array.from({ length: 41 }, (_, i) => i / 2);
    expect(measured(values)).toEqual([...Array(19).fill(2), 3]);
  });

  test('equal values are in the first interval', () => {
    for (const value of [0, -0, 7.5, -1e308, 5e-324])
      expect(measured(Float64Array.of(value, value, value))).toEqual([3, ...Array(19).fill(0)]);
    expect(measured(Float64Array.of(-0, 0))).toEqual([2, ...Array(19).fill(0)]);
  });

  test('the largest and smallest ranges of doubles are divided like any other', () => {
    const ends = (low: number, middle: number, high: number) => measured(Float64Array.of(low, middle, high));
    const expected = [1, ...Array(9).fill(0), 1, ...Array(8).fill(0), 1];
    expect(ends(-1e308, 0, 1e308)).toEqual(expected);
    expect(ends(-Number.MAX_VALUE, 0, Number.MAX_VALUE)).toEqual(expected);
    expect(ends(0, 10 * 5e-324, 20 * 5e-324)).toEqual(expected);
    expect(ends(-5e-324, 0, 5e-324)).toEqual(expected);
  });
});
