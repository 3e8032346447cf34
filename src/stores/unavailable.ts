/** Maps errors of stores: an unavailable store is a 503 that clients may retry, and any other error is a bug. */
import { SQLiteError } from 'bun:sqlite';
import { SQL } from 'bun';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { Moved, Rejection } from '../terms/errors.ts';
import { withTimeout } from '../time/with-timeout.ts';

/** Result codes about the file, the disk or its other users, and not about the statement. */
const SQLITE_UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB|PROTOCOL|PERM|AUTH)(_|$)/;
/**
 * SQLSTATE classes: connection, authorization, catalogue, read-only, rollback, resources, state of an object (a database that takes no connection now), operator, system. Then a missing
 * schema, table, column, function or prepared statement, and no right to a table: our statements never change, so the
 * database is another one than that they were written for.
 */
const POSTGRES_UNAVAILABLE = /^(08|28|3D|25006|40|53|55|57|58|3F000|42P01|42703|42883|26000|42501)/;

const UNAVAILABLE = 'A store is unavailable at the moment: send the request again';

/** The rejection for an unavailable store. */
export const notNow = (): Rejection =>
  new Rejection('SERVICE_UNAVAILABLE', UNAVAILABLE, { 'Retry-After': '1' });

/** Runs a statement. Throws SERVICE_UNAVAILABLE if SQLite cannot run it now, `Moved` if what it refers to is not there. */
export async function available<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw unavailable(error);
  }
}

/** Waits for an answer, at most `timeoutMs`. Throws SERVICE_UNAVAILABLE without one. */
export const answered = <T>(answer: Promise<T>, timeoutMs: number): Promise<T> =>
  available(() => withTimeout(answer, timeoutMs, () => new NoAnswer()));

/** The server has not answered in time. It may have run the command, or may run it later. */
export class NoAnswer extends Error {
  constructor() {
    super('no answer in time');
  }
}

/** Maps an error of a store's client. Bugs stay as they are, without values. */
function unavailable(error: unknown): unknown {
  const cause = withoutValues(error);
  if (refersToNothing(cause)) return Object.assign(new Moved(), { cause });
  if (!isUnavailable(cause)) return cause;
  return Object.assign(notNow(), { cause });
}

/** Whether a foreign key has no row. */
const refersToNothing = (error: unknown): boolean =>
  error instanceof SQLiteError
    ? error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
    : error instanceof SQL.PostgresError && String(error.errno) === '23503';

/** Removes values before the error is logged: Drizzle adds the statement's values, and Postgres the rejected row. */
function withoutValues(error: unknown): unknown {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  if (cause instanceof SQL.PostgresError) Object.assign(cause, { detail: undefined, where: undefined });
  return cause;
}

/** Whether the rejected change certainly did not happen. This holds for all errors of SQLite. */
export const isUndone = ({ cause }: Error): boolean => cause instanceof SQLiteError;

/** Whether the error is about the store or the connection, and not about the statement. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof NoAnswer) return true;
  if (error instanceof SQLiteError) return SQLITE_UNAVAILABLE.test(error.code ?? '');
  if (!(error instanceof SQL.PostgresError)) return false;
  // Errors that do not come from the server itself are about the connection.
  return error.code !== 'ERR_POSTGRES_SERVER_ERROR' || POSTGRES_UNAVAILABLE.test(String(error.errno));
}
