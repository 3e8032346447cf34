/** Ports: the ledger of usage, and the rows counted against an allowance. */

/** Requests answered with 200 in a period, and their rows. */
export interface Usage {
  rows: number;
  requests: number;
}

/** The ledger, which is the truth about usage. */
export interface UsageStore {
  /** Usage of the period that starts at `periodStart` (ms). */
  usage(account: string, periodStart: number): Promise<Usage>;
}

/** An older reservation is renewed before its rows are written, because the store may have lost it. */
export const RESERVATION_TTL_MS = 2000;

/** Rows that were reserved. */
export interface ReserveResult {
  /** Remaining rows of the allowance. */
  left: number;
  /** Id of the counter that holds them. A store that lost its counter and rebuilt it has another id, without these rows. */
  count: string;
}

/** Rows counted against the allowance: those in the ledger and those of requests in progress. */
export interface AllowanceStore {
  /** Adds `rows` if the sum stays within `allowance` in the period that starts at `periodStart` (ms). Otherwise returns null and adds nothing. */
  reserve(
    account: string,
    periodStart: number,
    rows: number,
    allowance: number,
  ): Promise<ReserveResult | null>;
  /** Subtracts reserved rows once, if the counter is still `count`. If the store is unavailable, throws and retries in the background. */
  release(account: string, periodStart: number, rows: number, count: string): Promise<void>;
  /** Rows counted now. */
  counted(account: string, periodStart: number): Promise<number>;
}
