/** Reads the ledger. `jobs.ts` writes it. */
import { and, eq, sql } from 'drizzle-orm';
import type { Usage, UsageStore } from '../ports.ts';
import type { SqlDatabase, Statement } from './database.ts';
import { ledger } from './schema.ts';

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

  async usage(account: string, periodStart: number): Promise<Usage> {
    const [usage] = await this.#usage.run({ account, periodStart });
    return usage!;
  }
}
