/** Limits of each plan. */
import type { Account } from '../stores/ports.ts';

export type PlanName = Account['plan'];

export interface Plan {
  /** Rows that may be screened in one period. */
  rowsPerPeriod: number;
  /** Sustained requests per second, and the size of a burst after idle time. */
  requestsPerSecond: number;
  burst: number;
  /** Sources with a baseline. */
  sources: number;
  /** Baselines, with their versions and the settings of sources. */
  baselineBytes: number;
  /** Jobs with their reports. */
  reportBytes: number;
}

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/**
 * Of what is kept: the bytes are the bound that costs something, the number of sources is far above what an account of that size needs. A source
 * takes about 1 KB after its first small batch, with 20 fields 340 kB after some 45 batches and 760 kB after a thousand, most of it the states of its
 * last batches; one of 2,000 fields takes up to 60 MiB. Baselines are in memory with Redis: ten free accounts at their bounds need 2.6 GB. A report
 * of 20 fields counts as about 3 kB, and takes 5 kB with its indexes: the free plan keeps the last 90,000. Reports are on disk, so there may be more of them.
 */
export const PLANS: Readonly<Record<PlanName, Plan>> = {
  developer: {
    rowsPerPeriod: 500_000,
    requestsPerSecond: 10,
    burst: 20,
    sources: 10_000,
    baselineBytes: 256 * MIB,
    reportBytes: 256 * MIB,
  },
  starter: {
    rowsPerPeriod: 5_000_000,
    requestsPerSecond: 50,
    burst: 100,
    sources: 20_000,
    baselineBytes: GIB,
    reportBytes: 4 * GIB,
  },
  growth: {
    rowsPerPeriod: 50_000_000,
    requestsPerSecond: 200,
    burst: 400,
    sources: 50_000,
    baselineBytes: 5 * GIB,
    reportBytes: 32 * GIB,
  },
  scale: {
    rowsPerPeriod: 500_000_000,
    requestsPerSecond: 1_000,
    burst: 2_000,
    sources: 200_000,
    baselineBytes: 20 * GIB,
    reportBytes: 128 * GIB,
  },
};
