import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../../property/seed.ts';
import {
  deviateOfSurprise,
  expectedMaximum,
  normalOfT,
  surprise,
} from '../../../src/rules/learned/tail-probability.ts';

describe('tails', () => {
  test.each([
    [1.959964, 0.05],
    [2.575829, 0.01],
    [3.290527, 1e-3],
    [4.891638, 1e-6],
    [6.706, 2e-11],
  ])('a normal deviate of %d is as unusual as its tail is small', (z, tail) => {
    expect(surprise(z)).toBeCloseTo(-Math.log10(tail), 1);
  });

  test('a greater distance is never less of a surprise, and the inverse finds it again', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 40, noNaN: true }),
        fc.double({ min: 0, max: 5, noNaN: true }),
        (z, more) => {
          expect(surprise(z + more)).toBeGreaterThanOrEqual(surprise(z));
          expect(surprise(deviateOfSurprise(surprise(z)))).toBeCloseTo(surprise(z), 3);
        },
      ),
    );
  });

  test.each([
    [2.776, 4, 1.96],
    [4.604, 4, 2.576],
    [2.12, 16, 1.96],
    [4.015, 16, 3.291],
  ])("Student's t of %d with %d degrees of freedom is worth the normal deviate %d", (t, freedom, z) => {
    expect(Math.abs(normalOfT(t, freedom) / z - 1)).toBeLessThan(0.03);
  });

  test('expects the largest of many deviates where it is', () => {
    expect(expectedMaximum(1)).toBe(1);
    expect(Math.abs(expectedMaximum(30) - 2.3)).toBeLessThan(0.3);
    expect(Math.abs(expectedMaximum(1000) - 3.4)).toBeLessThan(0.3);
  });
});
