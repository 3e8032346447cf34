/** What ends a command: a line for whoever typed it, and exit 3. */
import { ConfigError } from '../config.ts';
import { escaped, quoted, Rejection } from '../errors.ts';
import { StoreError } from '../stores/open.ts';

/** `message` says what is wrong, where (`file`, `line` from 1), and what to do. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly file: string | null = null,
    readonly line: number | null = null,
  ) {
    super(message);
  }

  /** `orders.csv:17: The quote …`, as compilers say it. */
  get shown(): string {
    const place =
      this.file === null ? '' : `${shownName(this.file)}${this.line === null ? '' : `:${this.line}`}: `;
    return `${place}${this.message}`;
  }
}

/** What can be mended by whoever reads it, as a failure; null for a bug. */
export function failureOf(error: unknown, file: string | null = null): Failure | null {
  if (error instanceof Failure) return error;
  const canBeMended =
    error instanceof Rejection || error instanceof ConfigError || error instanceof StoreError;
  return canBeMended ? new Failure(error.message, file) : null;
}

/** A name as it may stand on a terminal. */
export const shownName = (name: string): string => (escaped(name) === name ? name : quoted(name));
