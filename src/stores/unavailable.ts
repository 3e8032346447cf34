/** A store that cannot answer is a 503 that may be tried again, never an empty answer; anything else is a bug. */
import { SQLiteError } from 'bun:sqlite';
import { SQL } from 'bun';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { Rejection } from '../errors.ts';

/** Result codes that say something about the file, the disk or its other users, and nothing about the statement. */
const SQLITE_UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB|PROTOCOL|PERM|AUTH)(_|$)/;
/**
 * SQLSTATE classes: connection, authorization, catalogue, read-only, rollback, resources, operator, system. Then a missing
 * schema, table, column, function or prepared statement, and no right to a table: our statements never change, so the
 * database is another one than that they were written for.
 */
const POSTGRES_UNAVAILABLE = /^(08|28|3D|25006|40|53|57|58|3F000|42P01|42703|42883|26000|42501)/;

const AWAY = 'The store cannot answer at the moment: send the request again';

/** A store does not serve at the moment. */
export const notNow = (): Rejection => new Rejection('SERVICE_UNAVAILABLE', AWAY, { 'Retry-After': '1' });

/** Runs a statement; throws SERVICE_UNAVAILABLE when SQLite cannot do it now. */
export async function available<T>(run: () => T): Promise<T> {
  try {
    return run();
  } catch (error) {
    throw unavailable(error);
  }
}

/** Waits for an answer, no longer than `timeoutMs`. Throws SERVICE_UNAVAILABLE when there is none. */
export async function answered<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer()), timeoutMs);
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    throw unavailable(error);
  } finally {
    clearTimeout(timer);
  }
}

/** The server says nothing, or not in time: what it was asked to do it may have done, or do yet. */
export class NoAnswer extends Error {
  constructor() {
    super('no answer in time');
  }
}

/** What to throw for what a store's client threw; a bug stays what it was, but for values. */
function unavailable(error: unknown): unknown {
  const cause = withoutValues(error);
  if (!isUnavailable(cause)) return cause;
  return Object.assign(notNow(), { cause });
}

/** It will be logged: Drizzle adds the statement's values to an error, and Postgres the row that it refused. */
function withoutValues(error: unknown): unknown {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  if (cause instanceof SQL.PostgresError) Object.assign(cause, { detail: undefined, where: undefined });
  return cause;
}

/** Whether what a store rejected surely did not happen. SQLite says so of all that it refuses. */
export const isUndone = ({ cause }: Error): boolean => cause instanceof SQLiteError;

/** Whether what a store's client threw is about the store, or the way there, and not about what it was asked. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof NoAnswer) return true;
  if (error instanceof SQLiteError) return SQLITE_UNAVAILABLE.test(error.code ?? '');
  if (!(error instanceof SQL.PostgresError)) return false;
  // Whatever the server did not say itself is about the connection to it.
  return error.code !== 'ERR_POSTGRES_SERVER_ERROR' || POSTGRES_UNAVAILABLE.test(String(error.errno));
}
