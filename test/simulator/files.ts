/** The files of all runs, and connections to them. They are opened once: opening takes longer than a run. */
import type { Database, Statement } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteBaselines } from '../../src/stores/sqlite/baselines.ts';
import { openBaselines } from '../../src/stores/sqlite/baseline-tables.ts';
import type { Account } from '../../src/stores/ports.ts';
import { type SqliteDatabase, openSql } from '../../src/stores/sql/sqlite.ts';
import { openSqlite } from '../../src/stores/sqlite/file.ts';

/** Of one process: the real stores of a single machine. */
export interface Connection {
  database: SqliteDatabase;
  baselines: SqliteBaselines;
}

export const ACCOUNT: Account = {
  id: 'acc',
  name: 'acc',
  plan: 'developer',
  paidPeriod: null,
  paidUntil: null,
  salt: new Uint8Array(32).fill(7),
};

export class Files {
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-simulator-'));
  readonly #sql = join(this.#folder, 'sluice.sqlite');
  readonly #baselines = join(this.#folder, 'baselines.sqlite');
  readonly #free: Connection[] = [];
  readonly #own: Database[];
  readonly #deletes: Statement[];

  constructor() {
    openSql(this.#sql).close();
    this.#own = [openSqlite(this.#sql), openBaselines(this.#baselines)];
    const add = 'INSERT INTO accounts (id, name, plan, salt, created_at) VALUES (?, ?, ?, ?, 0)';
    this.#own[0]!.run(add, [ACCOUNT.id, ACCOUNT.name, ACCOUNT.plan, ACCOUNT.salt]);
    // Every table is emptied by itself.
    for (const database of this.#own) database.run('PRAGMA foreign_keys = OFF');
    this.#deletes = this.#own.flatMap(database =>
      tablesOf(database).map(name => database.prepare(`DELETE FROM ${name}`)),
    );
  }

  /** A connection that nobody has, and that has read nothing of this run. */
  take(): Connection {
    return (
      this.#free.pop() ?? {
        database: openSql(this.#sql),
        baselines: new SqliteBaselines(this.#baselines),
      }
    );
  }

  giveBack(connections: readonly Connection[]): void {
    this.#free.push(...connections);
  }

  /** Deletes everything but the account, and counts rows as used. */
  empty(periodStart: number, usedRows: number): void {
    for (const statement of this.#deletes) statement.run();
    const count = 'INSERT INTO ledger (account, period_start, shard, rows, requests) VALUES (?, ?, 0, ?, 0)';
    this.#own[0]!.run(count, [ACCOUNT.id, periodStart, usedRows]);
  }

  remove(): void {
    for (const statement of this.#deletes) statement.finalize();
    for (const database of this.#own) database.close();
    for (const { database, baselines } of this.#free.splice(0)) {
      database.close();
      baselines.close();
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const KEPT = ['accounts', '__drizzle_migrations'];

/** Those that triggers fill come last. */
const tablesOf = (database: Database): string[] =>
  database
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all()
    .map(({ name }) => name)
    .filter(name => !KEPT.includes(name))
    .sort((a, b) => Number(FILLED.has(a)) - Number(FILLED.has(b)));

const FILLED = new Set(['kept', 'size', 'kept_reports']);
