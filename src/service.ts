/** One process that serves: stores → application → socket. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { KeyUses } from './account/key-uses.ts';
import { SignIn } from './account/sign-in.ts';
import { type AppDependencies, createApp } from './app.ts';
import { BaselineKeeper } from './baseline/keeper.ts';
import { BaselineEditor } from './baseline/editor.ts';
import type { Payments } from './billing/payments.ts';
import { openStripe } from './billing/stripe.ts';
import { askAfterOverdue } from './billing/webhook.ts';
import { bootstrap, firstKey } from './bootstrap.ts';
import { type Config, ConfigError } from './config.ts';
import { Collector } from './engine/collector.ts';
import { compileEngine } from './engine/engine.ts';
import { EnginePool } from './engine/pool.ts';
import { warmUp } from './engine/warm.ts';
import { Rejection } from './errors.ts';
import { Authentication } from './http/authentication.ts';
import { readDashboard } from './http/dashboard.ts';
import { firstSteps, urlOf } from './http/first-steps.ts';
import { Listener } from './http/serve.ts';
import { startHousekeeping } from './housekeeping.ts';
import { keptByThisProcess } from './intake/turn.ts';
import { loopOfThisProcess } from './intake/pace.ts';
import { newMailer } from './mail/mailer.ts';
import { HISTORY_FITTER } from './rules/learned/history.ts';
import { type Metering, meteringOf, publicFigures } from './metrics/metering.ts';
import { serveMetrics } from './metrics/serve.ts';
import { timedStores } from './metrics/timed-stores.ts';
import { openStores, StoreError, type Stores } from './stores/open.ts';
import { NoAnswer } from './stores/unavailable.ts';

const ENGINE = join(import.meta.dir, '../build/engine.wasm');
const DASHBOARD = join(import.meta.dir, '../build/dashboard');
/** How old the time of a key's last use may be elsewhere. */
const WRITE_KEY_USES_MS = 30_000;
/** How long an engine whose memory was blown up lies idle at least before it is let go. */
const TRIM_ENGINES_MS = 10_000;
const HOUSEKEEPING_EVERY_MS = 60_000;
/** Rows that one step of housekeeping may take: few enough that no request waits for it. */
const FORGOTTEN_AT_ONCE = 500;
/** Jobs take their reports with them: 50 of them a millisecond or two. */
const JOBS_FORGOTTEN_AT_ONCE = 50;
/** The payment provider sends an event again for three days by itself, and for thirty when it is told to. */
const EVENTS_KEPT_DAYS = 40;
/** One after the other, and each may take seconds when Stripe is slow. */
const ASKED_AFTER_AT_ONCE = 20;
const DAY_MS = 24 * 3_600_000;
/** How long a start goes on asking a store that does not answer: it keeps nobody waiting. */
const PATIENCE_MS = 5000;
const ASK_AGAIN_MS = 250;

/** A process that serves, and how to end it. */
export interface Service {
  /** Where a client on this machine reaches it. */
  url: string;
  port: number;
  /** Where Prometheus finds it, on a port of its own; null: not there. */
  metricsUrl: string | null;
  /** Sends newcomers away, finishes what runs, and writes what is left to write. */
  stop(): Promise<void>;
}

/** Starts to serve. A `worker` leaves to its supervisor what is done once. Throws `ConfigError`, `StoreError`. */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const isAlone = config.worker === null;
  const metering = meteringOf(config);
  const stores = timedBy(metering, await openStores(config));
  if (isAlone) await prepare(stores, config);
  const keyUses = new KeyUses(stores.keys);
  const signIn = signInOver(stores, config, log);
  const announce = (message: string): Promise<void> => stores.announcements.tell(message).catch(() => {});
  const catchUp = () => stores.announcements.catchUp();
  const authentication = new Authentication(stores.identities, Date.now, announce, catchUp);
  await stores.announcements.hear(message => authentication.hear(message));
  const engines = await warmEngines(config);
  metering?.metrics.watch({ engines, loop: loopOfThisProcess, kept: keptByThisProcess });
  const baselines = new BaselineKeeper(stores.baselineStore, {
    later: work => afterTheAnswer(work, log),
    fitter: HISTORY_FITTER,
  });
  const deps: AppDependencies = {
    ...config,
    ...stores,
    baselines,
    editor: new BaselineEditor(stores.baselineStore, baselines),
    engines,
    dashboard: await readDashboard(DASHBOARD),
    authentication,
    keyUses,
    signIn,
    payments: await openPayments(config, log),
    draining: () => listener.draining,
    now: Date.now,
    sleep: Bun.sleep,
    random: randomBytes,
    log,
    meter: metering?.metrics ?? null,
    figures: publicFigures(config, metering),
  };
  const app = createApp(deps);
  const listener = listen(app, config);
  const metricsServer = isAlone && metering ? serveMetrics(config, metering.text) : null;
  new Collector().start();
  setInterval(() => engines.trim(), TRIM_ENGINES_MS).unref();
  const url = urlOf(listener.server);
  // Only now: a key that is made and then not printed, because the port was taken, would be lost.
  if (isAlone) await printFirstKey(stores, config, url);
  const writeKeyUses = () =>
    keyUses.flush().catch(error => log.warn({ err: error }, 'uses of keys could not be written'));
  setInterval(writeKeyUses, WRITE_KEY_USES_MS).unref();
  const askAfter = () => askAfterOverdue(ASKED_AFTER_AT_ONCE, deps);
  if (isAlone || config.worker === 0) keepHouse(stores, signIn, askAfter, config, log);
  return {
    url,
    port: listener.server.port!,
    metricsUrl: metricsServer?.url ?? null,
    async stop() {
      const time = Bun.sleep(config.drainSeconds * 1000);
      await listener.drain(config.drainSeconds);
      const isSent = await Promise.race([signIn.sent().then(() => true), time.then(() => false)]);
      if (!isSent) log.warn('mails under way were given up: DRAIN_SECONDS are over');
      await writeKeyUses();
      // What is noted of a request is noted after its answer.
      await nextTurn();
    },
  };
}

