/**
 * The SQL database in Postgres, with Bun's client. It runs the queries of SQLite: both dialects spell them the same, and
 * only the migrations differ.
 *
 * A stopped server rejects connections at once. For a frozen server the `Breaker` opens soon, and no statement waits
 * longer than `questionMs`. A group without an answer does not continue when the server wakes up. If its COMMIT was already sent,
 * the outcome is unknown: that is a `MaybeCommitted`.
 *
 * When the breaker opens, all connections are replaced, because the server may have moved.
 *
 * A failover may lead to another database: empty, of an older version, or newly set up by another replica. `identity.ts`
 * detects it at each `ping`, and when a statement misses a table. Until the right database is back, all calls are rejected.
 */
import { join } from 'node:path';
import { SQL } from 'bun';
import { sql } from 'drizzle-orm';
import { type BunSQLDatabase, drizzle } from 'drizzle-orm/bun-sql';
import { migrate } from 'drizzle-orm/bun-sql/migrator';
import { Rejection } from '../../terms/errors.ts';
import { Breaker } from '../breaker.ts';
import { type Timeouts, timeoutsOf } from '../timeouts.ts';
import { answered, notNow } from '../unavailable.ts';
import {
  type Buildable,
  MaybeCommitted,
  type Queries,
  type SqlDatabase,
  type Statement,
  type Step,
  type Values,
} from './database.ts';
import { DatabaseIdentity, isOtherSchema } from './identity.ts';
import { GUARD_UNMET, type OneStatement, oneStatement } from './one-statement.ts';

const MIGRATIONS = join(import.meta.dir, 'migrations-postgres');
/** Advisory lock of migrations: "sluice" in ASCII. */
const MIGRATION_LOCK = 0x736c75696365;
export const CONNECTIONS = 10;
/** Time between two checks of a database that is not ours. */
const LOOK_AGAIN_MS = 250;

export class PostgresDatabase implements SqlDatabase {
  readonly #connect: () => SQL;
  readonly #breaker: Breaker;
  readonly #together = new Map<string, OneStatement>();
  #client: SQL;
  #queries: BunSQLDatabase;
  #probe: SQL;
  readonly #timeouts: Timeouts;
  readonly #identity = new DatabaseIdentity(MIGRATIONS);
  /** Set while the database is not ours. */
  #rejection: Rejection | null = null;
  #isLooking = false;
  #statements = 0;

  private constructor(url: string, connections: number, timeouts: Timeouts) {
    this.#timeouts = timeouts;
    this.#connect = () => clientOf(url, connections, timeouts);
    this.#client = this.#connect();
    this.#queries = drizzle(this.#client);
    const newProbe = () => clientOf(url, 1, timeouts);
    this.#probe = newProbe();
    this.#breaker = new Breaker(
      {
        connect: () => this.#probe.connect(),
        ask: () => this.#probe`SELECT 1`,
        failed: () => {
          giveUp(this.#probe);
          this.#probe = newProbe();
        },
        reconnect: () => this.#client.connect(),
      },
      timeouts,
      () => this.#renew(),
    );
  }

  /** Connects and applies missing migrations. Throws the error of the server or network. */
  static async open(
    url: string,
    connections = CONNECTIONS,
    timeouts = timeoutsOf(),
  ): Promise<PostgresDatabase> {
    await migrateAlone(url, timeouts);
    const database = new PostgresDatabase(url, connections, timeouts);
    // Connecting takes longer than a statement may.
    await database.#client.connect();
    return database;
  }

  statement<Row>(build: (queries: Queries) => Buildable<Row>): PostgresStatement<Row> {
    const ask = <T>(run: (queries: BunSQLDatabase) => Promise<T>) => this.#answered(run);
    return new PostgresStatement(build, ask, `sluice_${this.#statements++}`);
  }

