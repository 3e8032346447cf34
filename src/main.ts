/** The program: one service, or several processes of it on one port, until a signal ends it. */
import pino from 'pino';
import { ConfigError, readConfig } from './config.ts';
import { urlOf } from './http/first-steps.ts';
import { prepare, printFirstKey, type Service, startService } from './service.ts';
import { openStores, StoreError } from './stores/open.ts';
import { startWorkers } from './supervise.ts';

/** Log lines are written when they are this many bytes, or this old. */
const LOG_BYTES = 4096;
const LOG_DELAY_MS = 100;

const config = await orExit(async () => readConfig());
// A write for each line takes as long as a tenth of a small request. What is killed may lose its last lines.
const lines = pino.destination({ minLength: LOG_BYTES, sync: true });
setInterval(() => lines.flush(), LOG_DELAY_MS).unref();
process.on('exit', () => lines.flushSync());
const log = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines);
const running = await orExit(() =>
  config.workers > 1 && config.worker === null ? startMany() : startService(config, log),
);
process.send?.({ port: running.port });
if (config.worker === null) log.info({ url: running.url }, 'listening');
lines.flushSync();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));

async function startMany(): Promise<Service> {
  const stores = await openStores(config);
  await prepare(stores, config);
  const workers = await startWorkers(config, log);
  const url = urlOf({ hostname: config.host, port: workers.port });
  await printFirstKey(stores, config, url);
  return { ...workers, url };
}

/** A second signal does not wait. */
async function stop(signal: string): Promise<void> {
  process.on(signal, () => process.exit(1));
  log.info({ signal }, 'stopping');
  await running.stop();
  process.exit(0);
}

/** An error that its reader can mend is one line on stderr; any other is a bug and keeps its stack. */
async function orExit<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StoreError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
