/** Configuration → stores → application → socket: the only wiring. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pino, { type Logger } from 'pino';
import { KeyUses } from './account/key-uses.ts';
import { displayPrefix, keyFrom, SECRET_BYTES, secretSha256 } from './account/keys.ts';
import { RateLimiter } from './account/rate.ts';
import { SignIn } from './account/sign-in.ts';
import { createApp } from './app.ts';
import { BaselineKeeper } from './baseline/keeper.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { Collector } from './engine/collector.ts';
import { compileEngine } from './engine/engine.ts';
import { EnginePool } from './engine/pool.ts';
import { warmUp } from './engine/warm.ts';
import { Authentication } from './http/authentication.ts';
import { firstSteps, urlOf } from './http/first-steps.ts';
import { serve } from './http/serve.ts';
import { startHousekeeping } from './housekeeping.ts';
import { newMailer } from './mail/mailer.ts';
import { EmbeddedBaselines } from './stores/embedded.ts';
import { SqlAllowance } from './stores/sql/allowance.ts';
import { SqlIdempotency } from './stores/sql/idempotency.ts';
import { SqlIdentities } from './stores/sql/identities.ts';
import { SqlJobs } from './stores/sql/jobs.ts';
import { SqlKeys } from './stores/sql/keys.ts';
import { SqlSignIn } from './stores/sql/sign-in.ts';
import { openSql } from './stores/sql/sqlite.ts';

const ENGINE = join(import.meta.dir, '../build/engine.wasm');
const OWNER = 'owner';
/** How old the time of a key's last use may be elsewhere. */
const WRITE_KEY_USES_MS = 30_000;
const DAY_MS = 24 * 3_600_000;
const HOUSEKEEPING_EVERY_MS = 60_000;
/** Rows that one step of housekeeping may take: few enough that no request waits for it. */
const FORGOTTEN_AT_ONCE = 500;
/** Jobs take their reports with them: 50 of them a millisecond or two. */
const JOBS_FORGOTTEN_AT_ONCE = 50;
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
await stores.allowance.recount();
const engines = new EnginePool(await compileEngine(await Bun.file(ENGINE).bytes()), config.maxBodyBytes);
const first = await engines.lend();
warmUp(first);
engines.giveBack(first);
if (config.bootstrapApiKey !== null) await grant(config.bootstrapApiKey);
else if (config.bootstrapEmail !== null)
  orExitTaken(await stores.identities.ensureEmail(OWNER, config.bootstrapEmail));

const keyUses = new KeyUses(stores.keys);
const signIn = new SignIn({
  store: stores.signIn,
  mailer: newMailer(config, log),
  signups: config.signups,
  now: Date.now,
  random: randomBytes,
  log,
});
const app = createApp({
  ...config,
  ...stores,
  signIn,
  keyUses,
  engines,
  authentication: new Authentication(stores.identities, Date.now),
  rates: new RateLimiter(),
  now: Date.now,
  sleep: Bun.sleep,
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
if (config.bootstrapApiKey === null && !(await stores.identities.hasKey(OWNER))) await printFirstKey();
setInterval(writeKeyUses, WRITE_KEY_USES_MS).unref();
startHousekeeping(
  [
    { name: 'codes and sessions', forgetSome: () => signIn.forgetSome(FORGOTTEN_AT_ONCE) },
    {
      name: 'answers to repeat',
      forgetSome: () => stores.idempotency.prune(Date.now(), FORGOTTEN_AT_ONCE),
    },
    {
      name: 'jobs',
      forgetSome: () =>
        stores.jobs.prune(Date.now() - config.jobRetentionDays * DAY_MS, JOBS_FORGOTTEN_AT_ONCE),
    },
  ],
  HOUSEKEEPING_EVERY_MS,
  log,
);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal, log));

function openStores({ dataDir }: Config) {
  const database = openSql(join(dataDir, 'sluice.sqlite'));
  return {
    identities: new SqlIdentities(database),
    keys: new SqlKeys(database),
    signIn: new SqlSignIn(database),
    jobs: new SqlJobs(database),
    idempotency: new SqlIdempotency(database),
    allowance: new SqlAllowance(database),
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
  const key = keyFrom(randomBytes(SECRET_BYTES));
  await grant(key);
  process.stdout.write(firstSteps(key, urlOf(server)));
}

async function grant(key: string): Promise<void> {
  const granted = await stores.identities.ensureKey({
    account: OWNER,
    email: config.bootstrapEmail,
    plan: config.bootstrapPlan,
    keySha256: secretSha256(key),
    keyPrefix: displayPrefix(key),
    name: 'bootstrap',
    at: Date.now(),
  });
  orExitTaken(granted);
}

/** What cannot be written now is kept for the next time. */
async function writeKeyUses(): Promise<void> {
  await keyUses.flush().catch(error => log.warn({ err: error }, 'uses of keys could not be written'));
}

function orExitTaken(given: boolean): void {
  if (given) return;
  console.error('BOOTSTRAP_EMAIL must be an address that does not sign in to another account yet');
  process.exit(1);
}

/** Takes no new connection, finishes what runs, which the limits of bodies and mails bound, and ends. A second signal does not wait. */
async function stop(signal: string, logger: Logger): Promise<void> {
  process.on(signal, () => process.exit(1));
  const stopped = server.stop();
  logger.info({ signal }, 'stopping');
  await stopped;
  await writeKeyUses();
  await signIn.sent();
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
