import { expect, test } from 'bun:test';
import { PLANS as OURS } from '../../src/account/plans.ts';
import { PLANS } from '../../src/dashboard/plans.ts';

test('the plans are those of the service', () => {
  const shown = Object.entries(OURS).map(([name, { rowsPerPeriod, requestsPerSecond }]) => [
    name,
    { rowsPerPeriod, requestsPerSecond },
  ]);
  expect(PLANS).toEqual(Object.fromEntries(shown));
  expect(Object.keys(PLANS)).toEqual(Object.keys(OURS));
});
