/** What was counted, read; `jobs.ts` writes it. */
import { and, eq, sql } from 'drizzle-orm';
import type { UsageStore } from '../ports.ts';
import type { SqlDatabase, Statement } from './database.ts';
import { ledger } from './schema.ts';

/** Of one period. */
export interface Usage {
  rows: number;
  requests: number;
}

export class SqlLedger implements UsageStore {
  readonly #usage: Statement<Usage>;

  constructor(database: SqlDatabase) {
    const sum = (column: typeof ledger.rows | typeof ledger.requests) =>
      sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number);
    this.#usage = database.statement(queries =>
      queries
        .select({ rows: sum(ledger.rows), requests: sum(ledger.requests) })
        .from(ledger)
        .where(
          and(
            eq(ledger.account, sql.placeholder('account')),
            eq(ledger.periodStart, sql.placeholder('periodStart')),
          ),
        ),
    );
  }

  /** Of the period that begins at `periodStart` (ms). */
  async usage(account: string, periodStart: number): Promise<Usage> {
    const [usage] = await this.#usage.run({ account, periodStart });
    return usage!;
  }

  async rows(account: string, periodStart: number): Promise<number> {
    return (await this.usage(account, periodStart)).rows;
  }
}
