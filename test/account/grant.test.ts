import { expect, test } from 'bun:test';
import { checkInTime, granting, rowsLeft } from '../../src/account/grant.ts';
import { Rejection } from '../../src/errors.ts';
import type { Account } from '../../src/stores/ports.ts';
import { SqlAllowance } from '../../src/stores/sql/allowance.ts';
import { newDatabase } from '../http/service.ts';

const OWNER: Account = { id: 'owner', name: 'owner', plan: 'developer', salt: new Uint8Array(32) };
const NOVEMBER = Date.UTC(2026, 10);
const now = () => Date.UTC(2026, 10, 30, 23, 59, 59, 500);
const deps = () => ({ allowance: new SqlAllowance(newDatabase().database), now });

test('rows are counted in the month of the request while the work goes on, and stay so when it succeeds', async () => {
  const given = deps();
  const seen = await granting(OWNER, 100, given, async grant => {
    expect(await given.allowance.counted('owner', NOVEMBER)).toBe(100);
    return grant;
  });
  expect(seen).toEqual({ periodStart: NOVEMBER, remainingRows: 499_900, writeBy: now() + 2000 });
  expect(await rowsLeft(OWNER, given)).toBe(499_900);
});

test('rows are given back when the work fails, and the failure is the one that is heard', async () => {
  const given = deps();
  const work = granting(OWNER, 100, given, async () => {
    given.allowance.release = async (...rows) => {
      await SqlAllowance.prototype.release.apply(given.allowance, rows);
      throw new Rejection('SERVICE_UNAVAILABLE', 'away');
    };
    throw new Error('the work');
  });
  await expect(work).rejects.toThrow('the work');
  expect(await rowsLeft(OWNER, given)).toBe(500_000);
});

test('what would pass the allowance is refused with the time to the next period', async () => {
  const given = deps();
  const refused = granting(OWNER, 500_001, given, async () => {});
  await expect(refused).rejects.toMatchObject({
    code: 'PLAN_LIMIT_EXCEEDED',
    message: expect.stringMatching(/500,000 rows a month.*2026-12-01T00:00:00.000Z/),
    headers: { 'Retry-After': '1' },
  });
  expect(await rowsLeft(OWNER, given)).toBe(500_000);
});

test('nothing is left, and not less, where more is counted than the plan has', async () => {
  const given = deps();
  await given.allowance.reserve('owner', NOVEMBER, 600_000, 600_000);
  expect(await rowsLeft(OWNER, given)).toBe(0);
});

test('what rows were counted for is not written when they may be forgotten', async () => {
  const refused = granting(OWNER, 1, deps(), async grant => {
    checkInTime(grant, now() + 2000);
    checkInTime(grant, now() + 2001);
  });
  await expect(refused).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    headers: { 'Retry-After': '1' },
  });
});
