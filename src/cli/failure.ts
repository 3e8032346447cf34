/** Errors that end a command with one line for the user and exit code 3. */
import { SQLiteError } from 'bun:sqlite';
import { ConfigError } from '../config/config.ts';
import { escaped, quoted, Rejection } from '../terms/errors.ts';
import { StateError } from '../states/bytes/state-bytes.ts';
import { StoreError } from '../stores/store-error.ts';

/** `message` says what is wrong and what to do; `file` and `line` (from 1) say where. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly file: string | null = null,
    readonly line: number | null = null,
  ) {
    super(message);
  }

  /** `orders.csv:17: The quote …`, as compilers write it. */
  get shown(): string {
    const place =
      this.file === null ? '' : `${shownName(this.file)}${this.line === null ? '' : `:${this.line}`}: `;
    return `${place}${this.message}`;
  }
}

/** An output can be written no further. */
export class OutputFailure extends Failure {}

const FOR_USERS = [Rejection, ConfigError, StoreError, StateError];

/** An error that the user can fix as a failure; null for a bug. */
export function failureOf(error: unknown, file: string | null = null): Failure | null {
  if (error instanceof Failure) return error;
  const cause = error instanceof Rejection ? error.cause : error;
  if (cause instanceof SQLiteError)
    return new Failure(`The file of --baseline cannot be read or written: ${cause.message}`, file);
  const isForUser = FOR_USERS.some(each => error instanceof each);
  return isForUser ? new Failure((error as Error).message, file) : null;
}

/** A file name that is safe to show on a terminal. */
export const shownName = (name: string): string => (escaped(name) === name ? name : quoted(name));
