import { describe, expect, test } from 'bun:test';
import { MAX_PRIOR_BATCHES, PRIOR_BATCHES } from '../../../src/terms/policy.ts';
import { NO_PRIORS, priorsFrom, withPrior } from '../../../src/rules/learned/priors.ts';
import { statisticById } from '../../../src/statistics/registry.ts';

const fitted = (id: string, distances: number[]) => ({
  statistic: statisticById(id)!,
  distances: Float64Array.from(distances),
});
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('priors of a short history', () => {
  test('are those of sampling where the statistics of a source vary by chance', () => {
    const calm = times(6, () => fitted('null_rate', [Number.NaN, 0.5, -0.6]));
    expect(priorsFrom(calm)).toEqual(NO_PRIORS);
    expect(priorsFrom([])).toEqual(NO_PRIORS);
  });

  test('are wider where most statistics of the kind lie further away, and a few odd ones do not decide', () => {
    const wide = times(6, () => fitted('null_rate', [Number.NaN, 2, -3]));
    expect(priorsFrom(wide)).toMatchObject({ level: NO_PRIORS.level, distribution: NO_PRIORS.distribution });
    expect(priorsFrom(wide).share.spread).toBeGreaterThan(2.5);
    const calm = times(6, () => fitted('null_rate', [Number.NaN, 0.5, -0.6]));
    expect(priorsFrom([...calm, fitted('true_share', [Number.NaN, 90, 80])]).share.spread).toBe(1);
  });

  test('multiply the spread that is assumed of each statistic', () => {
    const { priorSpread } = statisticById('integer_share')!;
    const wide = { ...NO_PRIORS, share: { spread: 3, batches: 9 } };
    expect(withPrior(statisticById('integer_share')!, wide)).toMatchObject({
      priorSpread: 3 * priorSpread,
      priorBatches: 9,
    });
  });

  test('weigh as much as more batches where the statistics are alike, and no more where a few stray', () => {
    const alike = times(40, () => fitted('null_rate', [Number.NaN, 0.5, -0.6, 1.4]));
    expect(priorsFrom(alike).share.batches).toBe(MAX_PRIOR_BATCHES);
    const straying = times(4, () => fitted('null_rate', [Number.NaN, 9, -8]));
    expect(priorsFrom([...alike, ...straying]).share.batches).toBe(PRIOR_BATCHES);
    expect(priorsFrom(alike.slice(0, 10)).share.batches).toBe(PRIOR_BATCHES);
  });
});
