/**
 * Request rate by the generic cell rate algorithm (ITU-T I.371, 1993): one number an account, the
 * theoretical arrival time (tat), says when all requests so far would be worked off at the sustained rate.
 * A request is allowed while that lies at most a burst ahead of now. Refused requests cost nothing, so a
 * client that waits as told gets through.
 */

/** Requests a second, sustained, and how many may come at once after a rest. */
export interface Rate {
  requestsPerSecond: number;
  burst: number;
}

export type RateDecision =
  | { allowed: true /** What to store, in ms. */; tat: number }
  | {
      allowed: false /** Whole seconds, at least 1, after which a request will be allowed. */;
      waitSeconds: number;
    };

/** Decides one request at `now` (ms); `tat` is what is stored, 0 when nothing is. */
export function decide(rate: Rate, tat: number, now: number): RateDecision {
  const intervalMs = 1000 / rate.requestsPerSecond;
  const toleranceMs = intervalMs * rate.burst;
  // No honest clock is further behind: one that was set back must not lock the account out.
  const due = Math.min(Math.max(tat, now), now + toleranceMs);
  const next = due + intervalMs;
  if (next <= now + toleranceMs) return { allowed: true, tat: next };
  return { allowed: false, waitSeconds: Math.max(1, Math.ceil((next - toleranceMs - now) / 1000)) };
}

const SWEEP_AT_LEAST = 1024;

/** Rates of all accounts within one process. Counts are lost with it, which costs at most one burst an account. */
export class RateLimiter {
  readonly #tats = new Map<string, number>();
  #sweepAt = SWEEP_AT_LEAST;

  take(account: string, rate: Rate, now: number): RateDecision {
    const decision = decide(rate, this.#tats.get(account) ?? 0, now);
    if (decision.allowed) this.#tats.set(account, decision.tat);
    if (this.#tats.size > this.#sweepAt) this.#sweep(now);
    return decision;
  }

  /** Accounts that are remembered. */
  get size(): number {
    return this.#tats.size;
  }

  /** Forgets accounts at rest: a tat in the past decides like none. */
  #sweep(now: number): void {
    for (const [account, tat] of this.#tats) if (tat <= now) this.#tats.delete(account);
    this.#sweepAt = Math.max(SWEEP_AT_LEAST, 2 * this.#tats.size);
  }
}
