import { expect, test } from 'bun:test';
import { monthOf } from '../../src/account/period.ts';
import { PLANS } from '../../src/account/plans.ts';

const at = (text: string): number => Date.parse(text);

test('a period begins with the first millisecond of the month in UTC', () => {
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

test('plans are as in the table', () => {
  expect(Object.values(PLANS).map(plan => plan.rowsPerPeriod)).toEqual([5e5, 5e6, 5e7, 5e8]);
  expect(Object.values(PLANS).map(plan => [plan.requestsPerSecond, plan.burst])).toEqual([
    [10, 20],
    [50, 100],
    [200, 400],
    [1000, 2000],
  ]);
});
