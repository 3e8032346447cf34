/**
 * Limits request rates with the generic cell rate algorithm (ITU-T I.371, 1993). It stores one number per account: the
 * theoretical arrival time (tat), at which all requests so far are served at the sustained rate. A request is allowed
 * if the tat is at most one burst ahead of now. Rejected requests do not count, so a client that waits as long as the
 * answer says is allowed.
 */

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
  /** Counts one request at `now` (ms). Throws SERVICE_UNAVAILABLE if the store does not respond. */
  take(account: string, rate: Rate, now: number): RateDecision | Promise<RateDecision>;
}

/** Ms between two requests at the sustained rate, and how far ahead of now the tat may be. */
export const limitsOf = ({
  requestsPerSecond,
  burst,
}: Rate): { intervalMs: number; toleranceMs: number } => ({
  intervalMs: 1000 / requestsPerSecond,
  toleranceMs: (1000 / requestsPerSecond) * burst,
});

/** Decides on one request at `now` (ms). `tat`: the stored value, 0 without one. `next`: the value to store if allowed. */
export function decide(rate: Rate, tat: number, now: number): RateDecision & { next: number } {
  const { intervalMs, toleranceMs } = limitsOf(rate);
  // If the clock was set back, do not lock the account out.
  const due = Math.min(Math.max(tat, now), now + toleranceMs);
  const allowed = due + intervalMs <= now + toleranceMs;
  const next = allowed ? due + intervalMs : due;
  return { ...decisionOf(rate, allowed, next - now), next };
}

/** The decision when the tat is `aheadMs` ahead of now. */
export function decisionOf(rate: Rate, allowed: boolean, aheadMs: number): RateDecision {
  const { intervalMs, toleranceMs } = limitsOf(rate);
  // Tolerate rounding errors of a millionth of a request.
  const remaining = Math.max(0, Math.floor((toleranceMs - aheadMs) / intervalMs + 1e-6));
  const waitMs = aheadMs + intervalMs - toleranceMs;
  return {
    allowed,
    remaining,
    resetSeconds: Math.ceil(aheadMs / 1000),
    waitSeconds: allowed ? 0 : Math.max(1, Math.ceil(waitMs / 1000)),
  };
}

const MIN_SWEEP_SIZE = 1024;

/** Counts in the memory of one process. A restart loses the counts, which gives each account at most one extra burst. */
export class RateLimiter implements RateStore {
  readonly #tats = new Map<string, number>();
  #sweepAt = MIN_SWEEP_SIZE;

  take(account: string, rate: Rate, now: number): RateDecision {
    const decision = decide(rate, this.#tats.get(account) ?? 0, now);
    if (decision.allowed) this.#tats.set(account, decision.next);
    if (this.#tats.size > this.#sweepAt) this.#sweep(now);
    return decision;
  }

  /** Accounts in memory. */
  get size(): number {
    return this.#tats.size;
  }

  /** Removes idle accounts: a tat in the past has no effect. */
  #sweep(now: number): void {
    for (const [account, tat] of this.#tats) if (tat <= now) this.#tats.delete(account);
    this.#sweepAt = Math.max(MIN_SWEEP_SIZE, 2 * this.#tats.size);
  }
}
