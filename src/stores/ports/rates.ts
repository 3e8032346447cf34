/** Port: request rates by account. */

/** Sustained requests per second, and the size of a burst after idle time. */
export interface Rate {
  requestsPerSecond: number;
  burst: number;
}

/** The decision on one request. */
export interface RateDecision {
  allowed: boolean;
  /** Requests that are allowed now. */
  remaining: number;
  /** Whole seconds until the whole burst is allowed again. */
  resetSeconds: number;
  /** Whole seconds, at least 1, after which a rejected request is allowed. 0 for an allowed request. */
  waitSeconds: number;
}

/** Counts requests by account, for one process or for all. */
export interface RateStore {
  /** Counts one request at `now` (ms); a store may use its own clock. Throws SERVICE_UNAVAILABLE if the store does not respond. */
  take(account: string, rate: Rate, now: number): RateDecision | Promise<RateDecision>;
}
