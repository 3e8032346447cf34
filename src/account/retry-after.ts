/** Seconds. Some clients sleep for as long as `Retry-After` says, so only the message gives a longer wait. */
const MAX_RETRY_AFTER = 60;

/** The Retry-After of a RATE_LIMITED that ends in `waitSeconds`. */
export const retryAfter = (waitSeconds: number): string => String(Math.min(waitSeconds, MAX_RETRY_AFTER));
