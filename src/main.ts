/** Configuration → stores → application → socket: the only wiring. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pino, { type Logger } from 'pino';
import { displayPrefix, KEY_BYTES, keyFrom, keySha256 } from './account/keys.ts';
import { RateLimiter } from './account/rate.ts';
import { createApp } from './app.ts';
import { BaselineKeeper } from './baseline/keeper.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { Collector } from './engine/collector.ts';
import { compileEngine } from './engine/engine.ts';
import { EnginePool } from './engine/pool.ts';
import { warmUp } from './engine/warm.ts';
import { firstSteps, urlOf } from './http/first-steps.ts';
import { KeyCheck } from './http/key-check.ts';
import { serve } from './http/serve.ts';
import { EmbeddedBaselines } from './stores/embedded.ts';
import { SqlAccounts } from './stores/sql/accounts.ts';
import { openSql } from './stores/sql/database.ts';
import { SqlUsage } from './stores/sql/usage.ts';

const ENGINE = join(import.meta.dir, '../build/engine.wasm');
const OWNER = 'owner';
/** Log lines are written when they are this many bytes, or this old. */
const LOG_BYTES = 4096;
const LOG_DELAY_MS = 100;

const config = orExit(readConfig, error => error instanceof ConfigError, '');
// A write for each line takes as long as a tenth of a small request. What is killed may lose its last lines.
const lines = pino.destination({ minLength: LOG_BYTES, sync: true });
setInterval(() => lines.flush(), LOG_DELAY_MS).unref();
process.on('exit', () => lines.flushSync());
const log = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines);
const stores = orExit(
  () => openStores(config),
  () => true,
  `DATA_DIR ${config.dataDir} cannot be used: `,
);
const engines = new EnginePool(await compileEngine(await Bun.file(ENGINE).bytes()), config.maxBodyBytes);
const first = await engines.lend();
warmUp(first);
engines.giveBack(first);
if (config.bootstrapApiKey !== null) await grant(config.bootstrapApiKey);

const app = createApp({
  ...config,
  ...stores,
  engines,
  keys: new KeyCheck(stores.accounts, Date.now),
  rates: new RateLimiter(),
  now: Date.now,
  random: randomBytes,
  log,
});
const server = orExit(
  () => serve(app, config),
  () => true,
  `Cannot listen on HOST ${config.host}, PORT ${config.port}: `,
);
new Collector().start();
log.info({ url: urlOf(server) }, 'listening');
lines.flushSync();
// Only now: a key that is made and then not printed, because the port was taken, would be lost.
if (config.bootstrapApiKey === null && !(await stores.accounts.hasKey(OWNER))) await printFirstKey();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal, log));

function openStores({ dataDir }: Config) {
  const database = openSql(join(dataDir, 'sluice.sqlite'));
  return {
    accounts: new SqlAccounts(database),
    usage: new SqlUsage(database),
    baselines: new BaselineKeeper(
      new EmbeddedBaselines(join(dataDir, 'baselines.sqlite')),
      undefined,
      afterTheAnswer,
    ),
  };
}

/** An answer that is ready goes out before the event loop comes round again. */
function afterTheAnswer(work: () => Promise<void>): void {
  setImmediate(() => work().catch(error => log.error({ err: error }, 'bug')));
}

async function printFirstKey(): Promise<void> {
  const key = keyFrom(randomBytes(KEY_BYTES));
  await grant(key);
  process.stdout.write(firstSteps(key, urlOf(server)));
}

function grant(key: string): Promise<void> {
  return stores.accounts.ensureKey({
    account: OWNER,
    plan: config.bootstrapPlan,
    keySha256: keySha256(key),
    keyPrefix: displayPrefix(key),
    name: 'bootstrap',
    at: Date.now(),
  });
}

/** Takes no new connection, finishes what runs, which the body's limits bound, and ends. A second signal does not wait. */
async function stop(signal: string, logger: Logger): Promise<void> {
  process.on(signal, () => process.exit(1));
  const stopped = server.stop();
  logger.info({ signal }, 'stopping');
  await stopped;
  process.exit(0);
}

/** An error that its reader can mend is one line on stderr; any other is a bug and keeps its stack. */
function orExit<T>(run: () => T, mendable: (error: unknown) => boolean, prefix: string): T {
  try {
    return run();
  } catch (error) {
    if (!mendable(error)) throw error;
    const [line] = String(error instanceof Error ? error.message : error).split('\n');
    console.error(prefix + line);
    process.exit(1);
  }
}
