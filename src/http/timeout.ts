/** The connection's own timeout, which is there for clients that stop in the middle of anything but a body. */

/** Bun's limit. */
const MAX_SECONDS = 255;
/** Past the body's own limits, so that those are answered before the connection is cut. */
const MARGIN_SECONDS = 15;
const RENEW_EVERY_MS = 1000;

/** After how many seconds without a byte either way Bun cuts a connection. */
export const idleSeconds = (bodyStallSeconds: number): number =>
  Math.min(MAX_SECONDS, bodyStallSeconds + MARGIN_SECONDS);

/** What of Bun's server is needed. */
interface Timeouts {
  timeout(request: Request, seconds: number): void;
}

/**
 * Puts the timeout of a request's connection off, to be called with every piece of its body: Bun counts from the
 * request's begin and would cut an upload that is slow but alive. A body in 1-byte pieces calls it no more than needed.
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
