/** Reads the ledger. `jobs.ts` writes it. */
import { and, eq, sql } from 'drizzle-orm';
import type { Usage, UsageStore } from '../ports.ts';
import type { Queries, SqlDatabase, Statement } from './database.ts';
import { ledger } from './schema.ts';

export class SqlLedger implements UsageStore {
  readonly #usage: Statement<Usage>;

  constructor(database: SqlDatabase) {
    this.#usage = database.statement(findUsage);
  }

  async usage(account: string, periodStart: number): Promise<Usage> {
    const [usage] = await this.#usage.run({ account, periodStart });
    return usage!;
  }
}

const sum = (column: typeof ledger.rows | typeof ledger.requests) =>
  sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number);

/** Usage of `account` in the period that starts at `periodStart`. */
export const findUsage = (queries: Queries) =>
  queries
    .select({ rows: sum(ledger.rows), requests: sum(ledger.requests) })
    .from(ledger)
    .where(
      and(
        eq(ledger.account, sql.placeholder('account')),
        eq(ledger.periodStart, sql.placeholder('periodStart')),
      ),
    );
