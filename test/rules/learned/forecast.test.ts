import { describe, expect, test } from 'bun:test';
import { expectedRange } from '../../../src/rules/learned/compare.ts';
import { type Fittable, fit } from '../../../src/rules/learned/forecast.ts';
import { ROW_COUNT } from '../../../src/statistics/rows.ts';
import type { Reading } from '../../../src/statistics/statistic.ts';
import { randomOf } from '../../judge/adaptive/streams.ts';

const statistic = (kind: Fittable['kind'], more: Partial<Fittable> = {}): Fittable => ({
  kind,
  onlyRise: false,
  priorSpread: 1,
  ...more,
});
const SHARE = statistic('share');
const LEVEL = statistic('level');

const DAY_MS = 86_400_000;
const MONDAY = Date.UTC(2026, 10, 23, 6);
/** A batch, and when it came. */
interface Batch extends Reading {
  at: number;
}
const share = (parts: number, size = 100): Batch => ({
  value: parts / size,
  size,
  variance: 0,
  extraVariance: 0,
  counts: null,
  at: 0,
});
const level = (value: number, at = 0): Batch => ({
  value,
  size: 100,
  variance: 1,
  extraVariance: 0,
  counts: null,
  at,
});
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const fitted = (how: Fittable, history: (Batch | null)[]) =>
  fit(
    how,
    history,
    history.map((each, order) => ({ at: each?.at ?? 0, order })),
  );
const surpriseOf = (how: Fittable, history: (Batch | null)[], now: Batch): number =>
  fitted(how, history)!.judge.forecast(now, { at: now.at, order: history.length })!.surprise;

