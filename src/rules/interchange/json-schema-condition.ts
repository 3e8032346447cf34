/** The condition of a JSON Schema that rules can say: one field has one of some values. */
import { ANNOTATIONS, allowsType } from './json-schema-keywords.ts';
import { listOf, type Members, membersOf } from './members.ts';

/** Whether a schema with annotations and types alone allows the values. */
const allows = (schema: Members, values: readonly unknown[]): boolean =>
  Object.keys(schema).every(
    keyword =>
      ANNOTATIONS.has(keyword) ||
      (keyword === 'type' &&
        values.every(value => typesOf(value).some(type => allowsType(schema.type, type)))),
  );

function typesOf(value: unknown): string[] {
  if (typeof value === 'number') return Number.isInteger(value) ? ['number', 'integer'] : ['number'];
  return [Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value];
}

export interface Test {
  field: string;
  values: { equals: unknown } | { in: unknown };
  /** Rows that lack the field do not pass. */
  isRequired: boolean;
}

/** The one field that a condition is about and the values that it has then; null if the condition says more. */
export function testIn(condition: unknown): Test | null {
  const { properties, required = [], ...rest } = membersOf(condition);
  const [[field, schema] = [], ...more] = Object.entries(membersOf(properties));
  const { const: equals, enum: among, ...others } = membersOf(schema);
  const isOne = more.length === 0 && (equals === undefined) !== (among === undefined);
  const values = equals === undefined ? { in: among } : { equals };
  const isOfRow = allows(rest, [{}]) && Array.isArray(required) && required.every(name => name === field);
  return field !== undefined &&
    isOne &&
    isOfRow &&
    allows(others, equals === undefined ? listOf(among) : [equals])
    ? { field, values, isRequired: required.length > 0 }
    : null;
}
