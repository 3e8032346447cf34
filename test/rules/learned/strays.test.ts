import { describe, expect, test } from 'bun:test';
import { USUAL_OCCASIONS } from '../../../src/terms/policy.ts';
import { type Fittable, fit } from '../../../src/rules/learned/forecast.ts';
import { fitWithoutStrays } from '../../../src/rules/learned/strays.ts';
import type { Reading } from '../../../src/statistics/statistic.ts';

const LEVEL: Fittable = { kind: 'level', onlyRise: false, priorSpread: 1 };
const BATCHES = 24;
const level = (value: number): Reading => ({ value, size: 100, variance: 1, extraVariance: 0, counts: null });

/** How surprising a level is after that past, whose suspects were WARN. */
function surpriseOf(
  value: number,
  past: readonly Reading[],
  suspects: readonly boolean[],
  isProposed = false,
): number {
  const moments = past.map((_, order) => ({ at: 0, order }));
  const proposed = suspects.map(isSuspect => isSuspect && isProposed);
  const suspicion = { suspects, proposed, settleAfter: 4, settleProposedAfter: 6, moments };
  const { judge } = fitWithoutStrays(LEVEL, past, suspicion, fit)!;
  return judge.forecast(level(value), { at: 0, order: past.length })!.surprise;
}

/** How surprising a level of 5 is, after it occurred in these batches, which were WARN. The others are at 0. */
function surpriseAfter(strays: readonly number[], isProposed = false): number {
  const suspects = Array.from({ length: BATCHES }, (_, i) => strays.includes(i));
  const past = suspects.map((isStray, i) => level(isStray ? 5 : 0.02 * (i % 3)));
  return surpriseOf(5, past, suspects, isProposed);
}

describe('a fit without strays', () => {
  test('is as surprised by damage that was alarmed as at the first time', () => {
    expect(surpriseAfter([10])).toBeGreaterThan(6);
    expect(surpriseAfter([10])).toBeGreaterThan(0.9 * surpriseAfter([]));
    expect(surpriseAfter([10, 11, 12])).toBeGreaterThan(6);
  });

  test('takes for usual what strays again and again', () => {
    const often = Array.from({ length: USUAL_OCCASIONS }, (_, i) => 8 + 3 * i);
    expect(surpriseAfter(often.slice(1))).toBeGreaterThan(6);
    expect(surpriseAfter(often)).toBeLessThan(2);
  });

  test('starts over after enough strays that agree', () => {
    expect(surpriseAfter([21, 22, 23])).toBeGreaterThan(6);
    expect(surpriseAfter([20, 21, 22, 23])).toBeLessThan(1);
  });

  test('starts over later where batches before the strays were BLOCK', () => {
    expect(surpriseAfter([19, 20, 21, 22, 23], true)).toBeGreaterThan(6);
    expect(surpriseAfter([18, 19, 20, 21, 22, 23], true)).toBeLessThan(1);
  });

  test('takes no counter for a stray that went on while other things were alarmed', () => {
    const counter = Array.from({ length: BATCHES }, (_, i) => level(10 * i + 0.1 * (i % 3)));
    const suspects = counter.map((_, i) => i >= BATCHES - 5);
    expect(surpriseOf(10 * BATCHES, counter, suspects)).toBeLessThan(2);
    // Nor is it one step behind those that were calm.
    expect(surpriseOf(10 * (BATCHES - 5), counter, suspects)).toBeGreaterThan(6);
  });
});
