/** Counts rows against the allowance in SQL. Each change is one guarded statement, so concurrent writers cannot exceed the allowance. */
import { and, eq, sql } from 'drizzle-orm';
import { retryInBackground } from '../../background-retry.ts';
import type { AllowanceStore, ReserveResult } from '../ports.ts';
import { isUndone } from '../unavailable.ts';
import type { SqlDatabase, Statement } from './database.ts';
import { allowance, ledger } from './schema.ts';

export class SqlAllowance implements AllowanceStore {
  readonly #database: SqlDatabase;
  readonly #reserve: Statement<{ rows: number }>;
  readonly #release: Statement<{ rows: number }>;
  readonly #counted: Statement<{ rows: number }>;
  readonly #empty: Statement<{ rows: number }>;
  readonly #fill: Statement<{ rows: number }>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    const { account, periodStart, rows } = allowance;
    const named = and(
      eq(account, sql.placeholder('account')),
      eq(periodStart, sql.placeholder('periodStart')),
    );
    // Returns the new count; no row if it would exceed the allowance.
    this.#reserve = database.statement(queries =>
      queries
        .insert(allowance)
        .values({
          account: sql.placeholder('account'),
          periodStart: sql.placeholder('periodStart'),
          rows: sql.placeholder('rows'),
        })
        .onConflictDoUpdate({
          target: [account, periodStart],
          set: { rows: sql`${rows} + excluded.rows` },
          setWhere: sql`${rows} + excluded.rows <= ${sql.placeholder('allowance')}`,
        })
        .returning({ rows }),
    );
    this.#release = database.statement(queries =>
      queries
        .update(allowance)
        .set({
          rows: sql`CASE WHEN ${rows} > ${sql.placeholder('rows')} THEN ${rows} - ${sql.placeholder('rows')} ELSE 0 END`,
        })
        .where(named)
        .returning({ rows }),
    );
    this.#counted = database.statement(queries => queries.select({ rows }).from(allowance).where(named));
    this.#empty = database.statement(queries => queries.delete(allowance).returning({ rows }));
    this.#fill = database.statement(queries =>
      queries
        .insert(allowance)
        .select(
          queries
            .select({
              account: ledger.account,
              periodStart: ledger.periodStart,
              rows: sql<number>`sum(${ledger.rows})`.as('rows'),
            })
            .from(ledger)
            .groupBy(ledger.account, ledger.periodStart),
        )
        .onConflictDoUpdate({
          target: [account, periodStart],
          set: { rows: sql`excluded.rows` },
          setWhere: sql`${rows} < excluded.rows`,
        })
        .returning({ rows }),
    );
  }

  async reserve(
    account: string,
    periodStart: number,
    rows: number,
    allowed: number,
  ): Promise<ReserveResult | null> {
    // The statement guards only updates of an existing row; this guards the first insert.
    if (rows > allowed) return null;
    const [counted] = await this.#reserve.run({ account, periodStart, rows, allowance: allowed });
    return counted ? { left: allowed - counted.rows, count: '' } : null;
  }

  /** Does not retry a release that may have happened: releasing twice would allow rows twice. */
  async release(account: string, periodStart: number, rows: number): Promise<void> {
    await retryInBackground(() => this.#release.run({ account, periodStart, rows }), isUndone);
  }

  async counted(account: string, periodStart: number): Promise<number> {
    const [counted] = await this.#counted.run({ account, periodStart });
    return counted?.rows ?? 0;
  }

  /** Sets the counts to those of the ledger, at a start without requests in progress. This frees reservations of a killed process. */
  async recount(): Promise<void> {
    await this.#database.atomically([
      { statement: this.#empty, values: {} },
      { statement: this.#fill, values: {} },
    ]);
  }

  /** Raises the counts to those of the ledger, at a start beside other processes, whose requests in progress stay counted. */
  async catchUp(): Promise<void> {
    await this.#fill.run({});
  }
}
