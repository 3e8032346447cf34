/** Names that people give to things of their account: keys, channels, owners, tags. */
import { quoted, Rejection } from '../terms/errors.ts';
import { isShowable } from '../terms/wording.ts';

/** What `plainName` refuses, for messages and documents. */
export const NOT_PLAIN =
  'control characters, line ends, characters that change the direction of text, or lone surrogates';

/**
 * A name without white space at its ends; '' if nothing else is left. `member`: what it is called in the request. Throws
 * `Rejection` INVALID_PARAMETER.
 */
export function plainName(given: unknown, member: string, maxCharacters: number): string {
  const refused = (fault: string) =>
    new Rejection(
      'INVALID_PARAMETER',
      `${member} must be a string of at most ${maxCharacters} characters without ${NOT_PLAIN}: ${fault}`,
    );
  if (typeof given !== 'string')
    throw refused(`it is ${Array.isArray(given) ? 'an array' : `of type ${typeof given}`}`);
  const name = given.trim();
  if (!isWithin(name, maxCharacters)) throw refused(`${quoted(name)} is too long`);
  if (!isShowable(name)) throw refused(`${quoted(name)} contains one`);
  return name;
}

/** Whether `plainName` takes the value. */
export const isNameOrBlank = (value: unknown, maxCharacters: number): value is string =>
  typeof value === 'string' && isWithin(value.trim(), maxCharacters) && isShowable(value.trim());

/** Whether a value is a name that is not blank. White space at its ends counts. */
export const isPlainName = (value: unknown, maxCharacters: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && isWithin(value, maxCharacters) && isShowable(value);

/** A character has at most two code units: a very long text is not taken apart. */
const isWithin = (text: string, characters: number): boolean =>
  text.length <= 2 * characters && [...text].length <= characters;
