/** Starts one process that serves: stores → application → socket. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { KeyUses } from '../account/key-uses.ts';
import { SignIn } from '../account/sign-in.ts';
import { alertIds } from '../alerts/ids.ts';
import { Outbox } from '../alerts/outbox.ts';
import { pruneBatches } from '../batches/batch.ts';
import { Windows } from '../batches/windows.ts';
import { Uploads } from '../batches/uploads.ts';
import type { Payments } from '../billing/payments.ts';
import { openStripe } from '../billing/stripe.ts';
import { syncOverdue } from '../billing/webhook.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { Collector } from '../engine/collector.ts';
import { compileEngine } from '../engine/engine.ts';
import { RecordScanner } from '../engine/record-starts.ts';
import { type AppDependencies, createApp } from '../http/app.ts';
import { Authentication } from '../http/authentication.ts';
import { readDashboard } from '../http/dashboard.ts';
import { firstSteps, urlOf } from '../http/first-steps.ts';
import { Listener } from '../http/serve.ts';
import { UnsentBytes } from '../http/unsent-bytes.ts';
import { newMailer } from '../mail/mailer.ts';
import { SmtpMailer } from '../mail/smtp.ts';
import { openMetrics, type ProcessMetrics, publicMetrics } from '../metrics/open.ts';
import { serveMetrics } from '../metrics/serve.ts';
import { timedStores } from '../metrics/timed-stores.ts';
import { Baselines } from '../sources/baselines.ts';
import { BaselineEditor } from '../sources/editor.ts';
import { openStores, type Stores } from '../stores/open.ts';
import { StoreError } from '../stores/store-error.ts';
import { NoAnswer } from '../stores/unavailable.ts';
import { Rejection } from '../terms/errors.ts';
import { Assembler } from '../threads/assembler.ts';
import { ColumnCutter } from '../threads/column-cutter.ts';
import { processKeptBytes } from '../threads/kept-bytes.ts';
import { WorkerThread } from '../threads/thread.ts';
import { Threads } from '../threads/threads.ts';
import { DAY_MS } from '../time/durations.ts';
import { bootstrap, firstKey } from './bootstrap.ts';
import { startHousekeeping } from './housekeeping.ts';
import { Retention } from './retention.ts';

/** `npm run dev` runs the engine with its assertions. */
const ENGINE_FILE = process.argv.includes('--debug-engine') ? 'engine.debug.wasm' : 'engine.wasm';
const ENGINE = join(import.meta.dir, '../../build', ENGINE_FILE);
const DASHBOARD = join(import.meta.dir, '../../build/dashboard');
/** How often the last uses of keys are written. */
const WRITE_KEY_USES_MS = 30_000;
const HOUSEKEEPING_EVERY_MS = 60_000;
/** Rows per step of housekeeping: few enough that no request waits for it. */
const DELETED_AT_ONCE = 500;
/** Each has up to a mebibyte of keys. */
const BATCH_KEYS_DELETED_AT_ONCE = 8;
/** Deleting a job deletes its report: 50 jobs take a millisecond or two. */
const JOBS_DELETED_AT_ONCE = 50;
/** The payment provider resends events for three days by itself, and for thirty days on request. */
const EVENTS_KEPT_DAYS = 40;
const ALERTS_KEPT_DAYS = 30;
/** For one attempt to deliver an alert. */
const ALERT_TIMEOUT_MS = 10_000;
/** Fetched one after the other; each may take seconds if Stripe is slow. */
const SYNCED_AT_ONCE = 20;
/** How long the start retries a store that does not answer. */
const START_RETRY_MS = 5000;
const RETRY_EVERY_MS = 250;

/** A running service. */
export interface Service {
  /** URL for clients on this machine. */
  url: string;
  port: number;
  /** URL for Prometheus on a separate port; null without one. */
  metricsUrl: string | null;
  /** Rejects new requests, finishes running ones, and writes pending data. */
  stop(): Promise<void>;
}