  async atomically(steps: readonly Step[]): Promise<boolean> {
    let isCommitting = false;
    let isGivenUp = false;
    const group = (queries: BunSQLDatabase) =>
      queries.transaction(async transaction => {
        for (const { statement, values, guard } of steps) {
          // The caller has stopped waiting, and the request is being compensated.
          if (isGivenUp) throw UNDONE;
          const rows = await (statement as PostgresStatement<unknown>).within(transaction, values);
          if (guard && rows.length === 0) throw UNDONE;
        }
        if (isGivenUp) throw UNDONE;
        isCommitting = true;
      });
    try {
      await this.#answered(group, roundTripsOf(steps.length));
      return true;
    } catch (error) {
      isGivenUp = true;
      if (error === UNDONE) return false;
      throw isCommitting && error instanceof Rejection ? new MaybeCommitted(error) : error;
    }
  }

  async together(steps: readonly Step[]): Promise<boolean> {
    const { text, params } = this.#combined(steps);
    let query: ReturnType<SQL['unsafe']> | null = null;
    const ask = async () => {
      query = this.#client.unsafe(text, params(steps.map(({ values }) => values)));
      await query;
    };
    try {
      await this.#answered(ask);
      return true;
    } catch (error) {
      if (query === null) throw error;
      // If it still waits for a connection, it must not run later.
      (query as ReturnType<SQL['unsafe']>).cancel();
      if (isRefused(error, GUARD_UNMET)) return false;
      throw error instanceof Rejection && !isRefused(error.cause) ? new MaybeCommitted(error) : error;
    }
  }