describe('a forecast', () => {
  test('needs a batch that has the statistic', () => {
    expect(fitted(SHARE, [null, null])).toBeNull();
    expect(fitted(SHARE, [null, share(1)])).not.toBeNull();
  });

  test.each([1, 2])('from %i batches allows what two batches of any source may differ by', count => {
    const few = times(count, () => share(100, 1000));
    expect(surpriseOf(SHARE, few, share(120, 1000))).toBeLessThan(2.5);
    expect(surpriseOf(SHARE, few, share(260, 1000))).toBeGreaterThan(4.5);
    expect(
      fitted(
        statistic('level', { assumed: null }),
        times(count, () => level(1)),
      ),
    ).toBeNull();
  });

  test.each([2, 14])('from %i batches is as surprised at both ends of its range', count => {
    const { judge } = fitted(
      ROW_COUNT,
      times(count, i => level(7 + (i % 2) / 10)),
    )!;
    const forecastOf = (value: number) => judge.forecast(level(value), { at: 0, order: count })!;
    const forecast = forecastOf(7);
    const [low, high] = expectedRange({ statistic: ROW_COUNT, forecast }, 4).map(Math.log) as [
      number,
      number,
    ];
    expect(low).toBeLessThan(forecast.expected);
    expect(forecastOf(high).surprise).toBeCloseTo(forecastOf(low).surprise);
  });

  test('of a share that was always 0 is hardly surprised by one in a hundred, and much by twenty', () => {
    const history = times(14, () => share(0));
    expect(surpriseOf(SHARE, history, share(0))).toBeLessThan(0.1);
    expect(surpriseOf(SHARE, history, share(1))).toBeLessThan(4.5);
    expect(surpriseOf(SHARE, history, share(20))).toBeGreaterThan(8);
  });

  test('is surer of a large batch than of a small one', () => {
    const history = times(14, i => share(300 + 10 * (i % 3), 1000));
    const [small, large] = [share(8, 16), share(500, 1000)];
    expect(surpriseOf(SHARE, history, small)).toBeLessThan(2);
    expect(surpriseOf(SHARE, history, large)).toBeGreaterThan(4);
  });

  test('allows what a source has done before that varies by more than sampling', () => {
    const history = [...'01101001110010'].map(bit => share(bit === '1' ? 60 : 20));
    expect(surpriseOf(SHARE, history, share(61))).toBeLessThan(1.5);
    expect(
      surpriseOf(
        SHARE,
        times(14, i => share(40 + (i % 2))),
        share(61),
      ),
    ).toBeGreaterThan(3);
  });

  test('allows what a single batch did once', () => {
    const calm = times(14, i => level(i % 2 ? 0.05 : -0.05));
    const strayed = calm.with(6, level(1.5));
    expect(surpriseOf(LEVEL, calm, level(1.5))).toBeGreaterThan(5);
    expect(surpriseOf(LEVEL, strayed, level(1.4))).toBeLessThan(2.5);
  });

  test('follows a trend: expects the next step, and no step back to the start', () => {
    const rising = times(20, i => level(i));
    expect(surpriseOf(LEVEL, rising, level(20))).toBeLessThan(1.5);
    expect(surpriseOf(LEVEL, rising, level(0))).toBeGreaterThan(3);
  });

  test('expects Sundays to be like Sundays', () => {
    const on = (day: number): Batch => level(day % 7 === 6 ? 5 : 0, MONDAY + day * DAY_MS);
    const history = times(27, on);
    expect(surpriseOf(LEVEL, history, on(27))).toBeLessThan(0.5);
    expect(surpriseOf(LEVEL, history, { ...on(27), value: 0 })).toBeGreaterThan(5);
  });

  test('finds a cycle of batches that does not follow the clock', () => {
    const every = (i: number): Batch => level(i % 5 === 0 ? 5 : 0);
    const history = times(30, every);
    expect(surpriseOf(LEVEL, history, level(5))).toBeLessThan(0.5);
    expect(surpriseOf(LEVEL, history, level(0))).toBeGreaterThan(5);
  });

  test('expects a counter to continue after a missing batch', () => {
    const counter = times(20, i => level(100 * i, MONDAY + i * DAY_MS));
    expect(surpriseOf(LEVEL, counter, level(2100, MONDAY + 21 * DAY_MS))).toBeLessThan(1);
    expect(surpriseOf(LEVEL, counter, level(2100, MONDAY + 20 * DAY_MS))).toBeLessThan(2);
    expect(surpriseOf(LEVEL, counter, level(5000, MONDAY + 20 * DAY_MS))).toBeGreaterThan(5);
  });

  test('expects more repeats by chance of a large batch, and no more by mistake', () => {
    const repeated = statistic('share', { withSize: 'rises' });
    const history = times(16, () => share(0, 75));
    expect(surpriseOf(repeated, history, share(16, 900))).toBeLessThan(3);
    expect(surpriseOf(repeated, history, share(16, 75))).toBeGreaterThan(6);
    expect(surpriseOf(repeated, history, share(270, 900))).toBeGreaterThan(6);
  });

  test('expects as much of a large batch as of usual ones where batches differ by more than sampling', () => {
    const random = randomOf(5);
    const rate = () => 0.3 + 0.2 * (random.unit() - 0.5);
    const history = times(20, () => share(Math.round(100 * rate())));
    const [usual, large] = [share(45), share(4500, 10_000)];
    expect(surpriseOf(SHARE, history, large)).toBeLessThan(surpriseOf(SHARE, history, usual) + 2);
    expect(surpriseOf(SHARE, history, share(3900, 10_000))).toBeLessThan(2.5);
  });

  test("measures by how much the buckets of a distribution move, in units of the source's own spread", () => {
    const random = randomOf(3);
    const mixed = (shares: readonly number[], size = 100): Batch => {
      const counts = new Float64Array(shares.length);
      for (let cell = 0; cell < size; cell++) {
        const draw = random.unit();
        let [bucket, below] = [0, shares[0]!];
        while (draw > below) below += shares[++bucket]!;
        counts[bucket]!++;
      }
      return { ...share(0, size), counts };
    };
    const [usual, other] = [
      [0.4, 0.3, 0.2, 0.1],
      [0.1, 0.3, 0.2, 0.4],
    ];
    const mix = statistic('distribution');
    const calm = times(14, () => mixed(usual));
    expect(surpriseOf(mix, calm, mixed(usual))).toBeLessThan(2);
    expect(surpriseOf(mix, calm, mixed(other))).toBeGreaterThan(4.5);
    const restless = [...'01101001110010'].map(bit => mixed(bit === '1' ? usual : other));
    expect(surpriseOf(mix, restless, mixed(other))).toBeLessThan(2);
  });

  test('ignores a fall if only a rise counts', () => {
    const fresh = statistic('share', { onlyRise: true });
    const history = times(14, i => share(40 - i));
    expect(surpriseOf(fresh, history, share(0))).toBe(0);
    expect(surpriseOf(fresh, history, share(95))).toBeGreaterThan(5);
  });

  test('is surprised by normal levels as seldom as it claims', () => {
    const random = randomOf(5);
    let beyond = 0;
    for (let run = 0; run < 2000; run++) {
      const past = times(15, () => level(random.normal() * 0.1));
      if (surpriseOf(LEVEL, past.slice(0, 14), past[14]!) > 2) beyond++;
    }
    // One in a hundred is claimed; what the greatest stray adds makes it less.
    expect(beyond / 2000).toBeLessThan(0.012);
    expect(beyond).toBeGreaterThan(0);
  });
});
