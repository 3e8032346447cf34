import { describe, expect, test } from 'bun:test';
import { granting, RESERVATION_MS, rowsLeft } from '../../src/account/grant.ts';
import { Rejection } from '../../src/errors.ts';
import type { Account } from '../../src/stores/ports.ts';
import { SqlAllowance } from '../../src/stores/sql/allowance.ts';
import { newDatabase } from '../http/service.ts';

const OWNER: Account = {
  id: 'owner',
  name: 'owner',
  plan: 'developer',
  paidPeriod: null,
  paidUntil: null,
  salt: new Uint8Array(32),
};
const NOVEMBER = Date.UTC(2026, 10);
const now = () => Date.UTC(2026, 10, 30, 23, 59, 59, 500);
const deps = () => ({ allowance: new SqlAllowance(newDatabase().database), now });

test('rows are counted in the month of the request while the work goes on, and stay so when it succeeds', async () => {
  const given = deps();
  const seen = await granting(OWNER, 100, given, async grant => {
    expect(await given.allowance.counted('owner', NOVEMBER)).toBe(100);
    expect(await grant.confirm()).toBe(499_900);
    return grant;
  });
  expect(seen.periodStart).toBe(NOVEMBER);
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

describe('what would pass the allowance is refused', () => {
  const refusal = (rows: number, given = deps()) =>
    granting(OWNER, rows, given, async () => {}).then(
      () => null,
      (error: Rejection) => error,
    );

  test('with what is left of it, and how long there is no more', async () => {
    const given = deps();
    await given.allowance.reserve('owner', NOVEMBER, 498_766, 500_000);
    expect(await refusal(1235, given)).toMatchObject({
      code: 'PLAN_LIMIT_EXCEEDED',
      message: expect.stringMatching(
        /\(1,235\).*developer.* 1,234 of 500,000 until 2026-12-01T00:00:00.000Z/,
      ),
      headers: { 'Retry-After': '1', 'X-RateLimit-Plan': 'developer', 'X-RateLimit-Remaining': '1234' },
    });
    expect(await rowsLeft(OWNER, given)).toBe(1234);
    expect(await refusal(1234, given)).toBeNull();
  });

  test('as one that is too large by itself, and counts nothing', async () => {
    const given = deps();
    expect(await refusal(500_001, given)).toMatchObject({ headers: { 'X-RateLimit-Remaining': '500000' } });
    expect(await rowsLeft(OWNER, given)).toBe(500_000);
  });

  test('with nothing left where more is counted than the plan has', async () => {
    const given = deps();
    await given.allowance.reserve('owner', NOVEMBER, 600_000, 600_000);
    expect(await refusal(1, given)).toMatchObject({ headers: { 'X-RateLimit-Remaining': '0' } });
  });

  test('with less left than it has rows, also where others have given some back since', async () => {
    const given = deps();
    given.allowance.reserve = async () => null;
    expect(await refusal(10, given)).toMatchObject({ headers: { 'X-RateLimit-Remaining': '9' } });
  });

  test('for a second where the period ended while the request was on its way', async () => {
    let at = Date.UTC(2026, 11) - 1;
    const given = { ...deps(), now: () => at };
    given.allowance.reserve = async () => {
      at += 5000;
      return null;
    };
    expect(await refusal(1, given)).toMatchObject({ headers: { 'Retry-After': '1' } });
  });
});

test('nothing is left, and not less, where more is counted than the plan has', async () => {
  const given = deps();
  await given.allowance.reserve('owner', NOVEMBER, 600_000, 600_000);
  expect(await rowsLeft(OWNER, given)).toBe(0);
});

describe('a reservation that has grown old before its rows are written', () => {
  const clocked = () => {
    const clock = { at: NOVEMBER + 1000 };
    const allowance = new SqlAllowance(newDatabase().database);
    return { clock, allowance, now: () => clock.at };
  };

  test('is made anew, and its rows count once', async () => {
    const given = clocked();
    await granting(OWNER, 100, given, async ({ confirm }) => {
      given.clock.at += RESERVATION_MS;
      // The store lost its count and made it anew from the ledger, which has nothing of this request.
      await given.allowance.recount();
      expect(await confirm()).toBe(499_900);
      expect(await rowsLeft(OWNER, given)).toBe(500_000);
      given.clock.at += 1;
      expect(await confirm()).toBe(499_900);
      expect(await confirm()).toBe(499_900);
    });
    expect(await rowsLeft(OWNER, given)).toBe(499_900);
  });

  test('is as old where the clock was set back', async () => {
    const given = clocked();
    await granting(OWNER, 100, given, async ({ confirm }) => {
      given.clock.at -= 1;
      await given.allowance.recount();
      await confirm();
    });
    expect(await rowsLeft(OWNER, given)).toBe(499_900);
  });

  test('is refused where others have taken what was left, and nothing of it stays', async () => {
    const given = clocked();
    const work = granting(OWNER, 100, given, async ({ confirm }) => {
      await given.allowance.reserve('owner', NOVEMBER, 499_900, 500_000);
      await given.allowance.release('owner', NOVEMBER, 100);
      await given.allowance.reserve('owner', NOVEMBER, 100, 500_000);
      given.clock.at += RESERVATION_MS + 1;
      given.allowance.release = async () => {};
      await confirm();
    });
    await expect(work).rejects.toMatchObject({ code: 'PLAN_LIMIT_EXCEEDED' });
    expect(await given.allowance.counted('owner', NOVEMBER)).toBe(500_000);
  });

  test('is given back once, also when nobody knows whether it was given back', async () => {
    const given = clocked();
    await given.allowance.reserve('owner', NOVEMBER, 1000, 500_000);
    const work = granting(OWNER, 100, given, async ({ confirm }) => {
      given.clock.at += RESERVATION_MS + 1;
      given.allowance.release = async (...rows) => {
        await SqlAllowance.prototype.release.apply(given.allowance, rows);
        throw new Rejection('SERVICE_UNAVAILABLE', 'it did not answer');
      };
      await confirm();
    });
    await expect(work).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await given.allowance.counted('owner', NOVEMBER)).toBe(1000);
  });
});
