/**
 * Runs several worker processes on one port of one machine. Each worker is a complete service, and the kernel
 * distributes connections. The supervisor restarts workers that die and passes a stop on to all of them. While none listens, it
 * answers 503 itself.
 * Workers exit by themselves when the supervisor is gone: see `main.ts`.
 */
import type { Logger } from 'pino';
import { ConfigError, type Config, workerEnvironment } from './config.ts';
import { MetricsChannel } from './metrics/channel.ts';
import { mergeMetrics } from './metrics/merge.ts';

const MAIN = `${import.meta.dir}/main.ts`;
/** Delay before a dead worker is replaced. It doubles with each early death, up to the maximum. The last worker that listened is replaced without a longer delay. */
const RESTART_MS = 100;
const MAX_RESTART_MS = 30_000;
/** A worker that lived this long has not died early. */
const STABLE_MS = 60_000;

export interface Workers {
  port: number;
  /** Merged metrics of all workers that answer in time. */
  metrics(): Promise<string>;
  /** Stops all workers and waits until they have exited. */
  stop(): Promise<void>;
}

/** A worker could not start. It has printed the reason itself. */
export class WorkerFailed extends ConfigError {}

/** Delay before a restart after a number of early deaths in a row, in ms. */
export const restartDelayMs = (earlyDeaths: number): number =>
  Math.min(MAX_RESTART_MS, RESTART_MS * 2 ** earlyDeaths);

/** Starts `config.workers` processes and resolves when all listen. Throws `WorkerFailed` if one cannot start. */
export async function startWorkers(config: Config, log: Logger): Promise<Workers> {
  const children: Bun.Subprocess[] = [];
  const channels: MetricsChannel[] = [];
  const metrics = async () => mergeMetrics(await Promise.all(channels.map(each => each.request())));
  let { port } = config;
  let isServing = false;
  /** Numbers of the workers that listen. */
  const listening = new Set<number>();
  const standIn = new StandIn();
  // Kill the workers however this process exits. Only a SIGKILL skips this.
  process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL');
  });

  /** Resolves with the worker's port when it listens. */
  function start(worker: number, earlyDeaths = 0): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const startedAt = performance.now();
    const channel = new MetricsChannel(message => child.send(message), metrics);
    const child = Bun.spawn([process.execPath, MAIN], {
      env: workerEnvironment({ WORKER: String(worker), PORT: String(port) }),
      stdout: 'inherit',
      stderr: 'inherit',
      ipc(message) {
        if (hasPort(message)) {
          listening.add(worker);
          standIn.stop();
          resolve(message.port);
        } else channel.receive(message);
      },
      onExit: (_, exitCode, signal) => {
        reject(new WorkerFailed(`worker ${worker} exited before it could listen`));
        const wasLast = listening.delete(worker) && listening.size === 0;
        if (!isServing) return;
        const deaths = performance.now() - startedAt < STABLE_MS ? earlyDeaths + 1 : 0;
        const restartMs = wasLast ? RESTART_MS : restartDelayMs(deaths);
        if (wasLast) standIn.start(config.host, port);
        log.error({ worker, exitCode, signal, restartMs }, 'a worker ended');
        setTimeout(() => isServing && start(worker, deaths).catch(() => {}), restartMs);
      },
    });
    children[worker] = child;
    channels[worker] = channel;
    return promise;
  }

  port = await start(0);
  await Promise.all(Array.from({ length: config.workers - 1 }, (_, i) => start(i + 1)));
  isServing = true;
  return {
    port,
    metrics,
    async stop() {
      isServing = false;
      standIn.stop();
      for (const child of children) child.kill('SIGTERM');
      await Promise.all(children.map(child => child.exited));
    },
  };
}

/** Answers 503 while no worker listens. If connections were refused, balancers would take the machine for dead and not try it again soon. */
class StandIn {
  #server: Bun.Server<unknown> | null = null;

  start(hostname: string, port: number): void {
    this.#server ??= Bun.serve({
      hostname,
      port,
      reusePort: true,
      fetch: () =>
        Response.json(
          { message: 'The service restarts: send the request again', code: 'SERVICE_UNAVAILABLE' },
          { status: 503, headers: { 'Retry-After': '1', Connection: 'close' } },
        ),
    });
  }

  stop(): void {
    this.#server?.stop();
    this.#server = null;
  }
}

const hasPort = (message: unknown): message is { port: number } =>
  typeof message === 'object' && message !== null && 'port' in message;
