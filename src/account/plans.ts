/** Limits of each plan. */
import type { Account } from '../stores/ports.ts';

export type PlanName = Account['plan'];

export interface Plan {
  /** Rows that may be screened in one period. */
  rowsPerPeriod: number;
  /** Sustained requests per second, and the size of a burst after idle time. */
  requestsPerSecond: number;
  burst: number;
}

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  developer: { rowsPerPeriod: 500_000, requestsPerSecond: 10, burst: 20 },
  starter: { rowsPerPeriod: 5_000_000, requestsPerSecond: 50, burst: 100 },
  growth: { rowsPerPeriod: 50_000_000, requestsPerSecond: 200, burst: 400 },
  scale: { rowsPerPeriod: 500_000_000, requestsPerSecond: 1_000, burst: 2_000 },
};
