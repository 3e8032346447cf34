/** Derives an account's plan and billing period from its subscriptions. */
import { PLANS } from '../account/plans.ts';
import { DAY_MS } from '../time/durations.ts';
import type { Entitlement, Subscription } from '../stores/ports.ts';
import { PAID_PLANS, type PaidPlan, type Prices, type ProviderSubscription } from './payments.ts';

/** past_due: a payment has failed and is retried, and the plan stays. */
const PAYING = new Set(['active', 'trialing', 'past_due']);
/** These do not pay now, but may resume. A second subscription would be paid twice. */
const DORMANT = new Set(['unpaid', 'paused']);
const CANCELED = 'canceled';
const THIRTY_DAYS_MS = 30 * DAY_MS;

export const isPaying = ({ status }: Pick<Subscription, 'status'>): boolean => PAYING.has(status);

/** Whether the user should change it instead of subscribing again. */
export const isLive = ({ status }: Pick<Subscription, 'status'>): boolean =>
  PAYING.has(status) || DORMANT.has(status);

/** The largest plan among the prices; null if no price is ours. */
export function planOf(prices: readonly string[], ours: Prices): PaidPlan | null {
  return PAID_PLANS.findLast(plan => ours[plan] !== null && prices.includes(ours[plan])) ?? null;
}

/** The subscription to store at `now` (ms); `before` is the stored one. An unknown price keeps the plan as it was. */
export function toSubscription(
  found: ProviderSubscription,
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
    // The provider's own test fixtures have periods of length 0.
    periodEnd: periodEnd > periodStart ? periodEnd : periodStart + THIRTY_DAYS_MS,
    createdAt,
    endedAt: plan === null ? null : endOf(found, before, now),
  };
}

/** When it stopped paying: the provider's time, else the time of the first event that said so. Does not change later. */
function endOf(found: ProviderSubscription, before: Subscription | null, now: number): number | null {
  if (isPaying(found)) return null;
  if (before !== null && before.endedAt !== null) return before.endedAt;
  if (found.status === CANCELED) return found.endedAt ?? now;
  return DORMANT.has(found.status) ? now : null;
}

/** Among several paying subscriptions the largest plan counts, then the newest subscription. */
export function entitlementOf(subscriptions: readonly Subscription[]): Entitlement {
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
