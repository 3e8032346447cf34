import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { anyColumn, hardColumns, LENGTHS } from './columns.ts';
import { buffer, exports, start } from './statistics.ts';

function measured(values: Float64Array, low: number, high: number) {
  // Values behind the column are outside and must not count.
  new Float64Array(buffer, start, values.length + 8).fill(-Infinity).set(values);
  exports.outside(start, values.length, low, high);
  return { count: exports.outsideCount.value, min: exports.outsideMin.value, max: exports.outsideMax.value };
}

function oracle(values: Float64Array, low: number, high: number) {
  const found = values.filter(x => x < low || x > high).sort();
  return { count: found.length, min: (found[0] ?? NaN) + 0, max: (found.at(-1) ?? NaN) + 0 };
}

describe('outside', () => {
  test('finds what a filter finds among any finite numbers', () => {
    fc.assert(
      fc.property(anyColumn(100), fc.double(), fc.double(), (values, low, high) =>
        expect(measured(values, low, high)).toEqual(oracle(values, low, high)),
      ),
    );
  });

  test('finds what a filter finds at every length, with fences on values', () => {
    for (const n of LENGTHS) {
      for (const values of Object.values(hardColumns(n, n))) {
        const sorted = values.slice().sort();
        const low = sorted[n >> 2]!;
        const high = sorted[n - 1 - (n >> 3)]!;
        expect(measured(values, low, high)).toEqual(oracle(values, low, high));
      }
    }
  });

  test('a value on a fence is inside', () => {
    expect(measured(Float64Array.of(1, 2, 3), 1, 3)).toEqual({ count: 0, min: NaN, max: NaN });
  });

  test('does not depend on the column before', () => {
    expect(measured(Float64Array.of(1, 9), 2, 3)).toEqual({ count: 2, min: 1, max: 9 });
    expect(measured(Float64Array.of(2, 3, 9), 2, 3)).toEqual({ count: 1, min: 9, max: 9 });
  });
});
