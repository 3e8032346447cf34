/** A member of a document, and how it is checked. Errors know where the member is, and show no value that may be a secret. */
import { quoted } from '../../terms/errors.ts';

export type Path = (string | number)[];

/** `path` is where the document is wrong. */
export class StreamConfigError extends Error {
  constructor(
    readonly path: Path,
    message: string,
  ) {
    super(message);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

export class Member {
  readonly #value: unknown;

  constructor(
    value: unknown,
    readonly path: Path,
    readonly environment: Environment,
  ) {
    this.#value = value;
  }

  get isAbsent(): boolean {
    return this.#value === undefined || this.#value === null;
  }

  get isText(): boolean {
    return typeof this.#value === 'string';
  }

  at(name: string | number): Member {
    const isThere =
      typeof this.#value === 'object' && this.#value !== null && Object.hasOwn(this.#value, name);
    const value = isThere ? (this.#value as Record<string | number, unknown>)[name] : undefined;
    return new Member(value, [...this.path, name], this.environment);
  }

  /** As it is written. */
  plain(): unknown {
    return this.#value ?? undefined;
  }

  names(): string[] {
    return Object.keys(this.#value as object);
  }

  /** Throws if it is no map, or has other members than these. */
  only(names: readonly string[], what: string): void {
    if (this.isAbsent) return;
    if (typeof this.#value !== 'object' || Array.isArray(this.#value))
      throw this.wrong(`${what} must have members: ${names.join(', ')}`);
    const unknown = this.names().find(name => !names.includes(name));
    if (unknown !== undefined)
      throw this.at(unknown).wrong(`${what} has no ${quoted(unknown)}; it may have ${names.join(', ')}`);
  }

  list(least: number, most: number): Member[] {
    if (!Array.isArray(this.#value) || this.#value.length < least || this.#value.length > most)
      throw this.wrong(`it must be a list of ${least} to ${most}`);
    return this.#value.map((_, i) => this.at(i));
  }

  /** A text that is not empty, with the values of `{{NAME}}`. */
  text(): string {
    if (this.isAbsent) throw this.wrong('it is missing');
    if (typeof this.#value !== 'string') throw this.wrong('it must be a text');
    const text = this.#value.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => {
      const value = this.environment[name];
      if (value === undefined || value === '') throw this.wrong(`the environment has no ${name}`);
      return value;
    });
    if (text.trim() === '') throw this.wrong('it is empty');
    return text;
  }

  integer(min: number, max: number, fallback: number): number {
    if (this.isAbsent) return fallback;
    const value = this.isText ? Number(this.text()) : this.#value;
    if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max)
      return value as number;
    throw this.wrong(`it must be a whole number from ${min} to ${max}`);
  }

  oneOf<T extends string>(allowed: readonly T[], fallback?: T): T {
    if (this.isAbsent && fallback !== undefined) return fallback;
    const text = this.text();
    const found = allowed.find(each => each === text);
    if (found !== undefined) return found;
    throw this.wrong(`it must be one of ${allowed.join(', ')}, not ${quoted(text)}`);
  }

  wrong(message: string): StreamConfigError {
    return new StreamConfigError(this.path, message);
  }
}