const timedBy = (metering: Metering | null, stores: Stores): Stores =>
  metering === null ? stores : timedStores(stores, metering.metrics);

/** An answer that is ready goes out before the event loop comes round again. */
function afterTheAnswer(work: () => Promise<void>, log: Logger): void {
  setImmediate(() => work().catch(error => log.error({ err: error }, 'bug')));
}

/** What is done once before any process serves. Throws `ConfigError`, `StoreError`. */
export async function prepare(stores: Stores, config: Config, patienceMs = PATIENCE_MS): Promise<void> {
  await orStoreError(() =>
    patiently(async () => {
      await stores.prepare();
      await bootstrap(stores, config);
    }, patienceMs),
  );
}

/** Does again what a store gave no answer to, and what may be done twice. */
async function patiently(run: () => Promise<void>, patienceMs: number): Promise<void> {
  const until = Date.now() + patienceMs;
  for (;;)
    try {
      return await run();
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof NoAnswer) || Date.now() > until) throw error;
      await Bun.sleep(ASK_AGAIN_MS);
    }
}

/** Prints the first account's key if it was made now, with a request that works when it is pasted. Throws `StoreError`. */
export async function printFirstKey(stores: Stores, config: Config, url: string): Promise<void> {
  const key = await orStoreError(() => firstKey(stores, config));
  if (key !== null) process.stdout.write(firstSteps(key, url));
}

/** A store that fails a start has its own words for it, such as a full disk's. */
async function orStoreError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const { message } = error.cause instanceof Error ? error.cause : error;
    throw new StoreError(`DATA_DIR, DATABASE_URL or REDIS_URL cannot be used: ${message}`);
  }
}

async function warmEngines({ maxBodyBytes }: Config): Promise<EnginePool> {
  const engines = new EnginePool(await compileEngine(await Bun.file(ENGINE).bytes()), maxBodyBytes);
  const first = await engines.lend();
  warmUp(first);
  engines.giveBack(first);
  return engines;
}

/** Null where nothing is sold. */
async function openPayments(config: Config, log: Logger): Promise<Payments | null> {
  const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret, publicUrl } = config;
  if (secretKey === null) return null;
  const { stripePrices: prices, stripeApiBase: apiBase } = config;
  if (webhookSecret === null) log.warn('STRIPE_WEBHOOK_SECRET is not set: no plan will follow a payment');
  return openStripe({ secretKey, webhookSecret, prices, apiBase, publicUrl }, log);
}

const signInOver = (stores: Stores, config: Config, log: Logger): SignIn =>
  new SignIn({
    store: stores.signIn,
    mailer: newMailer(config, log),
    signups: config.signups,
    now: Date.now,
    random: randomBytes,
    log,
  });

function listen(app: ReturnType<typeof createApp>, config: Config): Listener {
  try {
    return new Listener(app, { ...config, isShared: config.worker !== null });
  } catch (error) {
    const { host, port } = config;
    throw new ConfigError(`Cannot listen on HOST ${host}, PORT ${port}: ${(error as Error).message}`);
  }
}

function keepHouse(
  { idempotency, jobs, billing }: Stores,
  signIn: SignIn,
  askAfter: () => Promise<void>,
  { jobRetentionDays }: Config,
  log: Logger,
): void {
  const oldJobs = () => jobs.prune(Date.now() - jobRetentionDays * DAY_MS, JOBS_FORGOTTEN_AT_ONCE);
  const oldEvents = () => billing.prune(Date.now() - EVENTS_KEPT_DAYS * DAY_MS, FORGOTTEN_AT_ONCE);
  const tasks = [
    { name: 'codes and sessions', forgetSome: () => signIn.forgetSome(FORGOTTEN_AT_ONCE) },
    { name: 'answers to repeat', forgetSome: () => idempotency.prune(Date.now(), FORGOTTEN_AT_ONCE) },
    { name: 'jobs', forgetSome: oldJobs },
    { name: 'payment events', forgetSome: oldEvents },
    { name: 'overdue subscriptions', forgetSome: () => askAfter().then(() => 0) },
  ];
  startHousekeeping(tasks, HOUSEKEEPING_EVERY_MS, log);
}