/** Starts to serve. Throws `ConfigError`, `StoreError`. */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const processMetrics = await openMetrics(config);
  const stores = withTiming(await openStores(config), processMetrics);
  await prepare(stores, config);
  const keyUses = new KeyUses(stores.keys);
  const signIn = newSignIn(stores, config, log);
  const screening = await openScreening(config, stores, processMetrics, log);
  const { baselines } = screening;
  const openWindows = new Windows(() => ({ ...deps, windows: stores.windows, accounts: stores.identities }));
  const publicUrl = () => config.publicUrl ?? urlOf(listener.server);
  const deps: AppDependencies = {
    ...config,
    ...stores,
    ...screening,
    openWindows,
    windowEnds: openWindows.ends,
    editor: new BaselineEditor(stores.baselineStore, baselines),
    dashboard: await readDashboard(DASHBOARD),
    authentication: await newAuthentication(stores),
    keyUses,
    unsent: new UnsentBytes(),
    signIn,
    payments: await openPayments(config, publicUrl, log),
    publicUrl,
    ...alerting(config),
    draining: () => listener.draining,
    log,
    meter: processMetrics?.metrics ?? null,
    metricsEndpoint: publicMetrics(config, processMetrics),
  };
  const listener = listen(createApp(deps), config);
  const metricsServer = processMetrics ? serveMetrics(config, processMetrics.text) : null;
  const url = urlOf(listener.server);
  // Only now: a key created before a failed start would never be printed.
  await printFirstKey(stores, config, url);
  const writeKeyUses = keyUseWriter(keyUses, log);
  setInterval(writeKeyUses, WRITE_KEY_USES_MS).unref();
  const syncSubscriptions = () => syncOverdue(SYNCED_AT_ONCE, deps);
  const outbox = newOutbox(stores, config, publicUrl, log);
  outbox.start();
  openWindows.ends.start();
  scheduleHousekeeping(stores, signIn, syncSubscriptions, config, log);
  return {
    url,
    port: listener.server.port!,
    metricsUrl: metricsServer?.url ?? null,
    async stop() {
      const timeout = Bun.sleep(config.drainSeconds * 1000).then(() => false);
      await listener.drain(config.drainSeconds);
      const sent = Promise.all([signIn.sent(), outbox.stop(), openWindows.ends.stop()]).then(() => true);
      if (!(await Promise.race([sent, timeout]))) log.warn(ABANDONED);
      await writeKeyUses();
      // Requests are logged after their responses.
      await nextTurn();
    },
  };
}

const ABANDONED = 'mails and alerts in progress were abandoned: DRAIN_SECONDS are over';

/** What screens batches, besides the stores: the same for requests and for streams. */
export async function openScreening(
  config: Config,
  { baselineStore }: Stores,
  processMetrics: ProcessMetrics | null,
  log: Logger,
) {
  const { threads, module, ...beside } = await openThreads(config);
  processMetrics?.metrics.watch({ threads, kept: processKeptBytes });
  new Collector().start();
  const baselines = new Baselines(baselineStore, threads, log);
  const large = { ...beside, scanner: new RecordScanner(module), uploads: new Uploads() };
  return { baselines, threads, ...large, now: Date.now, sleep: Bun.sleep, random: randomBytes };
}

/** Threads of large batches stand back behind the one that answers and the one for small batches. */
const LARGE_NICENESS = 5;

/** To look for repeated rows among a hundred million takes minutes. */
const ASSEMBLING_MS = 600_000;

/** Each takes a core, and hundreds of megabytes. */
const FILES_CUT_AT_ONCE = 2;

async function openThreads(config: Config) {
  const { maxBodyBytes, engineThreads, batchSeconds } = config;
  const module = await compileEngine(await Bun.file(ENGINE).bytes());
  const settings = {
    sampleRows: config.sampleRows,
    defaultMode: config.defaultMode,
    storeValues: config.storeValues,
  };
  const start = (onEnd: () => void, isForSmall: boolean) => {
    const niceness = isForSmall ? 0 : LARGE_NICENESS;
    return new WorkerThread({ module, maxBodyBytes, settings, niceness }, batchSeconds * 1000, onEnd);
  };
  const threads = new Threads(start, engineThreads, 1);
  const beside = { module, maxBodyBytes, settings, niceness: LARGE_NICENESS, isWithoutEngine: true };
  const assembler = new Assembler(onEnd => new WorkerThread(beside, ASSEMBLING_MS, onEnd));
  const startCutting = () => new WorkerThread(beside, batchSeconds * 1000, () => {});
  const cutter = new ColumnCutter(startCutting, FILES_CUT_AT_ONCE);
  await threads.opened();
  return { threads, module, assembler, cutter };
}

const keyUseWriter = (keyUses: KeyUses, log: Logger) => (): Promise<void> =>
  keyUses.flush().catch(error => log.warn({ err: error }, 'the last uses of keys could not be written'));

export const withTiming = (stores: Stores, processMetrics: ProcessMetrics | null): Stores =>
  processMetrics === null ? stores : timedStores(stores, processMetrics.metrics);

export async function newAuthentication({ identities, pubSub }: Stores): Promise<Authentication> {
  const publish = (message: string): Promise<void> => pubSub.publish(message).catch(() => {});
  const authentication = new Authentication(identities, Date.now, publish, () => pubSub.poll());
  await pubSub.subscribe(message => authentication.receive(message));
  return authentication;
}

/** Prepares the stores before the service listens. Throws `ConfigError`, `StoreError`. */
export async function prepare(stores: Stores, config: Config, retryMs = START_RETRY_MS): Promise<void> {
  await orStoreError(() =>
    withRetries(async () => {
      await stores.prepare();
      await bootstrap(stores, config);
    }, retryMs),
  );
}

