import { describe, expect, test } from 'bun:test';
import type { Past } from '../../../src/judge/adaptive/distance.ts';
import { fit } from '../../../src/judge/adaptive/forecast.ts';
import type { Measure } from '../../../src/judge/adaptive/measures.ts';
import { randomOf } from './streams.ts';

const measure = (kind: Measure['kind'], more: Partial<Measure> = {}): Measure => ({
  name: 'x',
  kind,
  onlyRise: false,
  usualSpread: 1,
  ofOneCell: false,
  read: () => null,
  ...more,
});
const SHARE = measure('share');
const LEVEL = measure('level');

const DAY_MS = 86_400_000;
const MONDAY = Date.UTC(2026, 10, 23, 6);
const share = (parts: number, size = 100, at = 0): Past => ({ value: parts / size, size, variance: 0, at });
const level = (value: number, at = 0, size = 100): Past => ({ value, size, variance: 1, at });
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const surpriseOf = (how: Measure, history: (Past | null)[], now: Past): number =>
  fit(how, history)!.judge(now)!.surprise;

describe('a forecast', () => {
  test('needs three batches that have the statistic', () => {
    expect(fit(SHARE, [share(1), null, share(2), null])).toBeNull();
    expect(fit(SHARE, [share(1), share(2), share(1)])).not.toBeNull();
  });

  test('of a share that was always 0 takes one in a hundred for little and twenty for much', () => {
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

  test('of a source that varies by more than sampling allows what it has done before', () => {
    const history = times(14, i => share(i % 2 ? 60 : 20));
    expect(surpriseOf(SHARE, history, share(61))).toBeLessThan(1.5);
    expect(
      surpriseOf(
        SHARE,
        times(14, i => share(40 + (i % 2))),
        share(61),
      ),
    ).toBeGreaterThan(3);
  });

  test('allows as much as a single batch once strayed', () => {
    const calm = times(14, i => level(i % 2 ? 0.05 : -0.05));
    const strayed = calm.with(6, level(1.5));
    expect(surpriseOf(LEVEL, calm, level(1.5))).toBeGreaterThan(5);
    expect(surpriseOf(LEVEL, strayed, level(1.4))).toBeLessThan(2.5);
  });

  test('follows a trend: the next step is expected, a step back to the begin is not', () => {
    const rising = times(20, i => level(i));
    expect(surpriseOf(LEVEL, rising, level(20))).toBeLessThan(1.5);
    expect(surpriseOf(LEVEL, rising, level(0))).toBeGreaterThan(3);
  });

  test('expects of a Sunday what Sundays were like', () => {
    const on = (day: number): Past => level(day % 7 === 6 ? 5 : 0, MONDAY + day * DAY_MS);
    const history = times(27, on);
    expect(surpriseOf(LEVEL, history, on(27))).toBeLessThan(0.5);
    expect(surpriseOf(LEVEL, history, { ...on(27), value: 0 })).toBeGreaterThan(5);
  });

  test('of what only a rise can be wrong with takes a fall for nothing', () => {
    const fresh = measure('share', { onlyRise: true });
    const history = times(14, i => share(40 - i));
    expect(surpriseOf(fresh, history, share(0))).toBe(0);
    expect(surpriseOf(fresh, history, share(95))).toBeGreaterThan(5);
  });

  test('of normal levels has surprises as seldom as it says', () => {
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
