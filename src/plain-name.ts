/** Names that people give to things of their account: keys, channels, owners, tags. */
import { quoted, Rejection } from './errors.ts';
import { isShowable } from './wording.ts';

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
  // A character has at most two code units: reject very long names without counting characters.
  if (name.length > 2 * maxCharacters || [...name].length > maxCharacters)
    throw refused(`${quoted(name)} is too long`);
  if (!isShowable(name)) throw refused(`${quoted(name)} contains one`);
  return name;
}
