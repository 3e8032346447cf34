/** The connection's own timeout, for clients that stop anywhere except in a body. */

/** Longer than the limits of bodies, so that those get a response before the connection closes. */
const MARGIN_SECONDS = 15;

/** After so many seconds an idle connection, an incomplete head, or a response that nobody reads is closed. */
export const idleSeconds = (bodyStallSeconds: number): number => bodyStallSeconds + MARGIN_SECONDS;
