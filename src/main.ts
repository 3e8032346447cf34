/** The program: runs one service, or several worker processes on one port, until a signal stops it. */
import { ConfigError, readConfig } from './config.ts';
import { urlOf } from './http/first-steps.ts';
import { openLog } from './log.ts';
import { serveMetrics } from './metrics/serve.ts';
import { prepare, printFirstKey, type Service, startService } from './service.ts';
import { onStopSignals } from './stop-signals.ts';
import { openStores } from './stores/open.ts';
import { StoreError } from './stores/store-error.ts';
import { startWorkers, WorkerFailed } from './supervise.ts';

const config = await orExit(async () => readConfig());
const { log, flush } = openLog(config);
let isStopping = false;
// First of all: requests may be served before the start has finished.
// A worker ignores further signals: its supervisor ends it.
onStopSignals(stop, () => config.worker === null && process.exit(1));
const starting = config.workers > 1 && config.worker === null ? startMany() : startService(config, log);
if (config.worker !== null) stopWithSupervisor();
const running = await orExit(() => starting);
process.send?.({ port: running.port });
const { url, metricsUrl } = running;
if (config.worker === null) log.info({ url, ...(metricsUrl !== null && { metricsUrl }) }, 'listening');
flush();

async function startMany(): Promise<Service> {
  const stores = await openStores(config);
  await prepare(stores, config);
  const workers = await startWorkers(config, log);
  const url = urlOf({ hostname: config.host, port: workers.port });
  const metricsUrl = serveMetrics(config, workers.metrics)?.url ?? null;
  await printFirstKey(stores, config, url);
  return { ...workers, url, metricsUrl };
}

/** Stops a worker when its supervisor is gone: otherwise it would hold the port, and nobody could stop it. */
function stopWithSupervisor(): void {
  process.on('disconnect', () => stop('disconnect'));
  if (!process.connected) stop('disconnect');
}

async function stop(signal: string): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  log.info({ signal }, 'stopping');
  const { stop: end } = await starting;
  await end();
  process.exit(0);
}

/** Prints an error that the operator can fix as one line; any other error is a bug and keeps its stack. */
async function orExit<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StoreError)) throw error;
    if (!(error instanceof WorkerFailed)) console.error(error.message);
    process.exit(1);
  }
}
