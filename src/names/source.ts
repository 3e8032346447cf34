/** Validates the name of a source, which is the key of its baseline and a segment of a URL. */
import { Rejection } from '../terms/errors.ts';

const MAX_CHARACTERS = 200;

/**
 * Returns the value unchanged. `where` tells the client where the value is. Throws `Rejection` MISSING_SOURCE.
 */
export function checkSource(value: unknown, where: string): string {
  if (value === undefined) throw missing(`${where} is missing; it names the pipeline or table`);
  if (typeof value !== 'string')
    throw missing(`${where} must be a string of 1 to ${MAX_CHARACTERS} characters`);
  if (value.trim() === '') throw missing(`${where} must not be blank`);
  // A character has at most two code units: reject very long names without counting characters.
  if (value.length > 2 * MAX_CHARACTERS || [...value].length > MAX_CHARACTERS)
    throw missing(`${where} must have at most ${MAX_CHARACTERS} characters`);
  if (/\p{Cc}/u.test(value)) throw missing(`${where} must not contain control characters`);
  if (value === '.' || value === '..')
    throw missing(`${where} must not be . or .., which cannot be in a URL`);
  // Neither a store nor a URL can hold lone surrogates. If they were replaced, different sources would share a baseline.
  if (!value.isWellFormed())
    throw missing(`${where} must be Unicode text, without lone surrogates such as \\ud800`);
  return value;
}

const missing = (message: string) => new Rejection('MISSING_SOURCE', message);
