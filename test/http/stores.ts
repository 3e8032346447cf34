/**
 * The stores that the tests of the application run on: embedded in memory, or, where TEST_REDIS_URL and TEST_POSTGRES_URL
 * name servers, Redis and Postgres. `test/e2e/http-on-servers.long.test.ts` runs all tests of this folder so.
 */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach } from 'bun:test';
import { SQL } from 'bun';
import { getTableName } from 'drizzle-orm';
import { displayPrefix, secretSha256 } from '../../src/account/keys.ts';
import { SqliteBaselines } from '../../src/stores/sqlite/baselines.ts';
import type { Account, AllowanceStore, BaselineStore, RateStore } from '../../src/stores/ports.ts';
import { RateLimiter } from '../../src/stores/rates.ts';
import { RedisAllowance } from '../../src/stores/redis/allowance.ts';
import { RedisBaselines } from '../../src/stores/redis/baselines.ts';
import { RedisConnection } from '../../src/stores/redis/connection.ts';
import { SqlAllowance } from '../../src/stores/sql/allowance.ts';
import type {
  Buildable,
  Queries,
  SqlDatabase,
  Statement,
  Step,
  Values,
} from '../../src/stores/sql/database.ts';
import { DELETED_JOBS } from '../../src/stores/sql/ids.ts';
import * as schema from '../../src/stores/sql/schema.ts';
import { SqlLedger } from '../../src/stores/sql/ledger.ts';
import { PostgresDatabase } from '../../src/stores/sql/postgres.ts';
import { SqliteDatabase } from '../../src/stores/sql/sqlite.ts';
import { openSqlite } from '../../src/stores/sqlite/file.ts';
import { PATIENT } from '../servers/lateness.ts';

const { TEST_REDIS_URL: redisUrl, TEST_POSTGRES_URL: postgresUrl } = process.env;

/** A key of the account `owner`, plan developer. */
export const KEY = `sluice_live_${'k1'.repeat(16)}`;
/** A key of the account `scaler`, plan scale, whose rate no test reaches. */
export const SCALE_KEY = `sluice_live_${'k2'.repeat(16)}`;

/** Empty but for both accounts. */
export interface TestStores {
  database: SqlDatabase;
  baselineStore: BaselineStore;
  allowance: AllowanceStore;
  rates: RateStore;
  /** Runs one statement, without Drizzle. */
  rows<Row>(text: string): Promise<Row[]>;
}

export const isOnServers = Boolean(redisUrl && postgresUrl);

export const newStores = (): TestStores => (isOnServers ? onServers() : embedded());

/** An empty SQLite database in memory, but for both accounts. */
export function newDatabase(): { client: Database; database: SqliteDatabase } {
  const client = Database.deserialize(IMAGE, { strict: true });
  client.run('PRAGMA foreign_keys = ON');
  return { client, database: new SqliteDatabase(client) };
}

/** Its bytes: a copy takes less time than to make it anew, a thousand times. */
const IMAGE = imageOfDatabase();

function imageOfDatabase(): Buffer {
  const client = openSqlite(':memory:');
  new SqliteDatabase(client);
  for (const statement of accounts("x'")) client.run(statement);
  return client.serialize();
}

/** `hex`: how a literal of bytes begins. */
function accounts(hex: string): string[] {
  const salt = `${hex}${'07'.repeat(32)}'`;
  const account = (id: string, plan: Account['plan'], key: string) => [
    `INSERT INTO accounts (id, name, plan, salt, created_at) VALUES ('${id}', '${id}', '${plan}', ${salt}, 0)`,
    `INSERT INTO keys (id, account, name, prefix, sha256, created_at)
     VALUES ('key_${id}', '${id}', '${id}', '${displayPrefix(key)}', '${secretSha256(key)}', 0)`,
  ];
  return [...account('owner', 'developer', KEY), ...account('scaler', 'scale', SCALE_KEY)];
}

function embedded(): TestStores {
  const { client, database } = newDatabase();
  return {
    database,
    baselineStore: new SqliteBaselines(':memory:'),
    allowance: new SqlAllowance(database),
    rates: new RateLimiter(),
    rows: async <Row>(text: string) => client.query<Row, []>(text).all(),
  };
}

function onServers(): TestStores {
  const loan = new Loan();
  if (isInTest) loans.push(loan);
  const connected = async () => (await loan.pair()).redis;
  const database = new LentPostgres(async () => (await loan.pair()).postgres);
  return {
    database,
    baselineStore: lazily(async () => new RedisBaselines(await connected())),
    // Nobody was on the server before.
    allowance: lazily(async () => new RedisAllowance(await connected(), new SqlLedger(database), 0)),
    // Those in Redis go by its own clock, and tests stand still in time: `test/ports/` is about them.
    rates: new RateLimiter(),
    rows: async <Row>(text: string) => (await (await loan.pair()).plain.unsafe(text)) as Row[],
  };
}

