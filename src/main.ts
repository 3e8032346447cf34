/** The program: one service, or several processes of it on one port, until a signal ends it. */
import pino from 'pino';
import { ConfigError, readConfig } from './config.ts';
import { urlOf } from './http/first-steps.ts';
import { prepare, printFirstKey, type Service, startService } from './service.ts';
import { openStores, StoreError } from './stores/open.ts';
import { startWorkers } from './supervise.ts';

const config = await orExit(async () => readConfig());
const log = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });
const running = await orExit(() =>
  config.workers > 1 && config.worker === null ? startMany() : startService(config, log),
);
process.send?.({ port: running.port });
if (config.worker === null) log.info({ url: running.url }, 'listening');
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
