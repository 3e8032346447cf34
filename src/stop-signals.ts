/**
 * Signals that stop a program. A signal to a process group, as Ctrl-C is, reaches the program more than once: from its sender, and from
 * npm or the launcher (bin/sluice.js), which pass on what they get. Only one that comes later means that somebody is tired of waiting.
 */

/** For those that pass a signal on, also on a loaded machine. */
const SAME_SIGNAL_MS = 1000;

/** Calls `stop` at SIGTERM or SIGINT, and `stopNow` at a further one a second later or more. `now`: a clock in ms. */
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
