/**
 * Which requests are sent again, and when: never before `Retry-After`, else after a pause that doubles, and with some
 * chance in it, so that clients which failed together do not come back together.
 */
import type { SluiceError } from './sluice-error.ts';

export interface RetryPolicy {
  /** Sends after the first. */
  maxRetries: number;
  /** A `Retry-After` that is longer is left to the caller. */
  maxPauseMs: number;
  /** From 0 to below 1. */
  random(): number;
}

const FIRST_PAUSE_MS = 250;
/** 408 and what a service or a proxy answers when it has a bad moment. */
const BAD_MOMENTS = new Set([408, 429, 500, 502, 503, 504]);
/** That do not pass by waiting a little. */
const LASTING = new Set(['PLAN_LIMIT_EXCEEDED', 'BILLING_NOT_CONFIGURED']);

/**
 * Milliseconds to the next send after the one of number `attempt`, from 1; null when there is none. A request that is not
 * `repeatable` may have been done although its answer is a 503 or never came, and is only sent again when surely it was not.
 */
export function pauseAfter(
  error: SluiceError,
  attempt: number,
  repeatable: boolean,
  { maxRetries, maxPauseMs, random }: RetryPolicy,
): number | null {
  if (attempt > maxRetries || !mayPass(error, repeatable)) return null;
  const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), maxPauseMs);
  if (error.retryAfterSeconds === null) return backoffMs * (0.5 + random() / 2);
  const askedMs = error.retryAfterSeconds * 1000;
  return askedMs > maxPauseMs ? null : askedMs + random() * backoffMs;
}

function mayPass({ code, status, retryAfterSeconds }: SluiceError, repeatable: boolean): boolean {
  if (code === 'RATE_LIMITED') return true;
  if (!repeatable || LASTING.has(code)) return false;
  // Without the header the key belongs to another request for good.
  if (code === 'IDEMPOTENCY_CONFLICT') return retryAfterSeconds !== null;
  return code === 'UNREACHABLE' || BAD_MOMENTS.has(status);
}
