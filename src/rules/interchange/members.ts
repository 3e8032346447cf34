/** Reads foreign documents, whose members may be of any type. */
import { Rejection } from '../../terms/errors.ts';
import { isJsonObject, type JsonObject } from '../../documents/json-object.ts';
import { quoted, shortened } from '../../terms/wording.ts';
import { pathTo } from '../declared/reader.ts';

export { isJsonObject as isMembers } from '../../documents/json-object.ts';
export type Members = JsonObject;

/** The members of an object; none of anything else. */
export const membersOf = (value: unknown): Members => (isJsonObject(value) ? value : {});

/** The entries of a list; none of anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text, a number, true or false as a text; of anything else an empty one. `String` throws at an object whose `toString` is a number. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : '';

/** The value of that name in a table, and nothing of the prototype. */
export const inTable = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** `pathTo`, also at the top of a document. */
export const memberAt = (path: string, name: string): string => pathTo(path, name).replace(/^\./, '');

/** The members of an object, and which of them nobody has read so far. */
export function watched(given: Members): { members: Members; unread(): string[] } {
  const left = new Set(Object.keys(given));
  const members = new Proxy(given, {
    get(_, name: string) {
      left.delete(name);
      return Object.hasOwn(given, name) ? given[name] : undefined;
    },
  });
  return { members, unread: () => [...left].filter(name => isSet(given[name])) };
}

/** Members that are read in the first object, and where it lacks them in the second. */
export const either = (first: Members, second: Members): Members =>
  new Proxy({}, { get: (_, name: string) => first[name] ?? second[name] });

/** The words of a text, each the name of a member. */
export const named = (words: string): ReadonlySet<string> => new Set(words.split(' '));

export const invalid = (message: string): Rejection => new Rejection('INVALID_RULES', message);

/** A share without the noise of binary fractions: 1 − 0.95 is 0.05. */
export const share = (value: number): number => Number(value.toPrecision(12));

export interface Table {
  name: string;
  path: string;
  members: Members;
}

const NAMES_SHOWN = 20;

/** The table of that name, or the only one. Throws `Rejection` INVALID_RULES, which lists the names. */
export function chosenTable<Found extends Table>(
  tables: readonly Found[],
  wanted: string | undefined,
  what: string,
): Found {
  if (tables.length === 0) throw invalid(`rules: the document has no ${what}; is the format right?`);
  const found = tables.find(({ name }) => name === wanted);
  if (found) return found;
  if (tables.length === 1 && wanted === undefined) return tables[0]!;
  const names = tables.slice(0, NAMES_SHOWN).map(({ name }) => quoted(shortened(name, 64)));
  const more = tables.length > NAMES_SHOWN ? ` and ${tables.length - NAMES_SHOWN} more` : '';
  throw invalid(
    `table: ${wanted === undefined ? `name one ${what}` : `there is no ${what} ${quoted(shortened(wanted, 64))}`}; the document has ${names.join(', ')}${more}`,
  );
}
