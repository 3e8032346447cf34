/**
 * The SQL database in Postgres, by Bun's client. The queries are those of SQLite: for what they say both dialects spell
 * the same, and the tables differ in their migrations alone.
 *
 * A server that is gone refuses at once; `Breaker` soon finds one that hangs, and no statement is waited for longer than
 * `questionMs`. A group that was not answered goes no further, whenever the server wakes; only when its COMMIT was on its
 * way nobody can know, and that is said as `MaybeCommitted`.
 *
 * Connections that were open when the server was found to be away are given up: they may lead to where it no longer is.
 *
 * A failover may lead to another database: an empty one, one of an older version, or one that another replica has just set
 * up. `identity.ts` finds that out, at every `ping` and when a statement misses a table; until the right one is back, all
 * questions are rejected.
 */
import { join } from 'node:path';
import { SQL } from 'bun';
import { sql } from 'drizzle-orm';
import { type BunSQLDatabase, drizzle } from 'drizzle-orm/bun-sql';
import { migrate } from 'drizzle-orm/bun-sql/migrator';
import { Rejection } from '../../errors.ts';
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
/** The advisory lock of whoever migrates: "sluice" in ASCII. */
const MIGRATION_LOCK = 0x736c75696365;
export const CONNECTIONS = 10;
/** Between two looks at a database that is another one. */
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
  /** While the database is another one: what questions are rejected with. */
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

  /** Connects, and applies what migrations are lacking. Throws what the server or the network says. */
  static async open(
    url: string,
    connections = CONNECTIONS,
    timeouts = timeoutsOf(),
  ): Promise<PostgresDatabase> {
    await migrateAlone(url, timeouts);
    const database = new PostgresDatabase(url, connections, timeouts);
    // A connection takes longer than a question may.
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
          // Nobody waits for it any longer, and what belongs to it is being taken back.
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
    let asked: ReturnType<SQL['unsafe']> | null = null;
    const ask = async () => {
      asked = this.#client.unsafe(text, params(steps.map(({ values }) => values)));
      await asked;
    };
    try {
      await this.#answered(ask);
      return true;
    } catch (error) {
      if (asked === null) throw error;
      // One that still waits for a connection is not to be run later.
      (asked as ReturnType<SQL['unsafe']>).cancel();
      if (isRefused(error, GUARD_UNMET)) return false;
      throw error instanceof Rejection && !isRefused(error.cause) ? new MaybeCommitted(error) : error;
    }
  }

  /** Made once for each list of statements. */
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

  /** In one order everywhere, so that two who want the same names never wait for each other. */
  alone<Row>(names: readonly string[], statement: Statement<Row>, values: Values): Promise<Row[]> {
    const run = (queries: BunSQLDatabase) =>
      queries.transaction(async transaction => {
        for (const name of [...names].sort()) await transaction.execute(lockOf(name));
        return (statement as PostgresStatement<Row>).within(transaction, values);
      });
    return this.#answered(run, roundTripsOf(names.length + 1));
  }

  /** Throws SERVICE_UNAVAILABLE when the server does not answer, takes no writes, or has another database. */
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

  /** Asks the database that we began with, and no other. `roundTrips`: how many questions `run` asks in turn. */
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

  /** Finds out which database answers. Throws SERVICE_UNAVAILABLE when none does. */
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

/** Of a transaction: the statements, BEGIN and COMMIT. */
const roundTripsOf = (statements: number): number => statements + 2;

/** Closes what may never answer. */
function giveUp(client: SQL): void {
  client.close({ timeout: 0 }).catch(() => {});
}

/** Thrown through a transaction to roll it back. */
const UNDONE = new Error('a guard found no row');

/** Whether the server itself said no, with this SQLSTATE if one is given: then nothing happened. */
const isRefused = (error: unknown, state?: string): boolean =>
  error instanceof SQL.PostgresError &&
  error.code === 'ERR_POSTGRES_SERVER_ERROR' &&
  (state === undefined || error.errno === state);

/** The lock is held to the end of the transaction. */
const lockOf = (name: string) => sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;

/** What Drizzle prepares for Postgres. */
interface Prepared<Row> {
  execute(values: Values): Promise<Row[]>;
}

/** A query as Drizzle builds it for Postgres. */
interface Built<Row> {
  prepare(name: string): Prepared<Row>;
  toSQL(): { sql: string; params: unknown[] };
}

/** Asks the server, on connections that are still good. */
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

  /** A prepared query keeps to its connection, so a transaction prepares its own. */
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

  /** Both dialects' builders have the same words; the types say SQLite. */
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

/** Of processes that start together one migrates, the others wait for it and find the work done. */
async function migrateAlone(url: string, timeouts: Timeouts): Promise<void> {
  const client = clientOf(url, 1, timeouts);
  try {
    await client`SELECT pg_advisory_lock(${MIGRATION_LOCK})`;
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS });
  } finally {
    // The lock goes with the connection.
    await client.close();
  }
}
