/** Request rates for several processes of one machine, in a SQLite file. A single process keeps them in memory instead. */
import type { Database, Statement } from 'bun:sqlite';
import { decide, type Rate, type RateDecision, type RateStore } from '../account/rate.ts';
import { openSqlite } from './sqlite-file.ts';
import { available } from './unavailable.ts';

const SCHEMA =
  'CREATE TABLE IF NOT EXISTS rate (account TEXT PRIMARY KEY, tat REAL NOT NULL) STRICT, WITHOUT ROWID';

/** Requests between two sweeps of idle accounts. A sweep deletes up to twice as many, so the file stays small. */
const SWEEP_EVERY = 1000;

export class EmbeddedRates implements RateStore {
  readonly #database: Database;
  readonly #read: Statement<{ tat: number }, [string]>;
  readonly #write: Statement<unknown, [string, number]>;
  readonly #forget: Statement<unknown, [now: number, most: number]>;
  readonly #takeAtomically: (account: string, rate: Rate, now: number) => RateDecision;
  #taken = 0;

  /** Opens or creates the file. Throws SQLite's error if it cannot. */
  constructor(path: string, busyTimeoutMs?: number) {
    const database = openSqlite(path, busyTimeoutMs);
    database.exec(SCHEMA);
    this.#database = database;
    this.#read = database.prepare('SELECT tat FROM rate WHERE account = ?');
    this.#write = database.prepare('INSERT OR REPLACE INTO rate (account, tat) VALUES (?, ?)');
    // A tat in the past has no effect.
    this.#forget = database.prepare(
      'DELETE FROM rate WHERE account IN (SELECT account FROM rate WHERE tat <= ? LIMIT ?)',
    );
    this.#takeAtomically = database.transaction((account: string, rate: Rate, now: number) =>
      this.#takeNow(account, rate, now),
    ).immediate;
  }

  take(account: string, rate: Rate, now: number): Promise<RateDecision> {
    return available(() => this.#takeAtomically(account, rate, now));
  }

  close(): void {
    this.#database.close();
  }

  #takeNow(account: string, rate: Rate, now: number): RateDecision {
    const tat = this.#read.get(account)?.tat ?? 0;
    const decision = decide(rate, tat, now);
    if (decision.next !== tat) this.#write.run(account, decision.next);
    if (++this.#taken % SWEEP_EVERY === 0) this.#forget.run(now, 2 * SWEEP_EVERY);
    return decision;
  }
}
