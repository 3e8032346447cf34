/** Rows against a plan's monthly allowance: counted before the work that may fail, and given back when it does. */
import { Rejection, takeBack } from '../errors.ts';
import type { Account, AllowanceStore } from '../stores/ports.ts';
import { type Period, periodOf } from './period.ts';
import { PLANS } from './plans.ts';

export interface AllowanceDependencies {
  allowance: AllowanceStore;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Rows that were counted. */
export interface Grant {
  /** The period that they count in. */
  periodStart: number;
  /** What is left of the allowance. */
  remainingRows: number;
}

/** Counts the rows, and gives them back when `use` fails. Throws `Rejection` PLAN_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE. */
export async function granting<T>(
  account: Account,
  rows: number,
  { allowance, now }: AllowanceDependencies,
  use: (grant: Grant) => Promise<T>,
): Promise<T> {
  const { id, plan } = account;
  const at = now();
  const period = periodOf(account, at);
  const remainingRows = await allowance.reserve(id, period.start, rows, PLANS[plan].rowsPerPeriod);
  if (remainingRows === null) throw limitExceeded(plan, period, at);
  try {
    return await use({ periodStart: period.start, remainingRows });
  } catch (error) {
    await takeBack(error, () => allowance.release(id, period.start, rows));
    throw error;
  }
}

/** What is left of the allowance now; 0 also where more than it is counted. Throws `Rejection` SERVICE_UNAVAILABLE. */
export async function rowsLeft(account: Account, { allowance, now }: AllowanceDependencies): Promise<number> {
  const counted = await allowance.counted(account.id, periodOf(account, now()).start);
  return Math.max(0, PLANS[account.plan].rowsPerPeriod - counted);
}

function limitExceeded(plan: Account['plan'], period: Period, now: number): Rejection {
  return new Rejection(
    'PLAN_LIMIT_EXCEEDED',
    `These rows would pass the ${plan} plan's ${PLANS[plan].rowsPerPeriod.toLocaleString('en-US')} rows a month; ` +
      `the next period begins at ${new Date(period.end).toISOString()}`,
    { 'Retry-After': String(Math.ceil((period.end - now) / 1000)) },
  );
}