/** Retries while a store does not answer. `run` must be idempotent. */
async function withRetries(run: () => Promise<void>, retryMs: number): Promise<void> {
  const until = Date.now() + retryMs;
  for (;;)
    try {
      return await run();
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof NoAnswer) || Date.now() > until) throw error;
      await Bun.sleep(RETRY_EVERY_MS);
    }
}

/** If the first account's key is created now, prints it with a command that uses it. Throws `StoreError`. */
export async function printFirstKey(stores: Stores, config: Config, url: string): Promise<void> {
  const key = await orStoreError(() => firstKey(stores, config));
  if (key !== null) process.stdout.write(firstSteps(key, url));
}

/** If a store fails the start, reports the store's own error, such as a full disk. */
async function orStoreError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const { message } = error.cause instanceof Error ? error.cause : error;
    throw new StoreError(`DATA_DIR, DATABASE_URL or REDIS_URL cannot be used: ${message}`);
  }
}

/** Null if billing is not configured. */
async function openPayments(config: Config, publicUrl: () => string, log: Logger): Promise<Payments | null> {
  const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret } = config;
  if (secretKey === null) return null;
  const { stripePrices: prices, stripeApiBase: apiBase } = config;
  if (webhookSecret === null) log.warn('STRIPE_WEBHOOK_SECRET is not set: payments will not change plans');
  return openStripe({ secretKey, webhookSecret, prices, apiBase, publicUrl }, log);
}

const newSignIn = (stores: Stores, config: Config, log: Logger): SignIn =>
  new SignIn({
    store: stores.signIn,
    baselines: stores.baselineStore,
    mailer: newMailer(config, log),
    rates: stores.rates,
    signups: config.signups,
    signupPlan: config.signupPlan,
    codesAreLogged: config.smtpUrl === null,
    now: Date.now,
    random: randomBytes,
    log,
  });

/** One for the whole process: only its own ids keep their order. */
const newAlertId = alertIds(Date.now, randomBytes);

const alerting = ({ alertAllowPrivate, smtpUrl }: Config) => ({
  allowPrivate: alertAllowPrivate,
  canMail: smtpUrl !== null,
  newAlertId,
});

export function newOutbox({ alerts }: Stores, config: Config, publicUrl: () => string, log: Logger): Outbox {
  const mailer = config.smtpUrl === null ? null : new SmtpMailer(config.smtpUrl, config.mailFrom);
  return new Outbox({
    alerts,
    publicUrl,
    allowPrivate: config.alertAllowPrivate,
    timeoutMs: ALERT_TIMEOUT_MS,
    mail: mailer && ((to, mail) => mailer.send(to, mail)),
    newId: newAlertId,
    chance: Math.random,
    now: Date.now,
    log,
  });
}

function listen(app: ReturnType<typeof createApp>, config: Config): Listener {
  try {
    return new Listener(app, config);
  } catch (error) {
    const { host, port } = config;
    throw new ConfigError(`Cannot listen on HOST ${host}, PORT ${port}: ${(error as Error).message}`);
  }
}

function scheduleHousekeeping(
  stores: Stores,
  signIn: SignIn,
  syncSubscriptions: () => Promise<void>,
  config: Config,
  log: Logger,
): void {
  const { idempotency, jobs, billing, alerts } = stores;
  const { jobRetentionDays } = config;
  const retention = new Retention(stores, { ...config, now: Date.now });
  const oldJobs = () => jobs.prune(Date.now() - jobRetentionDays * DAY_MS, JOBS_DELETED_AT_ONCE);
  const oldAlerts = () => alerts.prune(Date.now() - ALERTS_KEPT_DAYS * DAY_MS, DELETED_AT_ONCE);
  const oldEvents = () => billing.prune(Date.now() - EVENTS_KEPT_DAYS * DAY_MS, DELETED_AT_ONCE);
  const tasks = [
    { name: 'codes and sessions', deleteSome: () => signIn.deleteSome(DELETED_AT_ONCE) },
    { name: 'answers to repeat', deleteSome: () => idempotency.prune(Date.now(), DELETED_AT_ONCE) },
    { name: 'jobs', deleteSome: oldJobs },
    {
      name: 'batches in parts',
      deleteSome: () => pruneBatches(stores, Date.now(), BATCH_KEYS_DELETED_AT_ONCE),
    },
    { name: 'idle sources', deleteSome: () => retention.deleteSome() },
    { name: 'payment events', deleteSome: oldEvents },
    { name: 'alerts', deleteSome: oldAlerts },
    { name: 'overdue subscriptions', deleteSome: () => syncSubscriptions().then(() => 0) },
  ];
  startHousekeeping(tasks, HOUSEKEEPING_EVERY_MS, log);
}
