/**
 * Counts rows against the allowance in SQL. Each change is one guarded statement, so concurrent writers cannot exceed the allowance.
 *
 * A reservation without an answer may have been counted, or may be counted later, and a killed process releases nothing. So the first
 * reservation after QUIET_MS without any takes the count from the ledger again: by then no request is in progress. Older reservations
 * are then no longer in the count, and their release does nothing.
 */
import { and, eq, sql } from 'drizzle-orm';
import { retryInBackground } from '../../time/background-retry.ts';
import type { AllowanceStore, ReserveResult } from '../ports.ts';
import { isUndone } from '../unavailable.ts';
import { given, type Queries, type SqlDatabase, type Statements, statementsOn } from './database.ts';
import { allowance, ledger } from './schema.ts';

/**
 * Every request ends within this time: RESERVATION_TTL_MS, plus a write of at most 16 s (`timeouts.ts`), plus 10 s for clocks of replicas
 * that differ.
 */
export const QUIET_MS = 30_000;

export class SqlAllowance implements AllowanceStore {
  readonly #database: SqlDatabase;
  readonly #run: Statements<typeof QUERIES>;
  readonly #now: () => number;

  /** `now`: in ms. */
  constructor(database: SqlDatabase, now: () => number = Date.now) {
    this.#database = database;
    this.#run = statementsOn(database, QUERIES);
    this.#now = now;
  }

  async reserve(
    account: string,
    periodStart: number,
    rows: number,
    allowed: number,
  ): Promise<ReserveResult | null> {
    // The statement guards only updates of an existing row; this guards the first insert.
    if (rows > allowed) return null;
    const now = this.#now();
    const values = { account, periodStart, rows, now, quiet: now - QUIET_MS, allowance: allowed };
    const [counted] = await this.#run.reserve.run(values);
    return counted ? { left: allowed - counted.rows, count: String(counted.countedFrom ?? 0) } : null;
  }

  /** Does not retry a release that may have happened: releasing twice would allow rows twice. */
  async release(account: string, periodStart: number, rows: number, count: string): Promise<void> {
    const values = { account, periodStart, rows, countedFrom: Number(count) };
    await retryInBackground(() => this.#run.release.run(values), isUndone);
  }

  async counted(account: string, periodStart: number): Promise<number> {
    const [counted] = await this.#run.counted.run({ account, periodStart, quiet: this.#now() - QUIET_MS });
    return counted?.rows ?? 0;
  }

  /** Sets the counts to those of the ledger, at a start without requests in progress. This frees reservations of a killed process. */
  async recount(): Promise<void> {
    await this.#database.atomically([
      { statement: this.#run.empty, values: {} },
      { statement: this.#run.fill, values: {} },
    ]);
  }

  /** Raises the counts to those of the ledger, at a start beside other processes, whose requests in progress stay counted. */
  async catchUp(): Promise<void> {
    await this.#run.fill.run({});
  }
}

const { account, periodStart, rows, reservedAt, countedFrom } = allowance;
const named = and(eq(account, sql.placeholder('account')), eq(periodStart, sql.placeholder('periodStart')));
const isQuiet = sql`${reservedAt} < ${sql.placeholder('quiet')}`;
const counted = sql<number>`CASE WHEN ${isQuiet} THEN (SELECT coalesce(sum(${ledger.rows}), 0) FROM ${ledger}
  WHERE ${ledger.account} = ${account} AND ${ledger.periodStart} = ${periodStart}) ELSE ${rows} END`;

/** Returns the new count; no row if it would exceed the allowance. */
const reserve = (queries: Queries) =>
  queries
    .insert(allowance)
    .values({
      ...given('account', 'periodStart', 'rows'),
      reservedAt: sql.placeholder('now'),
      countedFrom: sql.placeholder('now'),
    })
    .onConflictDoUpdate({
      target: [account, periodStart],
      set: {
        rows: sql`${counted} + excluded.rows`,
        reservedAt: sql`excluded.reserved_at`,
        countedFrom: sql`CASE WHEN ${isQuiet} THEN excluded.counted_from ELSE ${countedFrom} END`,
      },
      setWhere: sql`${counted} + excluded.rows <= ${sql.placeholder('allowance')}`,
    })
    .returning({ rows, countedFrom });

/** Does nothing if the count was taken from the ledger after the rows were reserved. */
const release = (queries: Queries) =>
  queries
    .update(allowance)
    .set({
      rows: sql`CASE WHEN ${rows} > ${sql.placeholder('rows')} THEN ${rows} - ${sql.placeholder('rows')} ELSE 0 END`,
    })
    .where(and(named, eq(sql`coalesce(${countedFrom}, 0)`, sql.placeholder('countedFrom'))))
    .returning({ rows });

const count = (queries: Queries) =>
  queries
    .select({ rows: counted.mapWith(Number) })
    .from(allowance)
    .where(named);

const empty = (queries: Queries) => queries.delete(allowance).returning({ rows });

/** Raises the counts to those of the ledger. */
const fill = (queries: Queries) =>
  queries
    .insert(allowance)
    .select(
      queries
        .select({
          account: ledger.account,
          periodStart: ledger.periodStart,
          rows: sql<number>`sum(${ledger.rows})`.as('rows'),
          reservedAt: sql<null>`CAST(NULL AS bigint)`.as('reserved_at'),
          countedFrom: sql<null>`CAST(NULL AS bigint)`.as('counted_from'),
        })
        .from(ledger)
        .groupBy(ledger.account, ledger.periodStart),
    )
    .onConflictDoUpdate({
      target: [account, periodStart],
      set: { rows: sql`excluded.rows` },
      setWhere: sql`${rows} < excluded.rows`,
    })
    .returning({ rows });

const QUERIES = { reserve, release, counted: count, empty, fill };
