/**
 * Handles the signals that stop a program. Ctrl-C and other signals to a process group reach the program more than once: directly, and from
 * npm or the launcher (bin/sluice.js), which forward them. So only a signal that comes a second later means: stop at once.
 */

/** A forwarded signal arrives within this time, even on a loaded machine. */
const SAME_SIGNAL_MS = 1000;

/** Calls `stop` at the first SIGTERM or SIGINT, and `stopNow` at another one that comes at least SAME_SIGNAL_MS later. `now`: a clock in ms. */
export function onStopSignals(
  stop: (signal: string) => void,
  stopNow: () => void,
  now: () => number = () => performance.now(),
): void {
  let since: number | null = null;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      if (since === null) {
        since = now();
        stop(signal);
      } else if (now() - since >= SAME_SIGNAL_MS) stopNow();
    });
  }
}
