/** An account's usage in the current period. */
import { type Period, periodOf } from '../account/period.ts';
import type { PlanName } from '../account/plans.ts';
import type { Account, UsageStore } from '../stores/ports.ts';

export interface UsageDependencies {
  ledger: UsageStore;
  /** Milliseconds since 1970. */
  now(): number;
}

export interface BillingInfo {
  plan: PlanName;
  rows: number;
  requests: number;
  period: Period;
}

/** Throws `Rejection` SERVICE_UNAVAILABLE. */
export async function billingInfo(
  account: Account,
  { ledger, now }: UsageDependencies,
): Promise<BillingInfo> {
  const period = periodOf(account, now());
  const { rows, requests } = await ledger.usage(account.id, period.start);
  return { plan: account.plan, rows, requests, period };
}