/** An object of asynchronous methods alone, made when the first of them is called. */
function lazily<T extends object>(make: () => Promise<T>): T {
  let made: Promise<T> | undefined;
  const target = {} as Record<string | symbol, unknown>;
  return new Proxy(target, {
    get: (own, name) =>
      own[name] ??
      (async (...call: unknown[]) => {
        made ??= make();
        const object = (await made) as Record<string | symbol, (...call: unknown[]) => unknown>;
        return object[name]!(...call);
      }),
  }) as T;
}

/** A database in each server. */
interface Pair {
  postgres: PostgresDatabase;
  /** For statements of the tests' own. */
  plain: SQL;
  redis: RedisConnection;
  empty(): Promise<void>;
}

/**
 * Pairs that are empty and in nobody's hands. Making one takes longer than most tests: those that a test has used are
 * emptied when it ends. The hooks are all tests' own when this file is preloaded.
 */
const free: Pair[] = [];
const loans: Loan[] = [];
let made = 0;
let isInTest = false;

if (redisUrl && postgresUrl) {
  beforeEach(() => {
    isInTest = true;
  });
  afterEach(async () => {
    isInTest = false;
    await Promise.all(loans.splice(0).map(loan => loan.giveBack()));
  });
}

class Loan {
  #pair: Promise<Pair> | undefined;

  pair(): Promise<Pair> {
    this.#pair ??= borrowed();
    return this.#pair;
  }

  async giveBack(): Promise<void> {
    const pair = await this.#pair;
    if (!pair) return;
    await pair.empty();
    free.push(pair);
  }
}

const borrowed = async (): Promise<Pair> => free.pop() ?? newPair(redisUrl!, postgresUrl!);

async function newPair(redisServer: string, postgresServer: string): Promise<Pair> {
  const index = made++;
  const name = `http_${index}`;
  const server = new SQL({ url: postgresServer, max: 1 });
  await server.unsafe(`CREATE DATABASE ${name}`);
  await server.close();
  const url = Object.assign(new URL(postgresServer), { pathname: name }).href;
  const redisAddress = `${redisServer}/${index}`;
  const postgres = await PostgresDatabase.open(url, 2, PATIENT);
  const redis = await RedisConnection.open(redisAddress, PATIENT);
  const plain = new SQL({ url, max: 1 });
  // The service may still be deleting old jobs in the background.
  const lock = `SELECT pg_advisory_xact_lock(hashtextextended('${DELETED_JOBS}', 0))`;
  const clear = Object.values(schema).map(table => `DELETE FROM ${getTableName(table)}`);
  const empty = async () => {
    await Promise.all([
      redis.command('FLUSHDB'),
      plain.unsafe([lock, ...clear, ...accounts("'\\x")].join(';')),
    ]);
  };
  await empty();
  return { postgres, plain, redis, empty };
}

class LentPostgres implements SqlDatabase {
  constructor(readonly inner: () => Promise<PostgresDatabase>) {}

  statement<Row>(build: (queries: Queries) => Buildable<Row>): LazyStatement<Row> {
    return new LazyStatement(build, this.inner);
  }

  async atomically(steps: readonly Step[]): Promise<boolean> {
    const inner = await this.inner();
    return inner.atomically(stepsOn(inner, steps));
  }

  async together(steps: readonly Step[]): Promise<boolean> {
    const inner = await this.inner();
    return inner.together(stepsOn(inner, steps));
  }

  async alone<Row>(names: readonly string[], statement: Statement<Row>, values: Values): Promise<Row[]> {
    const inner = await this.inner();
    return inner.alone(names, (statement as LazyStatement<Row>).on(inner), values);
  }
}

const stepsOn = (inner: PostgresDatabase, steps: readonly Step[]): Step[] =>
  steps.map(step => ({ ...step, statement: (step.statement as LazyStatement<unknown>).on(inner) }));

class LazyStatement<Row> implements Statement<Row> {
  #prepared: { by: PostgresDatabase; statement: Statement<Row> } | null = null;

  constructor(
    readonly build: (queries: Queries) => Buildable<Row>,
    readonly inner: () => Promise<PostgresDatabase>,
  ) {}

  async run(values: Values): Promise<Row[]> {
    return this.on(await this.inner()).run(values);
  }

  on(inner: PostgresDatabase): Statement<Row> {
    if (this.#prepared?.by !== inner) this.#prepared = { by: inner, statement: inner.statement(this.build) };
    return this.#prepared.statement;
  }
}
