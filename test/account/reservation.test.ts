import { describe, expect, test } from 'bun:test';
import {
  type AllowanceDependencies,
  type Reservation,
  remainingRowsOf,
  reserveRows,
} from '../../src/account/reservation.ts';
import { Compensations } from '../../src/screen/compensations.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { type Account, RESERVATION_TTL_MS } from '../../src/stores/ports.ts';
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

/** The work of a request between reserving and failing or writing. */
async function withReservation<T>(
  account: Account,
  rows: number,
  given: AllowanceDependencies,
  work: (reservation: Reservation) => Promise<T>,
): Promise<T> {
  const undo = new Compensations();
  const reservation = await reserveRows(account, rows, given);
  undo.add(reservation.release);
  try {
    return await work(reservation);
  } catch (error) {
    await undo.run(error);
    throw error;
  }
}

test('rows count in the month of the request during the work and after its success', async () => {
  const given = deps();
  const seen = await withReservation(OWNER, 100, given, async grant => {
    expect(await given.allowance.counted('owner', NOVEMBER)).toBe(100);
    expect(await grant.confirm()).toBe(499_900);
    return grant;
  });
  expect(seen.periodStart).toBe(NOVEMBER);
  expect(await remainingRowsOf(OWNER, given)).toBe(499_900);
});

test('rows are released when the work fails, and the error is that of the work', async () => {
  const given = deps();
  const work = withReservation(OWNER, 100, given, async () => {
    given.allowance.release = async (...rows) => {
      await SqlAllowance.prototype.release.apply(given.allowance, rows);
      throw new Rejection('SERVICE_UNAVAILABLE', 'away');
    };
    throw new Error('the work');
  });
  await expect(work).rejects.toThrow('the work');
  expect(await remainingRowsOf(OWNER, given)).toBe(500_000);
});

describe('a request beyond the allowance is rejected', () => {
  const refusal = (rows: number, given = deps()) =>
    withReservation(OWNER, rows, given, async () => {}).then(
      () => null,
      (error: Rejection) => error,
    );

  test('with the remaining rows and the time to wait', async () => {
    const given = deps();
    await given.allowance.reserve('owner', NOVEMBER, 498_766, 500_000);
    expect(await refusal(1235, given)).toMatchObject({
      code: 'PLAN_LIMIT_EXCEEDED',
      message: expect.stringMatching(
        /\(1,235\).*developer.* 1,234 of 500,000 until 2026-12-01T00:00:00.000Z/,
      ),
      headers: { 'X-RateLimit-Plan': 'developer', 'X-RateLimit-Remaining': '1234', 'X-RateLimit-Reset': '1' },
    });
    expect(await remainingRowsOf(OWNER, given)).toBe(1234);
    expect(await refusal(1234, given)).toBeNull();
  });

  test('if it is larger than the plan, and counts nothing', async () => {
    const given = deps();
    expect(await refusal(500_001, given)).toMatchObject({ headers: { 'X-RateLimit-Remaining': '500000' } });
    expect(await remainingRowsOf(OWNER, given)).toBe(500_000);
  });

  test('with 0 remaining rows if more rows are counted than the plan has', async () => {
    const given = deps();
    await given.allowance.reserve('owner', NOVEMBER, 600_000, 600_000);
    expect(await refusal(1, given)).toMatchObject({ headers: { 'X-RateLimit-Remaining': '0' } });
  });

  test('with fewer remaining rows than its own, even if others have released rows since', async () => {
    const given = deps();
    given.allowance.reserve = async () => null;
    expect(await refusal(10, given)).toMatchObject({ headers: { 'X-RateLimit-Remaining': '9' } });
  });

  test('for one second if the period ended during the request', async () => {
    let at = Date.UTC(2026, 11) - 1;
    const given = { ...deps(), now: () => at };
    given.allowance.reserve = async () => {
      at += 5000;
      return null;
    };
    expect(await refusal(1, given)).toMatchObject({ headers: { 'X-RateLimit-Reset': '1' } });
  });
});

test('the remaining rows are never negative', async () => {
  const given = deps();
  await given.allowance.reserve('owner', NOVEMBER, 600_000, 600_000);
  expect(await remainingRowsOf(OWNER, given)).toBe(0);
});

describe('a reservation that is too old when its rows are written', () => {
  const clocked = () => {
    const clock = { at: NOVEMBER + 1000 };
    const allowance = new SqlAllowance(newDatabase().database);
    return { clock, allowance, now: () => clock.at };
  };

  test('is renewed, and its rows count once', async () => {
    const given = clocked();
    await withReservation(OWNER, 100, given, async ({ confirm }) => {
      given.clock.at += RESERVATION_TTL_MS;
      // The store lost its count and rebuilt it from the ledger, without the rows of this request.
      await given.allowance.recount();
      expect(await confirm()).toBe(499_900);
      expect(await remainingRowsOf(OWNER, given)).toBe(500_000);
      given.clock.at += 1;
      expect(await confirm()).toBe(499_900);
      expect(await confirm()).toBe(499_900);
    });
    expect(await remainingRowsOf(OWNER, given)).toBe(499_900);
  });

  test('is also too old after the clock was set back', async () => {
    const given = clocked();
    await withReservation(OWNER, 100, given, async ({ confirm }) => {
      given.clock.at -= 1;
      await given.allowance.recount();
      await confirm();
    });
    expect(await remainingRowsOf(OWNER, given)).toBe(499_900);
  });

  test('is rejected if others have used the remaining rows, and leaves no count', async () => {
    const given = clocked();
    const work = withReservation(OWNER, 100, given, async ({ confirm }) => {
      const others = await given.allowance.reserve('owner', NOVEMBER, 499_900, 500_000);
      await given.allowance.release('owner', NOVEMBER, 100, others!.count);
      await given.allowance.reserve('owner', NOVEMBER, 100, 500_000);
      given.clock.at += RESERVATION_TTL_MS + 1;
      given.allowance.release = async () => {};
      await confirm();
    });
    await expect(work).rejects.toMatchObject({ code: 'PLAN_LIMIT_EXCEEDED' });
    expect(await given.allowance.counted('owner', NOVEMBER)).toBe(500_000);
  });

  test('is released once, even if the outcome of the release is unknown', async () => {
    const given = clocked();
    await given.allowance.reserve('owner', NOVEMBER, 1000, 500_000);
    const work = withReservation(OWNER, 100, given, async ({ confirm }) => {
      given.clock.at += RESERVATION_TTL_MS + 1;
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
