/** Opens the configured stores: SQLite files, or Redis and Postgres, in any combination. */
import { join } from 'node:path';
import { DrizzleQueryError } from 'drizzle-orm';
import { SqliteBaselines } from './sqlite/baselines.ts';
import { SqlitePubSub } from './sqlite/pub-sub.ts';
import type { AllowanceStore, PubSub, BaselineStore, Dependency, RateStore, UsageStore } from './ports.ts';
import { RateLimiter } from './rates.ts';
import { SqlAlerts } from './sql/alerts.ts';
import { SqlAllowance } from './sql/allowance.ts';
import { SqlBatches } from './sql/batches.ts';
import { SqlBilling } from './sql/billing.ts';
import { SqlChanges } from './sql/changes.ts';
import type { SqlDatabase } from './sql/database.ts';
import { SqlIdempotency } from './sql/idempotency.ts';
import { SqlIdentities } from './sql/identities.ts';
import { SqlJobs } from './sql/jobs.ts';
import { SqlKeys } from './sql/keys.ts';
import { HeldAllowance } from './sql/held-allowance.ts';
import { SqlLedger } from './sql/ledger.ts';
import { SqlWindows } from './sql/windows.ts';
import { SqlSignIn } from './sql/sign-in.ts';
import { openSql, SqliteDatabase } from './sql/sqlite.ts';
import { checkRoom, stillThere } from './sqlite/file.ts';
import { StoreError } from './store-error.ts';
import { timeoutsOf } from './timeouts.ts';

export interface StoreConfig {
  dataDir: string;
  /** Null: SQLite. */
  databaseUrl: string | null;
  /** Null: SQLite, and memory for rates. */
  redisUrl: string | null;
  /** Whether another process on this machine may serve on the same files. */
  isShared?: boolean;
  /** Longest round trip to Redis or Postgres, in ms. A slower store counts as down. Default: 500. */
  storeTimeoutMs?: number;
}

/** Stores that are fast rather than relational: baselines, rates, allowances and messages. */
interface FastStores {
  baselineStore: BaselineStore;
  rates: RateStore;
  allowance: AllowanceStore;
  pubSub: PubSub;
  /** Called with rows that the ledger has. */
  written?: (account: string, periodStart: number, rows: number) => void;
  dependencies: Dependency[];
  /** Call it once, in one process, before any process serves. */
  prepare(): Promise<void>;
}

/** Opens all stores. Throws `StoreError`. */
export async function openStores(config: StoreConfig) {
  const sql = await openDatabase(config);
  const database = sql.database;
  const ledger = new SqlLedger(database);
  const fast = config.redisUrl
    ? await redisStores(config.redisUrl, ledger, config.storeTimeoutMs)
    : await orStoreError(`DATA_DIR ${config.dataDir}`, async () => localStores(config, database));
  return {
    ...fast,
    dependencies: [sql, ...fast.dependencies] satisfies Dependency[],
    ledger,
    billing: new SqlBilling(database),
    identities: new SqlIdentities(database),
    keys: new SqlKeys(database),
    signIn: new SqlSignIn(database),
    alerts: new SqlAlerts(database),
    batches: new SqlBatches(database),
    changes: new SqlChanges(database),
    jobs: new SqlJobs(database, fast.written),
    idempotency: new SqlIdempotency(database),
    windows: new SqlWindows(database, fast.written),
  };
}

export type Stores = Awaited<ReturnType<typeof openStores>>;

async function openDatabase({
  databaseUrl,
  dataDir,
  storeTimeoutMs,
}: StoreConfig): Promise<Dependency & { database: SqlDatabase }> {
  if (databaseUrl !== null) {
    const { CONNECTIONS, PostgresDatabase } = await import('./sql/postgres.ts');
    const timeouts = timeoutsOf(storeTimeoutMs);
    const open = () => PostgresDatabase.open(databaseUrl, CONNECTIONS, timeouts);
    const database = await orStoreError('DATABASE_URL', open);
    return { name: 'postgres', check: () => database.ping(), database };
  }
  const path = join(dataDir, 'sluice.sqlite');
  const database = await orStoreError(`DATA_DIR ${dataDir}`, async () => openSql(path));
  const checkFile = stillThere(path);
  const check = async () => {
    checkFile();
    checkRoom(dataDir);
    await database.ping();
  };
  return { name: 'sqlite', check, database };
}

/** Its library is loaded only where it is needed. */
async function redisStores(url: string, ledger: UsageStore, timeoutMs?: number): Promise<FastStores> {
  const { openRedisStores } = await import('./redis/open.ts');
  return orStoreError('REDIS_URL', () => openRedisStores(url, ledger, timeoutsOf(timeoutMs)));
}

function localStores({ dataDir, databaseUrl, isShared }: StoreConfig, database: SqlDatabase): FastStores {
  const counts = new SqlAllowance(database);
  // Another process must see what this one has reserved.
  const held = !isShared && database instanceof SqliteDatabase ? new HeldAllowance(database) : null;
  const path = join(dataDir, 'baselines.sqlite');
  const baselineStore = new SqliteBaselines(path);
  const checkFile = stillThere(path);
  const check = async () => {
    checkFile();
    checkRoom(dataDir);
  };
  return {
    baselineStore,
    // Nobody can set this clock back.
    rates: new RateLimiter(() => performance.now()),
    allowance: held ?? counts,
    written: (...rows) => held?.written(...rows),
    pubSub: new SqlitePubSub(join(dataDir, 'announcements.sqlite')),
    dependencies: [{ name: 'sqlite', check }],
    // Postgres serves several machines: another one may have requests in progress.
    prepare: () => (databaseUrl === null ? counts.recount() : counts.catchUp()),
  };
}

async function orStoreError<T>(variable: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const reason = reasonOf(error);
    const [line] = String(reason instanceof Error ? reason.message : reason).split('\n');
    throw new StoreError(`${variable} cannot be used: ${line}`);
  }
}

/** The store's own error, without the failed statement, which does not help the operator. */
const reasonOf = (error: unknown): unknown =>
  error instanceof DrizzleQueryError && error.cause !== undefined ? error.cause : error;
