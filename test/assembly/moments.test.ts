import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { anyColumn, hardColumns, LENGTHS } from './columns.ts';
import { exactM2, exactMean } from './exact.ts';
import { buffer, exports, start } from './statistics.ts';

function measure(values: Float64Array) {
  // Values behind the column must not count.
  new Float64Array(buffer, start, values.length + 8).fill(NaN).set(values);
  exports.moments(start, values.length);
  const { minimum, maximum, mean, m2 } = exports;
  return { minimum: minimum.value, maximum: maximum.value, mean: mean.value, m2: m2.value };
}

function expectExact(values: Float64Array): void {
  const measured = measure(values);
  const sorted = values.slice().sort();
  const largest = Math.max(Math.abs(sorted[0]!), Math.abs(sorted.at(-1)!));
  expect(measured.minimum).toBe(sorted[0]! + 0);
  expect(measured.maximum).toBe(sorted.at(-1)! + 0);
  expect(measured.mean).toBeWithin(
    measured.minimum,
    measured.maximum + Number.MIN_VALUE + largest * 2 ** -52,
  );
  expect(Math.abs(measured.mean - exactMean(values))).toBeLessThanOrEqual(
    largest * 2 ** -42 + Number.MIN_VALUE,
  );
  expectNear(measured.m2, exactM2(values), values.length);
}

/** Squares below the smallest double vanish; near the largest double rounding decides. */
function expectNear(m2: number, exact: number, n: number): void {
  if (m2 === Infinity) expect(exact).toBeGreaterThan(Number.MAX_VALUE * (1 - 1e-11));
  else
    expect(Math.abs(m2 - exact)).toBeLessThanOrEqual(
      1e-11 * Math.min(exact, Number.MAX_VALUE) + n * Number.MIN_VALUE,
    );
}

describe('moments', () => {
  for (const [name, values] of Object.entries(hardColumns(10000, 7))) {
    test(`of 10,000 numbers agree with exact arithmetic: ${name}`, () => expectExact(values));
  }

  test('of every length from 1 on agree with exact arithmetic', () => {
    for (const n of LENGTHS) expectExact(hardColumns(n, n).gaussian!);
  });

  test('of any finite numbers agree with exact arithmetic', () => {
    fc.assert(fc.property(anyColumn(200), expectExact));
  });

  test('the mean of equal numbers is that number, and the deviations are 0', () => {
    for (const x of [0.1, 1 / 3, 1e308, -Number.MAX_VALUE, 5e-324]) {
      expect(measure(new Float64Array(9999).fill(x))).toEqual({ minimum: x, maximum: x, mean: x, m2: 0 });
    }
  });

  test('a large offset costs the variance no precision', () => {
    const values = Float64Array.from({ length: 10000 }, (_, i) => 1e15 + (i % 2));
    expect(measure(values).mean).toBe(1e15 + 0.5);
    expect(measure(values).m2).toBe(2500);
  });

  test('numbers whose sum overflows have a finite mean', () => {
    expect(measure(Float64Array.of(1.5e308, 1.6e308, 1.7e308)).mean).toBeCloseTo(1.6e308, -298);
    expect(measure(Float64Array.of(1e308, 1e308, 1e308, 1e308, -1e308, -1e308, -1e308, -1e308)).mean).toBe(0);
    expect(measure(Float64Array.of(1e308, -1e308)).m2).toBe(Infinity);
  });
});
