/** The name of a source: the key of its baseline, and a segment of a URL. */
import { Rejection } from '../errors.ts';

const MAX_CHARACTERS = 200;

/**
 * The value as a source's name, unchanged but for lone surrogates, which neither a store nor a URL can spell and which
 * become U+FFFD. `where` says in the message what it was read from. Throws `Rejection` MISSING_SOURCE.
 */
export function checkSource(value: unknown, where: string): string {
  if (value === undefined) throw missing(`${where} is missing; it names the pipeline or table`);
  if (typeof value !== 'string')
    throw missing(`${where} must be a string of 1 to ${MAX_CHARACTERS} characters`);
  if (value.trim() === '') throw missing(`${where} must not be blank`);
  // A character has at most two code units, so a long name is refused without being counted.
  if (value.length > 2 * MAX_CHARACTERS || [...value].length > MAX_CHARACTERS)
    throw missing(`${where} must have at most ${MAX_CHARACTERS} characters`);
  if (/\p{Cc}/u.test(value)) throw missing(`${where} must not hold control characters`);
  if (value === '.' || value === '..') throw missing(`${where} must not be . or .., which no URL can name`);
  return value.toWellFormed();
}

const missing = (message: string) => new Rejection('MISSING_SOURCE', message);
