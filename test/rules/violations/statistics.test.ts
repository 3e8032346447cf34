/** Bounds on statistics that other programs know: they are exact, over all rows. */
import { expect, test } from 'bun:test';
import { violationsOf } from './rows-of.ts';

const ROWS = [3, 1, null, 1, 8, 5].map(a => ({ a }));

test.each([
  ['min', 1],
  ['max', 8],
  ['sum', 18],
  ['distinct_count', 4],
  // Of the values, not of the rows.
  ['distinct_share', 0.8],
  ['median', 3],
])('%s is %p', (statistic, value) => {
  const violated = (bounds: object) =>
    violationsOf(ROWS, { statistics: [{ field: 'a', statistic, ...bounds }] }).length;
  expect(violated({ minimum: value, maximum: value })).toBe(0);
  expect(violated({ minimum: value + 0.01 })).toBe(1);
  expect(violated({ maximum: value - 0.01 })).toBe(1);
});
