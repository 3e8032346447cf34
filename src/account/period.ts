/** Billing periods: the calendar month, or the period of a paid subscription. */
import { DAY_MS } from '../time/durations.ts';
import type { Account } from '../stores/ports.ts';

/** A billing period from `start` (inclusive) to `end` (exclusive), in ms since 1970. */
export interface Period {
  start: number;
  end: number;
}

/** The calendar month in UTC that contains a time (ms). */
export function monthOf(time: number): Period {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}

/**
 * The period of an account at a time (ms). A paid plan has the subscription's period. The next period starts where the
 * last one ended, so no event from the payment provider is needed for it. Other plans have the calendar month. In the
 * month in which a paid plan ended, the period starts at that end.
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

/** The period itself or the following one that contains `time`. */
function renewed(period: Period, time: number): Period {
  if (time < period.end) return period;
  const { endOf, longestMs } = renewals(period);
  let renewal = Math.floor((time - period.end) / longestMs);
  while (endOf(renewal) <= time) renewal++;
  return { start: endOf(renewal - 1), end: endOf(renewal) };
}

/** The end of the period (0) and of the following ones, and the maximum length of one. */
function renewals({ start, end }: Period): { endOf(renewal: number): number; longestMs: number } {
  const months = monthsBetween(start, end);
  if (months === 0) return { endOf: renewal => end + renewal * (end - start), longestMs: end - start };
  // The larger day of the month is the anchor: the smaller one may be the last day of a short month.
  const startsLater = dayOf(start) > dayOf(end);
  const anchor = startsLater ? start : end;
  const first = startsLater ? months : 0;
  return {
    endOf: renewal => monthsAfter(anchor, first + renewal * months),
    longestMs: months * 31 * DAY_MS,
  };
}

/** Whole calendar months between two times; 0 if the difference is not whole months. */
function monthsBetween(start: number, end: number): number {
  const [from, to] = [new Date(start), new Date(end)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  const isWhole = monthsAfter(start, months) === end || monthsAfter(end, -months) === start;
  return isWhole ? months : 0;
}

/** The same day and time in another month, or that month's last day if it is shorter. */
function monthsAfter(time: number, months: number): number {
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + (time % DAY_MS);
}

const dayOf = (time: number): number => new Date(time).getUTCDate();
