/** Request rates of several processes of one machine, in their SQLite file. One process keeps them in memory instead. */
import type { Database, Statement } from 'bun:sqlite';
import { decide, type Rate, type RateDecision, type RateStore } from '../account/rate.ts';
import { openSqlite } from './sqlite-file.ts';
import { available } from './unavailable.ts';

const SCHEMA =
  'CREATE TABLE IF NOT EXISTS rate (account TEXT PRIMARY KEY, tat REAL NOT NULL) STRICT, WITHOUT ROWID';

/** Requests from one look for accounts at rest to the next, which forgets twice as many at most: the file cannot grow for ever. */
const SWEEP_EVERY = 1000;

export class EmbeddedRates implements RateStore {
  readonly #database: Database;
  readonly #read: Statement<{ tat: number }, [string]>;
  readonly #write: Statement<unknown, [string, number]>;
  readonly #forget: Statement<unknown, [now: number, most: number]>;
  readonly #takeWhole: (account: string, rate: Rate, now: number) => RateDecision;
  #taken = 0;

  /** Opens the file, and makes it when it is absent. Throws what SQLite says when it cannot. */
  constructor(path: string, busyTimeoutMs?: number) {
    const database = openSqlite(path, busyTimeoutMs);
    database.exec(SCHEMA);
    this.#database = database;
    this.#read = database.prepare('SELECT tat FROM rate WHERE account = ?');
    this.#write = database.prepare('INSERT OR REPLACE INTO rate (account, tat) VALUES (?, ?)');
    // A tat in the past decides like none.
    this.#forget = database.prepare(
      'DELETE FROM rate WHERE account IN (SELECT account FROM rate WHERE tat <= ? LIMIT ?)',
    );
    this.#takeWhole = database.transaction((account: string, rate: Rate, now: number) =>
      this.#takeNow(account, rate, now),
    ).immediate;
  }

  take(account: string, rate: Rate, now: number): Promise<RateDecision> {
    return available(() => this.#takeWhole(account, rate, now));
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
