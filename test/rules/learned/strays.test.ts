import { describe, expect, test } from 'bun:test';
import { USUAL_OCCASIONS } from '../../../src/policy.ts';
import { type Fittable, fit } from '../../../src/rules/learned/forecast.ts';
import type { Observation } from '../../../src/rules/learned/observation.ts';
import { fitWithoutStrays } from '../../../src/rules/learned/strays.ts';

const LEVEL: Fittable = { kind: 'level', onlyRise: false, priorSpread: 1 };
const BATCHES = 24;
const level = (value: number): Observation => ({ value, size: 100, variance: 1, at: 0 });

/** How surprising a level of 5 is, after it occurred in these batches, which were WARN. The others are at 0. */
function surpriseAfter(strays: readonly number[]): number {
  const suspects = Array.from({ length: BATCHES }, (_, i) => strays.includes(i));
  const past = suspects.map((isStray, i) => level(isStray ? 5 : 0.02 * (i % 3)));
  return fitWithoutStrays(LEVEL, past, { suspects, settleAfter: 6 }, fit)!.judge.forecast(level(5))!.surprise;
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
    expect(surpriseAfter([18, 19, 20, 21, 22, 23])).toBeLessThan(1);
  });

  test('takes no counter for a stray that went on while other things were alarmed', () => {
    const counter = Array.from({ length: BATCHES }, (_, i) => level(10 * i + 0.1 * (i % 3)));
    const suspects = counter.map((_, i) => i >= BATCHES - 5);
    const { judge } = fitWithoutStrays(LEVEL, counter, { suspects, settleAfter: 6 }, fit)!;
    expect(judge.forecast(level(10 * BATCHES))!.surprise).toBeLessThan(2);
    // Nor is it one step behind those that were calm.
    expect(judge.forecast(level(10 * (BATCHES - 5)))!.surprise).toBeGreaterThan(6);
  });
});
