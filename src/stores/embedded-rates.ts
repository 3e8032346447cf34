/** Request rates of several processes of one machine, in their SQLite file. One process keeps them in memory instead. */
import type { Database, Statement } from 'bun:sqlite';
import { decide, type Rate, type RateDecision, type RateStore } from '../account/rate.ts';
import { openSqlite } from './sqlite-file.ts';
import { available } from './unavailable.ts';

const SCHEMA =
  'CREATE TABLE IF NOT EXISTS rate (account TEXT PRIMARY KEY, tat REAL NOT NULL) STRICT, WITHOUT ROWID';

export class EmbeddedRates implements RateStore {
  readonly #database: Database;
  readonly #take: (account: string, rate: Rate, now: number) => RateDecision;

  constructor(path: string, busyTimeoutMs?: number) {
    const database = openSqlite(path, busyTimeoutMs);
    database.exec(SCHEMA);
    this.#database = database;
    const read: Statement<{ tat: number }, [string]> = database.prepare(
      'SELECT tat FROM rate WHERE account = ?',
    );
    const write = database.prepare('INSERT OR REPLACE INTO rate (account, tat) VALUES (?, ?)');
    this.#take = database.transaction((account: string, rate: Rate, now: number) => {
      const decision = decide(rate, read.get(account)?.tat ?? 0, now);
      if (decision.allowed) write.run(account, decision.next);
      return decision;
    }).immediate;
  }

  close(): void {
    this.#database.close();
  }

  take(account: string, rate: Rate, now: number): Promise<RateDecision> {
    return available(() => this.#take(account, rate, now));
  }
}
