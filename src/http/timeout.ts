/** The connection's own timeout, for clients that stop anywhere except in a body. */

/** Bun's limit. */
const MAX_SECONDS = 255;
/** Longer than the limits of bodies, so that those get a response before the connection closes. */
const MARGIN_SECONDS = 15;
const RENEW_EVERY_MS = 1000;

/** Seconds without a byte in either direction after which Bun closes a connection. */
export const idleSeconds = (bodyStallSeconds: number): number =>
  Math.min(MAX_SECONDS, bodyStallSeconds + MARGIN_SECONDS);

/** The part of Bun's server that is used here. */
interface Timeouts {
  timeout(request: Request, seconds: number): void;
}

/**
 * Returns a function that renews the timeout of a request's connection. Call it for every piece of the body: Bun counts
 * from the start of the request and would cut off a slow but active upload. It renews at most once per second.
 */
export function renewal(request: Request, server: Timeouts | null, bodyStallSeconds: number): () => void {
  let renewedAt = performance.now();
  return () => {
    const now = performance.now();
    if (now - renewedAt < RENEW_EVERY_MS) return;
    renewedAt = now;
    server?.timeout(request, idleSeconds(bodyStallSeconds));
  };
}
