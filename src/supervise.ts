/**
 * Several processes on one port of one machine: each is the whole service, the kernel shares the connections out. What is
 * done once is done here; a worker that dies is replaced, a stop is passed on to all.
 */
import type { Logger } from 'pino';
import { type Config, workerEnvironment } from './config.ts';

const MAIN = `${import.meta.dir}/main.ts`;
/** A worker that dies at once would be started in a circle. */
const RESTART_MS = 1000;

interface Workers {
  port: number;
  /** Ends all of them, each in its own time. */
  stop(): Promise<void>;
}

/** Starts `config.workers` processes, and resolves when all listen. Throws when the first of them cannot. */
export async function startWorkers(config: Config, log: Logger): Promise<Workers> {
  const children: Bun.Subprocess[] = [];
  let isStopping = false;

  /** The worker's port, once it listens. */
  function start(worker: number, port: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    children[worker] = Bun.spawn([process.execPath, MAIN], {
      env: workerEnvironment({ WORKER: String(worker), PORT: String(port) }),
      stdout: 'inherit',
      stderr: 'inherit',
      ipc: message => resolve((message as { port: number }).port),
      onExit: (_, exitCode) => {
        reject(new Error(`worker ${worker} ended with ${exitCode} before it served`));
        if (isStopping) return;
        log.error({ worker, exitCode }, 'a worker ended');
        setTimeout(() => isStopping || start(worker, port || config.port).catch(() => {}), RESTART_MS);
      },
    });
    return promise;
  }

  const port = await start(0, config.port);
  await Promise.all(Array.from({ length: config.workers - 1 }, (_, i) => start(i + 1, port)));
  return {
    port,
    async stop() {
      isStopping = true;
      for (const child of children) child.kill('SIGTERM');
      await Promise.all(children.map(child => child.exited));
    },
  };
}
