import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { monthOf, type Period, periodOf } from '../../src/account/period.ts';
import { PLANS } from '../../src/account/plans.ts';

const at = (text: string): number => Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text);
const paid = (start: string, end: string) => ({
  paidPeriod: { start: at(start), end: at(end) },
  paidUntil: null,
});
const shown = ({ start, end }: Period): string[] => [start, end].map(time => new Date(time).toISOString());

test('a period starts at the first millisecond of the month in UTC', () => {
  const february = { start: at('2028-02-01T00:00:00.000Z'), end: at('2028-03-01T00:00:00.000Z') };
  expect(monthOf(february.start)).toEqual(february);
  expect(monthOf(at('2028-02-29T23:59:59.999Z'))).toEqual(february);
  expect(monthOf(february.end).start).toBe(february.end);
  expect(monthOf(february.start - 1).end).toBe(february.start);
});

test('December ends with the year', () => {
  expect(monthOf(at('2027-12-15T12:00:00+09:00'))).toEqual({
    start: at('2027-12-01T00:00:00.000Z'),
    end: at('2028-01-01T00:00:00.000Z'),
  });
});

test('plans match the table', () => {
  expect(Object.values(PLANS).map(plan => plan.rowsPerPeriod)).toEqual([5e5, 5e6, 5e7, 5e8]);
  expect(Object.values(PLANS).map(plan => [plan.requestsPerSecond, plan.burst])).toEqual([
    [10, 20],
    [50, 100],
    [200, 400],
    [1000, 2000],
  ]);
});

describe('the period of an account', () => {
  const free = { paidPeriod: null, paidUntil: null };
  const NOW = at('2026-11-21T12:00:00Z');

  test('without a paid plan is the calendar month', () => {
    expect(periodOf(free, NOW)).toEqual(monthOf(NOW));
  });

  test('with a paid plan is that of its subscription', () => {
    const account = paid('2026-11-05T07:08:09Z', '2026-12-05T07:08:09Z');
    expect(periodOf(account, NOW)).toEqual(account.paidPeriod);
  });

  test('starts where a paid plan ended, in that month', () => {
    const account = { paidPeriod: null, paidUntil: at('2026-11-20') };
    expect(shown(periodOf(account, NOW))).toEqual(['2026-11-20T00:00:00.000Z', '2026-12-01T00:00:00.000Z']);
    expect(periodOf(account, at('2026-12-02'))).toEqual(monthOf(at('2026-12-02')));
    expect(periodOf({ paidPeriod: null, paidUntil: at('2026-10-31') }, NOW)).toEqual(monthOf(NOW));
  });

  test.each([
    [
      '2026-11-05T07:08:09.000Z',
      '2026-12-05T07:08:09.000Z',
      '2026-12-05T07:08:09Z',
      '2027-01-05T07:08:09.000Z',
    ],
    ['2027-01-31T00:00:00.000Z', '2027-02-28T00:00:00.000Z', '2027-02-28', '2027-03-31T00:00:00.000Z'],
    ['2027-02-28T00:00:00.000Z', '2027-03-31T00:00:00.000Z', '2027-03-31', '2027-04-30T00:00:00.000Z'],
    ['2026-11-05T00:00:00.000Z', '2027-11-05T00:00:00.000Z', '2028-02-01', '2028-11-05T00:00:00.000Z'],
    ['2026-11-05T00:00:00.000Z', '2026-11-12T00:00:00.000Z', '2026-11-12', '2026-11-19T00:00:00.000Z'],
  ])('that began %s and ended %s is followed at its end (%s) by one until %s', (start, end, now, next) => {
    expect(shown(periodOf(paid(start, end), at(now)))).toEqual([end, next]);
  });

  test('follows the subscription’s day of the month through short months, however many renewals were missed', () => {
    const account = paid('2026-10-31', '2026-11-30');
    const ends = ['2026-12-31', '2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2031-02-28'];
    for (const end of ends) expect(periodOf(account, at(end) - 1).end).toBe(at(end));
  });

  test('contains its time, and periods of an account follow each other without a gap', () => {
    const times = fc.integer({ min: at('2020-01-01'), max: at('2040-01-01') });
    const lengths = fc.oneof(fc.integer({ min: 3_600_000, max: 90 * 86_400_000 }), fc.constant(null));
    fc.assert(
      fc.property(times, lengths, times, (start, length, time) => {
        const month = new Date(start);
        const end = length === null ? month.setUTCMonth(month.getUTCMonth() + 1) : start + length;
        const account = { paidPeriod: { start, end }, paidUntil: null };
        const period = periodOf(account, time);
        const next = periodOf(account, period.end);
        expect(period.end).toBeGreaterThan(time);
        if (time >= end) expect(period.start).toBeLessThanOrEqual(time);
        expect(next.start).toBe(period.end);
        expect(next.end).toBeGreaterThan(next.start);
      }),
    );
  });
});
