/**
 * Limits request rates with the generic cell rate algorithm (ITU-T I.371, 1993). It stores one number per account: the
 * theoretical arrival time (tat), at which all requests so far are served at the sustained rate. A request is allowed
 * if the tat is at most one burst ahead of now. Rejected requests do not count, so a client that waits as long as the
 * answer says is allowed.
 */
import type { Rate, RateDecision, RateStore } from './ports/rates.ts';

/** Ms between two requests at the sustained rate, and how far ahead of now the tat may be. */
export const limitsOf = ({
  requestsPerSecond,
  burst,
}: Rate): { intervalMs: number; toleranceMs: number } => ({
  intervalMs: 1000 / requestsPerSecond,
  toleranceMs: (1000 / requestsPerSecond) * burst,
});

/**
 * Decides on one request at `now` (ms). `tat`: the stored value, 0 without one. `next`: the value to store, also for a
 * rejected request if it differs from `tat`: a tat from the future is cut to one burst. If the cut value were not
 * stored, a clock set back by an hour would lock the account out for an hour.
 */
export function decide(rate: Rate, tat: number, now: number): RateDecision & { next: number } {
  const { intervalMs, toleranceMs } = limitsOf(rate);
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
  readonly #clock: (() => number) | null;
  #sweepAt = MIN_SWEEP_SIZE;

  /** `clock`: a monotonic clock in ms to use instead of the time of each request. */
  constructor(clock: (() => number) | null = null) {
    this.#clock = clock;
  }

  take(account: string, rate: Rate, now: number): RateDecision {
    const at = this.#clock?.() ?? now;
    const tat = this.#tats.get(account) ?? 0;
    const decision = decide(rate, tat, at);
    if (decision.next !== tat) this.#tats.set(account, decision.next);
    if (this.#tats.size > this.#sweepAt) this.#sweep(at);
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
