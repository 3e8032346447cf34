/**
 * Several processes on one port of one machine: each is the whole service, the kernel shares the connections out. What is
 * done once is done here; a worker that dies is replaced, a stop is passed on to all.
 * Workers end by themselves when this process is gone: see `main.ts`.
 */
import type { Logger } from 'pino';
import { ConfigError, type Config, workerEnvironment } from './config.ts';
import { Exchange } from './metrics/exchange.ts';
import { merged } from './metrics/merged.ts';

const MAIN = `${import.meta.dir}/main.ts`;
/** Before a worker that had served is replaced; twice as long each time that it dies early, up to the longest. */
const RESTART_MS = 100;
const LONGEST_RESTART_MS = 30_000;
/** A worker that lived for so long has not died early. */
const SETTLED_MS = 60_000;

export interface Workers {
  port: number;
  /** What all of them count, those that answer in time. */
  figures(): Promise<string>;
  /** Ends all of them, each in its own time. */
  stop(): Promise<void>;
}

/** A worker could not begin to serve; it has said why. */
export class WorkerFailed extends ConfigError {}

/** How long after its death a worker is replaced which has died early so many times in a row. */
export const restartDelayMs = (earlyDeaths: number): number =>
  Math.min(LONGEST_RESTART_MS, RESTART_MS * 2 ** earlyDeaths);

/** Starts `config.workers` processes, and resolves when all listen. Throws `WorkerFailed` when one cannot. */
export async function startWorkers(config: Config, log: Logger): Promise<Workers> {
  const children: Bun.Subprocess[] = [];
  const exchanges: Exchange[] = [];
  const figures = async () => merged(await Promise.all(exchanges.map(each => each.ask())));
  let { port } = config;
  let isServing = false;
  // However this process ends, but for a SIGKILL: none goes on without it.
  process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL');
  });

  /** The worker's port, once it listens. */
  function start(worker: number, earlyDeaths = 0): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const startedAt = performance.now();
    const exchange = new Exchange(message => child.send(message), figures);
    const child = Bun.spawn([process.execPath, MAIN], {
      env: workerEnvironment({ WORKER: String(worker), PORT: String(port) }),
      stdout: 'inherit',
      stderr: 'inherit',
      ipc(message) {
        if (hasPort(message)) resolve(message.port);
        else exchange.hear(message);
      },
      onExit: (_, exitCode, signal) => {
        reject(new WorkerFailed(`worker ${worker} ended before it served`));
        if (!isServing) return;
        const deaths = performance.now() - startedAt < SETTLED_MS ? earlyDeaths + 1 : 0;
        const restartMs = restartDelayMs(deaths);
        log.error({ worker, exitCode, signal, restartMs }, 'a worker ended');
        setTimeout(() => isServing && start(worker, deaths).catch(() => {}), restartMs);
      },
    });
    children[worker] = child;
    exchanges[worker] = exchange;
    return promise;
  }

  port = await start(0);
  await Promise.all(Array.from({ length: config.workers - 1 }, (_, i) => start(i + 1)));
  isServing = true;
  return {
    port,
    figures,
    async stop() {
      isServing = false;
      for (const child of children) child.kill('SIGTERM');
      await Promise.all(children.map(child => child.exited));
    },
  };
}

const hasPort = (message: unknown): message is { port: number } =>
  typeof message === 'object' && message !== null && 'port' in message;
