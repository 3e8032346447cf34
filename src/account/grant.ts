/** Rows against a plan's monthly allowance: counted before the work that may fail, and given back when it does. */
import { Rejection, takeBack } from '../errors.ts';
import type { Account, AllowanceStore, Reservation } from '../stores/ports.ts';
import { type Period, periodOf } from './period.ts';
import { PLANS } from './plans.ts';

/** A reservation that is older is made anew before its rows are written: the store may have lost it meanwhile, and count without it. */
export const RESERVATION_MS = 2000;

export interface AllowanceDependencies {
  allowance: AllowanceStore;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Rows that were counted. */
export interface Grant {
  /** The period that they count in. */
  periodStart: number;
  /**
   * To be called right before the rows are written: from then on they count. Answers what is left of the allowance.
   * Throws `Rejection` PLAN_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE where the rows had to be counted anew.
   */
  confirm(): Promise<number>;
}

/** Counts the rows, and gives them back when `use` fails. Throws `Rejection` PLAN_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE. */
export async function granting<T>(
  account: Account,
  rows: number,
  { allowance, now }: AllowanceDependencies,
  use: (grant: Grant) => Promise<T>,
): Promise<T> {
  const { id, plan } = account;
  const period = periodOf(account, now());
  const reserve = async () => {
    const at = now();
    const reservation = await allowance.reserve(id, period.start, rows, PLANS[plan].rowsPerPeriod);
    if (reservation === null) throw await limitExceeded(account, rows, period, { allowance, now });
    return { ...reservation, at };
  };
  let held: Held | null = await reserve();
  const release = async () => {
    const given = held;
    // Once: what may have been given back already must not be given back again.
    held = null;
    if (given) await allowance.release(id, period.start, rows, given.count);
  };
  const confirm = async () => {
    if (held && !isOld(held, now())) return held.left;
    await release();
    held = await reserve();
    return held.left;
  };
  try {
    return await use({ periodStart: period.start, confirm });
  } catch (error) {
    await takeBack(error, release);
    throw error;
  }
}

interface Held extends Reservation {
  /** When it was asked for, in ms. */
  at: number;
}

/** So is one from the future, of a clock that was set back. */
const isOld = ({ at }: Held, now: number): boolean => now < at || now - at > RESERVATION_MS;

/** What is left of the allowance now; 0 also where more than it is counted. Throws `Rejection` SERVICE_UNAVAILABLE. */
export const rowsLeft = (account: Account, { allowance, now }: AllowanceDependencies): Promise<number> =>
  leftIn(periodOf(account, now()), account, allowance);

async function leftIn({ start }: Period, { id, plan }: Account, allowance: AllowanceStore): Promise<number> {
  return Math.max(0, PLANS[plan].rowsPerPeriod - (await allowance.counted(id, start)));
}

/** What is left may be just what the client can still send: it is said for people and for programs. */
async function limitExceeded(
  account: Account,
  rows: number,
  period: Period,
  { allowance, now }: AllowanceDependencies,
): Promise<Rejection> {
  const { plan } = account;
  // Rows that others have given back since do not make this refusal contradict itself.
  const left = Math.min(rows - 1, await leftIn(period, account, allowance));
  const [sent, unused, all] = [rows, left, PLANS[plan].rowsPerPeriod].map(each =>
    each.toLocaleString('en-US'),
  );
  return new Rejection(
    'PLAN_LIMIT_EXCEEDED',
    `These rows (${sent}) are more than are left of the ${plan} plan's: ` +
      `${unused} of ${all} until ${new Date(period.end).toISOString()}; none of them was counted`,
    {
      // The period may have ended while the request was on its way.
      'Retry-After': String(Math.max(1, Math.ceil((period.end - now()) / 1000))),
      'X-RateLimit-Plan': plan,
      'X-RateLimit-Remaining': String(left),
    },
  );
}
