/** What subscriptions come to: which plan an account has, in which period, and since when it has none. */
import { PLANS } from '../account/plans.ts';
import type { Standing, Subscription } from '../stores/ports.ts';
import { PAID_PLANS, type PaidPlan, type Prices, type Subscribed } from './payments.ts';

/** While a payment has failed and is tried again (past_due) the plan stays. */
const PAYING = new Set(['active', 'trialing', 'past_due']);
/** These do not pay, but do again as soon as a payment is made or they are resumed: a second one would be paid twice. */
const DORMANT = new Set(['unpaid', 'paused']);
const CANCELED = 'canceled';
const THIRTY_DAYS_MS = 30 * 86_400_000;

export const isPaying = ({ status }: Pick<Subscription, 'status'>): boolean => PAYING.has(status);

/** Whether it is to be changed rather than joined by another one. */
export const isLive = ({ status }: Pick<Subscription, 'status'>): boolean =>
  PAYING.has(status) || DORMANT.has(status);

/** The largest plan that one of the prices is of, in whatever order they come; null when none is one of ours. */
export function planOf(prices: readonly string[], ours: Prices): PaidPlan | null {
  return PAID_PLANS.findLast(plan => ours[plan] !== null && prices.includes(ours[plan])) ?? null;
}

/** What is kept of a subscription, `before` being what was kept so far, at `now` (ms). An unknown price leaves its plan as it was. */
export function described(
  found: Subscribed,
  before: Subscription | null,
  prices: Prices,
  now: number,
): Subscription {
  const { id, status, periodStart, periodEnd, createdAt } = found;
  const plan = planOf(found.prices, prices) ?? before?.plan ?? null;
  return {
    id,
    status,
    plan,
    periodStart,
    // The provider's own test fixtures have periods without length.
    periodEnd: periodEnd > periodStart ? periodEnd : periodStart + THIRTY_DAYS_MS,
    createdAt,
    endedAt: plan === null ? null : endOf(found, before, now),
  };
}

/** Since when it does not pay: as the provider says, or since this was first heard. What was said once stays. */
function endOf(found: Subscribed, before: Subscription | null, now: number): number | null {
  if (isPaying(found)) return null;
  if (before !== null && before.endedAt !== null) return before.endedAt;
  if (found.status === CANCELED) return found.endedAt ?? now;
  return DORMANT.has(found.status) ? now : null;
}

/** Of several that pay the largest plan counts, of equal ones the newest. */
export function standingOf(subscriptions: readonly Subscription[]): Standing {
  const [best] = subscriptions.filter(each => isPaying(each) && each.plan !== null).sort(largestFirst);
  if (best) {
    const period = { start: best.periodStart, end: best.periodEnd };
    return { plan: best.plan, period, until: null };
  }
  const ends = subscriptions.flatMap(({ endedAt }) => endedAt ?? []);
  return { plan: null, period: null, until: ends.length === 0 ? null : Math.max(...ends) };
}

function largestFirst(a: Subscription, b: Subscription): number {
  const rows = ({ plan }: Subscription) => PLANS[plan!].rowsPerPeriod;
  return rows(b) - rows(a) || b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}