  /** Cached for each list of statements. */
  #combined(steps: readonly Step[]): OneStatement {
    const statements = steps.map(({ statement }) => statement as PostgresStatement<unknown>);
    const key = steps.map(({ guard }, i) => statements[i]!.name + (guard ? '!' : '')).join();
    const made =
      this.#together.get(key) ??
      oneStatement(
        statements.map((statement, i) => ({ ...statement.built(this.#queries), guard: !!steps[i]!.guard })),
      );
    this.#together.set(key, made);
    return made;
  }

  /** Always locks in the same order, so that callers never deadlock. */
  alone<Row>(names: readonly string[], statement: Statement<Row>, values: Values): Promise<Row[]> {
    const run = (queries: BunSQLDatabase) =>
      queries.transaction(async transaction => {
        for (const name of [...names].sort()) await transaction.execute(lockOf(name));
        return (statement as PostgresStatement<Row>).within(transaction, values);
      });
    return this.#answered(run, roundTripsOf(names.length + 1));
  }

  /** Throws SERVICE_UNAVAILABLE if the server does not answer, accepts no writes, or has another database. */
  async ping(): Promise<void> {
    const readOnly = this.#asked(queries =>
      queries.execute(sql`SELECT current_setting('transaction_read_only') AS "readOnly"`),
    ) as Promise<{ readOnly: string }[]>;
    const [[answer]] = await Promise.all([readOnly, this.#look()]);
    if (this.#rejection) throw this.#rejection;
    if (answer!.readOnly !== 'off') throw notNow();
  }

  async close(): Promise<void> {
    this.#breaker.close();
    await Promise.all([this.#client, this.#probe].map(client => client.close({ timeout: 1 })));
  }

  /** Rejects while the database is not ours. `roundTrips`: the number of statements that `run` sends one after the other. */
  async #answered<T>(run: (queries: BunSQLDatabase) => Promise<T>, roundTrips = 1): Promise<T> {
    if (this.#rejection) {
      void this.#lookAgain();
      throw this.#rejection;
    }
    try {
      return await this.#asked(run, roundTrips);
    } catch (error) {
      if (isOtherSchema(error)) void this.#lookAgain();
      throw error;
    }
  }

  #asked<T>(run: (queries: BunSQLDatabase) => Promise<T>, roundTrips = 1): Promise<T> {
    return answered(
      this.#breaker.ask(() => run(this.#queries)),
      roundTrips * this.#timeouts.questionMs,
    );
  }

  /** Checks which database answers. Throws SERVICE_UNAVAILABLE if none does. */
  async #look(): Promise<void> {
    this.#rejection = await this.#identity.check(query => this.#asked(queries => queries.execute(query)));
  }

  async #lookAgain(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    await this.#look().catch(() => {});
    await Bun.sleep(LOOK_AGAIN_MS);
    this.#isLooking = false;
  }

  #renew(): void {
    giveUp(this.#client);
    this.#client = this.#connect();
    this.#queries = drizzle(this.#client);
  }
}

/** Round trips of a transaction: its statements, BEGIN and COMMIT. */
const roundTripsOf = (statements: number): number => statements + 2;

/** Closes a client without waiting for its connections. */
function giveUp(client: SQL): void {
  client.close({ timeout: 0 }).catch(() => {});
}

/** Thrown through a transaction to roll it back. */
const UNDONE = new Error('a guard found no row');

/** Whether the server itself rejected the statement (with this SQLSTATE, if given): then nothing happened. */
const isRefused = (error: unknown, state?: string): boolean =>
  error instanceof SQL.PostgresError &&
  error.code === 'ERR_POSTGRES_SERVER_ERROR' &&
  (state === undefined || error.errno === state);

/** Holds the lock until the end of the transaction. */
const lockOf = (name: string) => sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;

/** A query that Drizzle has prepared for Postgres. */
interface Prepared<Row> {
  execute(values: Values): Promise<Row[]>;
}

/** A query as Drizzle builds it for Postgres. */
interface Built<Row> {
  prepare(name: string): Prepared<Row>;
  toSQL(): { sql: string; params: unknown[] };
}

/** Runs a query on current connections. */
type Ask = <T>(run: (queries: BunSQLDatabase) => Promise<T>) => Promise<T>;

class PostgresStatement<Row> implements Statement<Row> {
  readonly #build: (queries: Queries) => Buildable<Row>;
  readonly #ask: Ask;
  readonly name: string;
  #prepared: { by: BunSQLDatabase; query: Prepared<Row> } | null = null;

  constructor(build: (queries: Queries) => Buildable<Row>, ask: Ask, name: string) {
    this.#build = build;
    this.#ask = ask;
    this.name = name;
  }

  run(values: Values): Promise<Row[]> {
    return this.#ask(queries => this.#preparedOnce(queries).execute(values));
  }

  /** Prepares the query in the transaction: a prepared query belongs to one connection. */
  within(transaction: Pick<BunSQLDatabase, 'select'>, values: Values): Promise<Row[]> {
    return this.#preparedBy(transaction).execute(values);
  }

  /** Its text and parameters. */
  built(queries: BunSQLDatabase): { text: string; params: unknown[] } {
    const { sql: text, params } = this.#builtBy(queries).toSQL();
    return { text, params };
  }

  #preparedOnce(queries: BunSQLDatabase): Prepared<Row> {
    if (this.#prepared?.by !== queries) this.#prepared = { by: queries, query: this.#preparedBy(queries) };
    return this.#prepared.query;
  }

  /** The builders of both dialects have the same methods; the types are those of SQLite. */
  #builtBy(queries: Pick<BunSQLDatabase, 'select'>): Built<Row> {
    return this.#build(queries as unknown as Queries) as unknown as Built<Row>;
  }

  #preparedBy(queries: Pick<BunSQLDatabase, 'select'>): Prepared<Row> {
    return this.#builtBy(queries).prepare(this.name);
  }
}

function clientOf(url: string, max: number, { connectMs }: Timeouts): SQL {
  return new SQL({ url, max, connectionTimeout: Math.ceil(connectMs / 1000) });
}

/** If several processes start together, one migrates and the others wait. */
async function migrateAlone(url: string, timeouts: Timeouts): Promise<void> {
  const client = clientOf(url, 1, timeouts);
  try {
    await client`SELECT pg_advisory_lock(${MIGRATION_LOCK})`;
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS });
  } finally {
    // Closing the connection releases the lock.
    await client.close();
  }
}
