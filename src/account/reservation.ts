/** Reserves rows of a plan's allowance before they are written, to be released if the request fails. */
import { Rejection } from '../terms/errors.ts';
import {
  type Account,
  type AllowanceStore,
  RESERVATION_TTL_MS,
  type ReserveResult,
} from '../stores/ports.ts';
import { type Period, periodOf } from './period.ts';
import { PLANS } from './plans.ts';

export interface AllowanceDependencies {
  allowance: AllowanceStore;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Rows that are counted against the allowance. */
export interface Reservation {
  /** Start of the billing period that the rows count in. */
  periodStart: number;
  /**
   * Call it right before writing the rows. Renews an old reservation and returns the remaining rows of the allowance.
   * Throws `Rejection` PLAN_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE if it had to renew.
   */
  confirm(): Promise<number>;
  /** Gives the rows back, once. Throws `Rejection` SERVICE_UNAVAILABLE. */
  release(): Promise<void>;
}

/** Reserves the rows. Throws `Rejection` PLAN_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE. */
export async function reserveRows(
  account: Account,
  rows: number,
  { allowance, now }: AllowanceDependencies,
): Promise<Reservation> {
  const { id, plan } = account;
  const period = periodOf(account, now());
  const reserve = async () => {
    const at = now();
    const reservation = await allowance.reserve(id, period.start, rows, PLANS[plan].rowsPerPeriod);
    if (reservation === null) throw await limitExceeded(account, rows, period, { allowance, now });
    return { ...reservation, at };
  };
  let current: DatedReservation | null = await reserve();
  const release = async () => {
    const released = current;
    // Never release twice: the first attempt may have succeeded although it failed for us.
    current = null;
    if (released) await allowance.release(id, period.start, rows, released.count);
  };
  const confirm = async () => {
    if (current && !isOld(current, now())) return current.left;
    await release();
    current = await reserve();
    return current.left;
  };
  return { periodStart: period.start, confirm, release };
}

interface DatedReservation extends ReserveResult {
  /** When it was requested, in ms. */
  at: number;
}

/** A time in the future counts as old too: the clock was set back. */
const isOld = ({ at }: DatedReservation, now: number): boolean => now < at || now - at > RESERVATION_TTL_MS;

/** Remaining rows of the allowance; 0 if more rows are counted than the plan has. Throws `Rejection` SERVICE_UNAVAILABLE. */
export const remainingRowsOf = (
  account: Account,
  { allowance, now }: AllowanceDependencies,
): Promise<number> => remainingIn(periodOf(account, now()), account, allowance);

async function remainingIn(
  { start }: Period,
  { id, plan }: Account,
  allowance: AllowanceStore,
): Promise<number> {
  return Math.max(0, PLANS[plan].rowsPerPeriod - (await allowance.counted(id, start)));
}

/** The rejection for want of rows. */
export class PlanLimitExceeded extends Rejection {
  constructor(
    message: string,
    headers: Record<string, string>,
    /** Rows that the account may still send in this period. */
    readonly remainingRows: number,
  ) {
    super('PLAN_LIMIT_EXCEEDED', message, headers);
  }
}

async function limitExceeded(
  account: Account,
  rows: number,
  period: Period,
  { allowance, now }: AllowanceDependencies,
): Promise<Rejection> {
  const { plan } = account;
  // Other requests may have released rows since: the message must not contradict the rejection.
  const left = Math.min(rows - 1, await remainingIn(period, account, allowance));
  const [sent, unused, all] = [rows, left, PLANS[plan].rowsPerPeriod].map(each =>
    each.toLocaleString('en-US'),
  );
  return new PlanLimitExceeded(
    `The request has more rows (${sent}) than the ${plan} plan has left: ` +
      `${unused} of ${all} until ${new Date(period.end).toISOString()}; no row was counted. ` +
      'Choose a larger plan; on your own server set BOOTSTRAP_PLAN (the first account) or SIGNUP_PLAN (new accounts)',
    {
      // No Retry-After: urllib3 and other clients would sleep until the end of the month.
      'X-RateLimit-Plan': plan,
      'X-RateLimit-Remaining': String(left),
      // The period may have ended during the request.
      'X-RateLimit-Reset': String(Math.max(1, Math.ceil((period.end - now()) / 1000))),
    },
    left,
  );
}
