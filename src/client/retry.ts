/**
 * Which requests are retried, and when: never before `Retry-After`, else after exponential backoff. Both have jitter, so that
 * clients that failed together do not retry together.
 */
import type { SluiceError } from './sluice-error.ts';

export interface RetryPolicy {
  /** Tries after the first one. */
  maxRetries: number;
  /** A longer `Retry-After` is an error. */
  maxPauseMs: number;
  /** At least 0, below 1. */
  random(): number;
}

const FIRST_PAUSE_MS = 250;
/** Statuses of temporary failures, of the service or of a proxy. */
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504]);
/** Codes of failures that a short wait does not resolve. */
const PERMANENT = new Set(['PLAN_LIMIT_EXCEEDED', 'BILLING_NOT_CONFIGURED']);

/**
 * Milliseconds to wait after try number `attempt` (from 1) before the next one; null if there is no next one. A request that is
 * not `repeatable` may have been carried out although the answer is a 503 or never came: it is retried only if it surely was not.
 */
export function pauseAfter(
  error: SluiceError,
  attempt: number,
  repeatable: boolean,
  { maxRetries, maxPauseMs, random }: RetryPolicy,
): number | null {
  if (attempt > maxRetries || !isTemporary(error, repeatable)) return null;
  const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), maxPauseMs);
  if (error.retryAfterSeconds === null) return backoffMs * (0.5 + random() / 2);
  const askedMs = error.retryAfterSeconds * 1000;
  return askedMs > maxPauseMs ? null : askedMs + random() * backoffMs;
}

function isTemporary({ code, status, retryAfterSeconds }: SluiceError, repeatable: boolean): boolean {
  if (code === 'RATE_LIMITED') return true;
  if (!repeatable || PERMANENT.has(code)) return false;
  // Without the header another request owns the key for good.
  if (code === 'IDEMPOTENCY_CONFLICT') return retryAfterSeconds !== null;
  return code === 'UNREACHABLE' || TEMPORARY.has(status);
}
