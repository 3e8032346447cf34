/** Runs periodic tasks, such as deleting old data. */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface Task {
  /** For the log if it fails. */
  name: string;
  /** Deletes some old entries and returns how many. Called again until it returns 0. */
  deleteSome(): Promise<number>;
}

/** Runs the tasks now and every `everyMs`, never two rounds at once. Returns a function to stop. Does not keep the process alive. */
export function startHousekeeping(tasks: readonly Task[], everyMs: number, log: Logger): () => void {
  let running = false;
  const round = async () => {
    if (running) return;
    running = true;
    await runTasks(tasks, log);
    running = false;
  };
  round();
  const timer = setInterval(round, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs one round. If a task fails, the next ones still run, and it runs again in the next round. */
export async function runTasks(tasks: readonly Task[], log: Logger): Promise<void> {
  for (const task of tasks) {
    try {
      // Let requests run between two steps.
      while ((await task.deleteSome()) > 0) await setImmediate();
    } catch (error) {
      log.error({ err: error, task: task.name }, 'housekeeping failed');
    }
  }
}
