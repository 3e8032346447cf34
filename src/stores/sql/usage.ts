/** Rows counted against the allowance, in SQL. Each change is one guarded statement, so no number of writers over-grants. */
import { sql } from 'drizzle-orm';
import type { UsageStore } from '../ports.ts';
import { available } from '../unavailable.ts';
import type { SqlDatabase } from './database.ts';
import { usage } from './schema.ts';

export class SqlUsage implements UsageStore {
  readonly #reserve: ReturnType<typeof prepareReserve>;
  readonly #release: ReturnType<typeof prepareRelease>;

  constructor(database: SqlDatabase) {
    this.#reserve = prepareReserve(database);
    this.#release = prepareRelease(database);
  }

  async reserve(
    account: string,
    periodStart: number,
    rows: number,
    allowance: number,
  ): Promise<number | null> {
    // The statement guards what is added to a row that is there; this guards the first one.
    if (rows > allowance) return null;
    const counted = await available(() => this.#reserve.get({ account, periodStart, rows, allowance }));
    return counted ? allowance - counted.rows : null;
  }

  async release(account: string, periodStart: number, rows: number): Promise<void> {
    await available(() => this.#release.run({ account, periodStart, rows }));
  }
}

/** Answers the rows counted after it; nothing when they would pass the allowance. */
function prepareReserve(database: SqlDatabase) {
  return database
    .insert(usage)
    .values({
      account: sql.placeholder('account'),
      periodStart: sql.placeholder('periodStart'),
      rows: sql.placeholder('rows'),
    })
    .onConflictDoUpdate({
      target: [usage.account, usage.periodStart],
      set: { rows: sql`${usage.rows} + excluded.rows` },
      setWhere: sql`${usage.rows} + excluded.rows <= ${sql.placeholder('allowance')}`,
    })
    .returning({ rows: usage.rows })
    .prepare();
}

function prepareRelease(database: SqlDatabase) {
  const { account, periodStart } = usage;
  return database
    .update(usage)
    .set({ rows: sql`max(0, ${usage.rows} - ${sql.placeholder('rows')})` })
    .where(
      sql`${account} = ${sql.placeholder('account')} AND ${periodStart} = ${sql.placeholder('periodStart')}`,
    )
    .prepare();
}
