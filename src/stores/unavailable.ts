/** A store that cannot answer is a 503 that may be tried again, never an empty answer; anything else is a bug. */
import { SQLiteError } from 'bun:sqlite';
import { Rejection } from '../errors.ts';

/** Result codes that say something about the file, the disk or its other users, and nothing about the statement. */
const UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB|PROTOCOL|PERM|AUTH)(_|$)/;

/** Runs a statement; throws `Rejection` SERVICE_UNAVAILABLE when SQLite cannot do it now. */
export async function available<T>(run: () => T): Promise<T> {
  try {
    return run();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const message = 'the store cannot be reached at the moment: send the request again';
    throw Object.assign(new Rejection('SERVICE_UNAVAILABLE', message, { 'Retry-After': '1' }), {
      cause: error,
    });
  }
}

/** Drizzle may wrap what the driver threw. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof SQLiteError) return UNAVAILABLE.test(error.code ?? '');
  return error instanceof Error && error.cause !== undefined && isUnavailable(error.cause);
}
