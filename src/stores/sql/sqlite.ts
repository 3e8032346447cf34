/** The SQL database in one SQLite file, migrated when it is opened. */
import type { Database, SQLQueryBindings, Statement as Compiled } from 'bun:sqlite';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/bun-sqlite';
import { migrate } from 'drizzle-orm/bun-sqlite/migrator';
import { SharedCommit } from '../sqlite/shared-commit.ts';
import { foreignWrites, openSqlite } from '../sqlite/file.ts';
import { available } from '../unavailable.ts';
import {
  type Buildable,
  parameterFrom,
  type Queries,
  type SqlDatabase,
  type Statement,
  type Step,
  type Values,
} from './database.ts';
import * as schema from './schema.ts';

const MIGRATIONS = join(import.meta.dir, 'migrations');
const ATTEMPTS = 5;

/** Opens or creates the file and applies missing migrations. Throws SQLite's error if it cannot. */
export function openSql(path: string, busyTimeoutMs?: number): SqliteDatabase {
  return new SqliteDatabase(openSqlite(path, busyTimeoutMs));
}

export class SqliteDatabase implements SqlDatabase {
  readonly #client: Database;
  readonly #queries: Queries;
  /** Made once: making it costs as much as a small transaction. */
  readonly #group: { immediate(steps: readonly Step[]): void };
  readonly #shared: SharedCommit<readonly Step[], boolean>;
  /** Changes whenever another connection has written. */
  readonly foreignWrites: () => number;

  constructor(client: Database) {
    this.#client = client;
    this.foreignWrites = foreignWrites(client);
    this.#group = client.transaction(runAll);
    this.#shared = new SharedCommit(client, { write: steps => this.#write(steps), committed: () => {} });
    this.#queries = drizzle(client, { schema });
    migrateOnce(this.#queries, ATTEMPTS);
  }

  statement<Row>(build: (queries: Queries) => Buildable<Row>): SqliteStatement<Row> {
    return new SqliteStatement(() => build(this.#queries), this.#client);
  }

  atomically(steps: readonly Step[]): Promise<boolean> {
    return available(() => this.#write(steps));
  }

  /** In one transaction with the groups of other requests that come in the same turn of the event loop. */
  together(steps: readonly Step[]): Promise<boolean> {
    return available(() => this.#shared.add(steps));
  }

  /** SQLite has one writer at a time, so every statement runs alone. */
  alone<Row>(_: readonly string[], statement: Statement<Row>, values: Values): Promise<Row[]> {
    return statement.run(values);
  }

  /** Writes a value that nobody reads, because locking alone succeeds on a full disk. Throws SERVICE_UNAVAILABLE. */
  ping(): Promise<void> {
    return available(() => void this.#client.run('PRAGMA user_version = 0'));
  }

  close(): void {
    this.#client.close();
  }

  #write(steps: readonly Step[]): boolean {
    try {
      this.#group.immediate(steps);
      return true;
    } catch (error) {
      if (error === UNDONE) return false;
      throw error;
    }
  }
}

function runAll(steps: readonly Step[]): void {
  for (const { statement, values, guard } of steps) {
    const changes = (statement as SqliteStatement<unknown>).change(values);
    if (guard && changes === 0) throw UNDONE;
  }
}

/** Thrown through a transaction to roll it back. */
const UNDONE = new Error('a guard found no row');

interface Write {
  compiled: Compiled<unknown, SQLQueryBindings[]>;
  parameters: ReturnType<typeof parameterFrom>[];
}

/** Built and prepared at its first run: there are dozens of statements, and few processes run all of them. */
export class SqliteStatement<Row> implements Statement<Row> {
  readonly #build: () => Buildable<Row>;
  readonly #client: Database;
  #read: ReturnType<Buildable<Row>['prepare']> | null = null;
  #write: Write | null = null;

  constructor(build: () => Buildable<Row>, client: Database) {
    this.#build = build;
    this.#client = client;
  }

  run(values: Values): Promise<Row[]> {
    return available(() => this.rows(values));
  }

  rows(values: Values): Row[] {
    this.#read ??= this.#build().prepare();
    return this.#read.all(values);
  }

  /** Returns the number of written rows without reading them: making objects in Drizzle takes as long as the write. */
  change(values: Values): number {
    this.#write ??= this.#prepareWrite();
    const { compiled, parameters } = this.#write;
    return compiled.run(...parameters.map(parameter => parameter(values) as SQLQueryBindings)).changes;
  }

  #prepareWrite(): Write {
    const { sql, params } = this.#build().toSQL();
    return { compiled: this.#client.prepare(sql), parameters: params.map(parameterFrom) };
  }
}

/**
 * If several processes start together, all find the same migrations missing, and all but one fail, because the migrator
 * checks before it locks. A retry finds the work done.
 */
function migrateOnce(queries: Queries, attempts: number): void {
  try {
    migrate(queries, { migrationsFolder: MIGRATIONS });
  } catch (error) {
    if (attempts <= 1) throw error;
    migrateOnce(queries, attempts - 1);
  }
}
