/** Names of fields that people fill in. Pure. */
import { wordsOf } from '../names/words-of.ts';

const OF_PEOPLE =
  /^((first|last|full|user|sur|nick|display)?names?|customers?|clients?|contacts?|company|companies|persons?|users?|e?mails?|address(es)?)$/;

/** Most names have none of these, and are told at once. */
const MAY_BE = /name|customer|client|contact|compan|person|user|mail|address/i;

/** By the last word: `customer_name`, `homeAddress`, but not `name_length`. */
export const isNameOfPeople = (name: string): boolean =>
  MAY_BE.test(name) && OF_PEOPLE.test(wordsOf(name).at(-1) ?? '');
