/** The keywords of a JSON Schema and what they say of null and of types. */
import type { FieldConstraint } from '../declared/document.ts';
import { FORMATS as DECLARED_FORMATS } from '../declared/words.ts';
import { isMembers, listOf, type Members, membersOf } from './members.ts';

/** One keyword of a schema. */
export interface Fact {
  path: string;
  keyword: string;
  value: unknown;
  /** Null is allowed beside it. */
  isUnion: boolean;
  /** The schema object that has the keyword, and the path of this object. */
  schema: Members;
  at: string;
}

/** They say something to people or tools and allow every value. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  '$anchor',
  '$vocabulary',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
]);

export const SAME: Record<string, FieldConstraint> = {
  minimum: 'minimum',
  maximum: 'maximum',
  exclusiveMinimum: 'exclusive_minimum',
  exclusiveMaximum: 'exclusive_maximum',
  multipleOf: 'multiple_of',
  minLength: 'min_length',
  maxLength: 'max_length',
  pattern: 'pattern',
};

/** Of the formats of rules those that JSON Schema knows. */
export const FORMATS: ReadonlySet<string> = new Set(
  DECLARED_FORMATS.filter(format => format !== 'country' && format !== 'currency'),
);

/** They may name fields of a row, beside `properties`. */
export const APPLICATORS: readonly string[] = [
  'if',
  'then',
  'else',
  'anyOf',
  'oneOf',
  'dependentSchemas',
  'additionalProperties',
  '$dynamicRef',
];

/** The place of the other schema in a choice between null and one more; null for any other choice. */
export function besideNull(value: unknown): number | null {
  const choices = listOf(value);
  const nulls = choices.map(
    choice => membersOf(choice).type === 'null' && Object.keys(membersOf(choice)).length === 1,
  );
  return choices.length === 2 && nulls[0] !== nulls[1] ? nulls.indexOf(false) : null;
}

export function refusesNull({ keyword, value, isUnion }: Fact): boolean {
  if (isUnion) return false;
  if (keyword === 'type') return value !== 'null' && !listOf(value).includes('null');
  if (keyword === 'enum') return !listOf(value).includes(null);
  return keyword === 'const' && value !== null;
}

/** What is said of the single fields of a row, and what every row is. */
export function isOfFields({ keyword, value }: Fact): boolean {
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
    return value === true || (isMembers(value) && Object.keys(value).length === 0);
  return (
    keyword === 'properties' || keyword === 'required' || (keyword === 'type' && allowsType(value, 'object'))
  );
}

export const allowsType = (types: unknown, type: string): boolean => [types].flat().includes(type);
