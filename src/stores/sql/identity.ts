/**
 * Whether a Postgres server still has the database that this process began with. After a failover it may have an empty one,
 * one of an older version, or one that another replica has set up in the meantime: each would lose or refuse what clients
 * send, and an operator has to decide.
 *
 * The database is ours if all our migrations are in it, and the first account that we saw. Accounts are never deleted, but may be left.
 */
import { SQL } from 'bun';
import { DrizzleQueryError, type SQL as Query, sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { Rejection } from '../../terms/errors.ts';
import { notNow } from '../unavailable.ts';
import { leftId } from './ids.ts';

/** SQLSTATE: no such table, column, schema, function or prepared statement; no right to a table. */
const OTHER_SCHEMA = new Set(['42P01', '42703', '3F000', '42883', '26000', '42501']);

const WHAT_TO_DO =
  'Let DATABASE_URL lead to the right database, or restore it: the service goes on by itself. To begin anew with this one, restart all replicas';

/** Whether the server said that a table, or a part of one, is missing. */
export function isOtherSchema(thrown: unknown): boolean {
  const error = thrown instanceof Rejection ? thrown.cause : thrown;
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof SQL.PostgresError && OTHER_SCHEMA.has(String(cause.errno));
}

interface Found {
  /** Time of the last migration; null: none. */
  migrated: string | null;
  isKnown: boolean;
  first: string | null;
}

export class DatabaseIdentity {
  readonly #lastMigration: number;
  /** Id of an account; null: there was none yet. */
  #account: string | null = null;

  /** `migrations`: their folder. */
  constructor(migrations: string) {
    const files = readMigrationFiles({ migrationsFolder: migrations });
    this.#lastMigration = Math.max(...files.map(({ folderMillis }) => folderMillis));
  }

  /** Null: it is ours; else what to reject questions with. Throws what `ask` throws. */
  async check(ask: (query: Query) => Promise<unknown>): Promise<Rejection | null> {
    try {
      const [found] = (await ask(this.#query())) as [Found];
      if (found.migrated === null) return other('the database is empty');
      if (Number(found.migrated) < this.#lastMigration)
        return other('the database is of an older version of this program');
      if (this.#account !== null && !found.isKnown)
        return other('the database is another one: accounts that it had are not in it');
      this.#account ??= found.first;
      return null;
    } catch (error) {
      if (!isOtherSchema(error)) throw error;
      return other('the database is empty, or of another version of this program');
    }
  }

  #query(): Query {
    const account = this.#account ?? '';
    return sql`SELECT
      (SELECT max(created_at) FROM drizzle.__drizzle_migrations) AS migrated,
      EXISTS (SELECT 1 FROM accounts WHERE id IN (${account}, ${leftId(account)})) AS "isKnown",
      (SELECT min(id) FROM accounts) AS first`;
  }
}

/** The message is for operators: `/v1/ready` gives it, requests log it. */
function other(what: string): Rejection {
  return Object.assign(notNow(), { cause: new Error(`${what}. ${WHAT_TO_DO}`) });
}
