/** The program: runs one service until a signal stops it. */
import { ConfigError, readConfig } from './config/config.ts';
import { openLog } from './metrics/log.ts';
import { startService } from './service/service.ts';
import { onStopSignals } from './service/stop-signals.ts';
import { StoreError } from './stores/store-error.ts';

const config = await orExit(async () => readConfig());
const { log, flush } = openLog(config);
// First of all: requests may be served before the start has finished.
onStopSignals(stop, () => process.exit(1));
if (config.isWorkersSet) log.warn('WORKERS is the number of threads now: set ENGINE_THREADS instead');
const starting = startService(config, log);
const { url, metricsUrl } = await orExit(() => starting);
log.info({ url, ...(metricsUrl !== null && { metricsUrl }) }, 'listening');
flush();

async function stop(signal: string): Promise<void> {
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
    console.error(error.message);
    process.exit(1);
  }
}
