/** What has to be done from time to time: old things are forgotten. */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface Task {
  /** For the log, when it fails. */
  name: string;
  /** Forgets some of what is old, and answers how many that were: it is called again until there are none. */
  forgetSome(): Promise<number>;
}

/** Runs the tasks now and every `everyMs`, never two rounds at once. Answers how to stop; it keeps no process alive. */
export function startHousekeeping(tasks: readonly Task[], everyMs: number, log: Logger): () => void {
  let running = false;
  const round = async () => {
    if (running) return;
    running = true;
    await keepHouse(tasks, log);
    running = false;
  };
  round();
  const timer = setInterval(round, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** One round. A task that fails does not keep the next from its turn; it has another in the next round. */
export async function keepHouse(tasks: readonly Task[], log: Logger): Promise<void> {
  for (const task of tasks) {
    try {
      // Requests have their turn between two steps, however much there is to do.
      while ((await task.forgetSome()) > 0) await setImmediate();
    } catch (error) {
      log.error({ err: error, task: task.name }, 'housekeeping failed');
    }
  }
}
