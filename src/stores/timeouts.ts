/** How long stores may take, all derived from one setting: the longest round trip that is only slow. */

export interface Timeouts {
  /** A server whose round trip takes longer is away. */
  roundTripMs: number;
  /**
   * A question and its answer. Two round trips of 0.8 of the longest one, which is what a statement takes that its connection
   * has not prepared yet.
   */
  questionMs: number;
  /** A new connection: TCP, perhaps TLS, and signing in. */
  connectMs: number;
}

/** The default of `STORE_TIMEOUT_MS` in `config.ts`. A frozen server is found within 0.7 s, and an ocean between us and the store is no outage. */
export const ROUND_TRIP_MS = 500;

export const timeoutsOf = (roundTripMs = ROUND_TRIP_MS): Timeouts => ({
  roundTripMs,
  questionMs: Math.ceil(1.6 * roundTripMs),
  connectMs: 5 * roundTripMs,
});
