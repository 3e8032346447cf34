/** Checks what a client sent by its TypeBox schema, and says what is wrong, where, and what is right. */
import { type Static, type TSchema, TypeRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type Checkable, IS_RIGHT, MUST, oneOf, UNLESS_NULL } from '../report-schema/values.ts';
import { type ErrorCode, quoted, Rejection } from '../terms/errors.ts';

TypeRegistry.Set<Checkable>('Checked', (schema, value) => schema[IS_RIGHT]!(value));
TypeRegistry.Set<Checkable>(
  'OrNull',
  ({ [UNLESS_NULL]: schema }, value) => value === null || Value.Check(schema!, value),
);

/** The value, of the schema's type. Throws `Rejection` with the code. */
export function checked<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  code: ErrorCode,
): Static<Schema> {
  if (fits(schema, value)) return value;
  throw new Rejection(code, faultIn(schema, value, ''));
}

export const fits = <Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> =>
  Value.Check(schema, value);

/** What is wrong with a value that the schema does not allow, and where. */
function faultIn(schema: TSchema, value: unknown, name: string): string {
  const error = Value.Errors(schema, value).First()!;
  // A pointer of JSON, such as `/tags/0`.
  const path = error.path.replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.');
  const place = (name + path).replace(/^\./, '');
  const { [UNLESS_NULL]: inside }: Checkable = error.schema;
  // The reason is in the schema of what is not null.
  if (inside) return faultIn(inside, error.value, place);
  return place === '' ? 'The body must be a JSON object' : wrong(place, error.schema, error.value);
}

/** `limit must be a whole number from 1 to 200, not '1000'` */
export const wrong = (place: string, schema: TSchema, value: unknown): string =>
  `${place} must be ${mustOf(schema)}${foundIn(schema, value)}`;

function mustOf({ [UNLESS_NULL]: inside, [MUST]: must, ...schema }: Checkable): string {
  if (inside) return mustOf(inside);
  if (must) return must;
  const { type, minimum, maximum, minItems, maxItems, minLength, maxLength } = schema;
  const range = minimum === undefined ? '' : ` from ${minimum} to ${maximum}`;
  if (type === 'integer') return `a whole number${range}`;
  if (type === 'number') return `a number${range}`;
  if (type === 'boolean') return oneOf(['true', 'false']);
  if (type === 'array') return `a list${sizeIn(minItems, maxItems, '')}`;
  return type === 'object' ? 'an object' : `a string${sizeIn(minLength, maxLength, ' characters')}`;
}

const sizeIn = (min: number | undefined, max: number | undefined, unit: string): string =>
  max === undefined ? '' : ` of ${min === undefined ? 'at most' : `${min} to`} ${max}${unit}`;

/** Words, numbers and ids are shown; of other texts, which may be secrets or long, only what they are not. */
function foundIn({ type, maxLength }: TSchema, value: unknown): string {
  if (value === undefined) return ': it is missing';
  if (typeof value === 'string') return maxLength === undefined ? `, not ${quoted(value)}` : '';
  if (Array.isArray(value)) return type === 'array' ? '' : ', not an array';
  return typeof value === 'object' && value !== null ? ', not an object' : `, not ${value}`;
}
