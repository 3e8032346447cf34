/** Names of fields that people fill in. Pure. */
import { wordsOf } from '../names/words-of.ts';

const OF_PEOPLE =
  /^((first|last|full|user|sur|nick|display)?names?|customers?|clients?|contacts?|company|companies|persons?|users?|e?mails?|address(es)?)$/;

/** By the last word: `customer_name`, `homeAddress`, but not `name_length`. */
export const isNameOfPeople = (name: string): boolean => OF_PEOPLE.test(wordsOf(name).at(-1) ?? '');
