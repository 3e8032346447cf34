/**
 * Limits request rates and reports quotas as in the IETF draft (draft-ietf-httpapi-ratelimit-headers-10):
 * `RateLimit-Policy` has the quota (q) and its window (w, seconds), `RateLimit` the remaining quota (r) and the time until
 * it resets (t, seconds).
 */
import { retryAfter } from '../account/retry-after.ts';
import { Rejection } from '../terms/errors.ts';
import type { Rate, RateDecision, RateStore } from '../stores/ports.ts';

export interface RateLimitDependencies {
  rates: RateStore;
  /** Milliseconds since 1970. */
  now(): number;
}

/** A quota of `limit` per `windowSeconds`, with `remaining` left. It is full again in `resetSeconds`. */
export interface Quota {
  name: 'requests' | 'rows';
  limit: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
}

/** Counts one request of `who`. `may` starts the message of a rejection. Throws `Rejection` RATE_LIMITED, SERVICE_UNAVAILABLE. */
export async function takeRate(
  who: string,
  rate: Rate,
  may: string,
  { rates, now }: RateLimitDependencies,
): Promise<Quota> {
  const decision = await rates.take(who, rate, now());
  const quota = quotaOf(rate, decision);
  if (decision.allowed) return quota;
  const headers = { 'Retry-After': retryAfter(decision.waitSeconds), ...quotaHeaders([quota]) };
  throw new Rejection(
    'RATE_LIMITED',
    `${may} ${rate.requestsPerSecond} per second, ${rate.burst} at once`,
    headers,
  );
}

const quotaOf = ({ burst, requestsPerSecond }: Rate, decision: RateDecision): Quota => ({
  name: 'requests',
  limit: burst,
  windowSeconds: Math.ceil(burst / requestsPerSecond),
  remaining: decision.remaining,
  resetSeconds: decision.resetSeconds,
});

export const quotaHeaders = (quotas: readonly Quota[]): Record<string, string> => ({
  'RateLimit-Policy': quotas
    .map(({ name, limit, windowSeconds: w }) => `"${name}";q=${limit};w=${w}`)
    .join(', '),
  RateLimit: quotas
    .map(({ name, remaining, resetSeconds: t }) => `"${name}";r=${remaining};t=${t}`)
    .join(', '),
});
