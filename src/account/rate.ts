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

/** How far the rate is used up. */
export interface RateDecision {
  allowed: boolean;
  /** Requests that would be allowed now. */
  remaining: number;
  /** Whole seconds until the whole burst is allowed again. */
  resetSeconds: number;
  /** Of a refused request: whole seconds, at least 1, after which it will be allowed. 0 for an allowed one. */
  waitSeconds: number;
}

/** Counts requests by account, in one process or in all. */
export interface RateStore {
  /** Takes one request at `now` (ms). Losing the store is SERVICE_UNAVAILABLE. */
  take(account: string, rate: Rate, now: number): RateDecision | Promise<RateDecision>;
}

/** Of the rate: ms from one request to the next, and how far ahead of now the theoretical arrival time may lie. */
export const limitsOf = ({
  requestsPerSecond,
  burst,
}: Rate): { intervalMs: number; toleranceMs: number } => ({
  intervalMs: 1000 / requestsPerSecond,
  toleranceMs: (1000 / requestsPerSecond) * burst,
});

/** Decides one request at `now` (ms); `tat` is what is stored, 0 when nothing is; `next` is what to store of an allowed one. */
export function decide(rate: Rate, tat: number, now: number): RateDecision & { next: number } {
  const { intervalMs, toleranceMs } = limitsOf(rate);
  // No honest clock is further behind: one that was set back must not lock the account out.
  const due = Math.min(Math.max(tat, now), now + toleranceMs);
  const allowed = due + intervalMs <= now + toleranceMs;
  const next = allowed ? due + intervalMs : due;
  return { ...decisionOf(rate, allowed, next - now), next };
}

/** What is to be said when the theoretical arrival time lies `aheadMs` ahead of now. */
export function decisionOf(rate: Rate, allowed: boolean, aheadMs: number): RateDecision {
  const { intervalMs, toleranceMs } = limitsOf(rate);
  // A rounding error of a millionth of a request is none.
  const remaining = Math.max(0, Math.floor((toleranceMs - aheadMs) / intervalMs + 1e-6));
  const waitMs = aheadMs + intervalMs - toleranceMs;
  return {
    allowed,
    remaining,
    resetSeconds: Math.ceil(aheadMs / 1000),
    waitSeconds: allowed ? 0 : Math.max(1, Math.ceil(waitMs / 1000)),
  };
}

const SWEEP_AT_LEAST = 1024;

/** Rates of all accounts within one process. Counts are lost with it, which costs at most one burst an account. */
export class RateLimiter implements RateStore {
  readonly #tats = new Map<string, number>();
  #sweepAt = SWEEP_AT_LEAST;

  take(account: string, rate: Rate, now: number): RateDecision {
    const decision = decide(rate, this.#tats.get(account) ?? 0, now);
    if (decision.allowed) this.#tats.set(account, decision.next);
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
