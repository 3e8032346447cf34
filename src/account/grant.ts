/** Rows against a plan's monthly allowance: counted before the work that may fail, and given back when it does. */
import { Rejection, takeBack } from '../errors.ts';
import type { Account, AllowanceStore } from '../stores/ports.ts';
import { monthOf, type Period } from './period.ts';
import { PLANS } from './plans.ts';

export interface AllowanceDependencies {
  allowance: AllowanceStore;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Rows that were reserved and are not written within this time, less what the write may take, are forgotten when the store
 * of allowances is restarted: see `stores/redis/allowance.ts`.
 */
export const RESERVATION_MS = 2000;

/** Rows that were counted. */
export interface Grant {
  /** The period that they count in. */
  periodStart: number;
  /** What is left of the allowance. */
  remainingRows: number;
  /** The write of what they were counted for must have begun by then, in ms. */
  writeBy: number;
}

/** Throws `Rejection` SERVICE_UNAVAILABLE when it is too late to write what the rows were counted for. */
export function checkInTime({ writeBy }: Grant, now: number): void {
  if (now <= writeBy) return;
  throw new Rejection('SERVICE_UNAVAILABLE', 'This took too long: send the request again', {
    'Retry-After': '1',
  });
}

/** Counts the rows, and gives them back when `use` fails. Throws `Rejection` PLAN_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE. */
export async function granting<T>(
  { id, plan }: Account,
  rows: number,
  { allowance, now }: AllowanceDependencies,
  use: (grant: Grant) => Promise<T>,
): Promise<T> {
  const at = now();
  const period = monthOf(at);
  const remainingRows = await allowance.reserve(id, period.start, rows, PLANS[plan].rowsPerPeriod);
  if (remainingRows === null) throw limitExceeded(plan, period, at);
  try {
    return await use({ periodStart: period.start, remainingRows, writeBy: at + RESERVATION_MS });
  } catch (error) {
    await takeBack(error, () => allowance.release(id, period.start, rows));
    throw error;
  }
}

/** What is left of the allowance now; 0 also where more than it is counted. Throws `Rejection` SERVICE_UNAVAILABLE. */
export async function rowsLeft(
  { id, plan }: Account,
  { allowance, now }: AllowanceDependencies,
): Promise<number> {
  const counted = await allowance.counted(id, monthOf(now()).start);
  return Math.max(0, PLANS[plan].rowsPerPeriod - counted);
}

function limitExceeded(plan: Account['plan'], period: Period, now: number): Rejection {
  return new Rejection(
    'PLAN_LIMIT_EXCEEDED',
    `These rows would pass the ${plan} plan's ${PLANS[plan].rowsPerPeriod.toLocaleString('en-US')} rows a month; ` +
      `the next period begins at ${new Date(period.end).toISOString()}`,
    { 'Retry-After': String(Math.ceil((period.end - now) / 1000)) },
  );
}
