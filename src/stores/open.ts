/** The stores that the configuration asks for: embedded in SQLite files, or Redis and Postgres, each in any pairing. */
import { join } from 'node:path';
import { DrizzleQueryError } from 'drizzle-orm';
import { RateLimiter, type RateStore } from '../account/rate.ts';
import { EmbeddedBaselines } from './embedded.ts';
import { EmbeddedAnnouncements } from './embedded-announcements.ts';
import { EmbeddedRates } from './embedded-rates.ts';
import type { AllowanceStore, Announcements, BaselineStore, Dependency, UsageStore } from './ports.ts';
import { RedisAllowance } from './redis/allowance.ts';
import { RedisAnnouncements } from './redis/announcements.ts';
import { RedisBaselines } from './redis/baselines.ts';
import { RedisConnection } from './redis/connection.ts';
import { RedisRates } from './redis/rates.ts';
import { SqlAllowance } from './sql/allowance.ts';
import { SqlBilling } from './sql/billing.ts';
import type { SqlDatabase } from './sql/database.ts';
import { SqlIdempotency } from './sql/idempotency.ts';
import { SqlIdentities } from './sql/identities.ts';
import { SqlJobs } from './sql/jobs.ts';
import { SqlKeys } from './sql/keys.ts';
import { SqlLedger } from './sql/ledger.ts';
import { PostgresDatabase } from './sql/postgres.ts';
import { SqlSignIn } from './sql/sign-in.ts';
import { openSql } from './sql/sqlite.ts';
import { checkRoom } from './sqlite-file.ts';

export interface Where {
  dataDir: string;
  /** Null: SQLite. */
  databaseUrl: string | null;
  /** Null: SQLite, and process memory for rates. */
  redisUrl: string | null;
  /** Processes that share the stores on this machine. */
  workers: number;
}

/** A store that cannot be had. The message is one line and names the variable to look at. */
export class StoreError extends Error {}

/** What counts quickly: baselines, rates and allowances. */
interface Counters {
  baselineStore: BaselineStore;
  rates: RateStore;
  allowance: AllowanceStore;
  announcements: Announcements;
  dependencies: Dependency[];
  /** To be called once, by one process, before any serves. */
  prepare(): Promise<void>;
}

/** Opens everything. Throws `StoreError`. */
export async function openStores(where: Where) {
  const sql = await openDatabase(where);
  const database = sql.database;
  const ledger = new SqlLedger(database);
  const counters = where.redisUrl
    ? await redisCounters(where.redisUrl, ledger)
    : await orStoreError(`DATA_DIR ${where.dataDir}`, async () => embeddedCounters(where, database));
  return {
    ...counters,
    dependencies: [sql, ...counters.dependencies] satisfies Dependency[],
    ledger,
    billing: new SqlBilling(database),
    identities: new SqlIdentities(database),
    keys: new SqlKeys(database),
    signIn: new SqlSignIn(database),
    jobs: new SqlJobs(database),
    idempotency: new SqlIdempotency(database),
  };
}

export type Stores = Awaited<ReturnType<typeof openStores>>;

async function openDatabase({
  databaseUrl,
  dataDir,
}: Where): Promise<Dependency & { database: SqlDatabase }> {
  if (databaseUrl !== null) {
    const database = await orStoreError('DATABASE_URL', () => PostgresDatabase.open(databaseUrl));
    return { name: 'postgres', check: () => database.ping(), database };
  }
  const path = join(dataDir, 'sluice.sqlite');
  const database = await orStoreError(`DATA_DIR ${dataDir}`, async () => openSql(path));
  const check = async () => {
    checkRoom(dataDir);
    await database.ping();
  };
  return { name: 'sqlite', check, database };
}

async function redisCounters(url: string, ledger: UsageStore): Promise<Counters> {
  const connection = await orStoreError('REDIS_URL', () => RedisConnection.open(url));
  return {
    baselineStore: new RedisBaselines(connection),
    rates: new RedisRates(connection),
    allowance: new RedisAllowance(connection, ledger),
    announcements: new RedisAnnouncements(connection),
    dependencies: [{ name: 'redis', check: () => connection.ping() }],
    prepare: async () => {},
  };
}

function embeddedCounters({ dataDir, databaseUrl, workers }: Where, database: SqlDatabase): Counters {
  const allowance = new SqlAllowance(database);
  return {
    baselineStore: new EmbeddedBaselines(join(dataDir, 'baselines.sqlite')),
    // The processes of a machine share the wall clock. One process has a better one: nobody can set it back.
    rates:
      workers > 1
        ? new EmbeddedRates(join(dataDir, 'rates.sqlite'))
        : new RateLimiter(() => performance.now()),
    allowance,
    announcements: new EmbeddedAnnouncements(join(dataDir, 'announcements.sqlite')),
    // Beside a SQLite database it has been asked for already.
    dependencies: databaseUrl === null ? [] : [{ name: 'sqlite', check: async () => checkRoom(dataDir) }],
    // Postgres is there for several machines: on another one requests may be under way.
    prepare: () => (databaseUrl === null ? allowance.recount() : allowance.catchUp()),
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

/** What the store itself said: around it stands the statement that failed, which says nothing to who configures it. */
const reasonOf = (error: unknown): unknown =>
  error instanceof DrizzleQueryError && error.cause !== undefined ? error.cause : error;
