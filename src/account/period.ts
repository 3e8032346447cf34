/** When the rows of a plan count: the calendar month, or the period of the subscription that pays for the plan. */
import type { Account } from '../stores/ports.ts';

/** A billing period: `start` belongs to it, `end` to the next one. Milliseconds since 1970, UTC. */
export interface Period {
  start: number;
  end: number;
}

/** The calendar month in UTC that a time (ms) falls in. */
export function monthOf(time: number): Period {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}

/**
 * The period of an account at a time (ms). While a plan is paid for it is the subscription's, and once that is over the
 * one that follows: it begins where the last one ended, so nothing has to be heard from the payment provider for it.
 * Else it is the calendar month, of which only what came after the last paid plan counts.
 */
export function periodOf(
  { paidPeriod, paidUntil }: Pick<Account, 'paidPeriod' | 'paidUntil'>,
  time: number,
): Period {
  if (paidPeriod !== null) return renewed(paidPeriod, time);
  const month = monthOf(time);
  const isThisMonth = paidUntil !== null && paidUntil > month.start && paidUntil < month.end;
  return isThisMonth ? { ...month, start: paidUntil } : month;
}

/** The period, or the one of those that follow it, which has not ended at `time`. */
function renewed(period: Period, time: number): Period {
  if (time < period.end) return period;
  const { endOf, longestMs } = renewals(period);
  let renewal = Math.floor((time - period.end) / longestMs);
  while (endOf(renewal) <= time) renewal++;
  return { start: endOf(renewal - 1), end: endOf(renewal) };
}

const DAY_MS = 86_400_000;

/** Where the period ends (0) and those after it, and how long one of them is at most. */
function renewals({ start, end }: Period): { endOf(renewal: number): number; longestMs: number } {
  const months = monthsBetween(start, end);
  if (months === 0) return { endOf: renewal => end + renewal * (end - start), longestMs: end - start };
  // Of two days that are one month apart the later is the one that counts: the other may be a short month's last.
  const startsLater = dayOf(start) > dayOf(end);
  const anchor = startsLater ? start : end;
  const first = startsLater ? months : 0;
  return {
    endOf: renewal => monthsAfter(anchor, first + renewal * months),
    longestMs: months * 31 * DAY_MS,
  };
}

/** Whole calendar months from one time to the other; 0 where they are not whole. */
function monthsBetween(start: number, end: number): number {
  const [from, to] = [new Date(start), new Date(end)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  const isWhole = monthsAfter(start, months) === end || monthsAfter(end, -months) === start;
  return isWhole ? months : 0;
}

/** The same day and time of another month, or its last day where it is shorter. */
function monthsAfter(time: number, months: number): number {
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + (time % DAY_MS);
}

const dayOf = (time: number): number => new Date(time).getUTCDate();
