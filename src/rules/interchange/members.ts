/** Reads foreign documents, whose members may be of any type. */
import { Rejection } from '../../errors.ts';
import { quoted, shortened } from '../../wording.ts';
import { pathTo } from '../declared/reader.ts';

export type Members = Record<string, unknown>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of an object; none of anything else. */
export const membersOf = (value: unknown): Members => (isMembers(value) ? value : {});

/** The entries of a list; none of anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

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
export function chosenTable(tables: readonly Table[], wanted: string | undefined, what: string): Table {
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
