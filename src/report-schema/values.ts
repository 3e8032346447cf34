/** Schemas of single values that many requests and answers share. */
import { Kind, type SchemaOptions, type Static, type TSchema, Type } from '@sinclair/typebox';

/** What `src/http/check.ts` knows of a schema beyond JSON Schema. Symbols, so that no document has them. */
export const IS_RIGHT = Symbol('is right');
/** What the value must be, for messages: `a job id`. */
export const MUST = Symbol('must');
/** The schema of the values that are not null. */
export const UNLESS_NULL = Symbol('unless null');

export interface Checkable extends TSchema {
  [IS_RIGHT]?(value: unknown): boolean;
  [MUST]?: string;
  [UNLESS_NULL]?: Checkable;
}

/** A value that a function checks. `shown` is its JSON Schema. */
export const checkedBy = <Value>(
  isRight: (value: unknown) => boolean,
  must: string,
  shown: SchemaOptions,
): TSchema & { static: Value } =>
  Type.Unsafe<Value>({ ...shown, [Kind]: 'Checked', [IS_RIGHT]: isRight, [MUST]: must });

export const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const integer = (description: string, minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, description });
/** Beyond 32 bits: generators take another number for one of 32 bits. */
export const largeCount = (description: string) => Type.Integer({ minimum: 0, format: 'int64', description });
export const text = (description: string) => Type.String({ description });
export const flag = (description: string) => Type.Boolean({ description });
export const dateTime = (description: string) => Type.String({ format: 'date-time', description });

/** One of several words. */
export const word = <const Word extends string>(words: readonly Word[], description: string) =>
  checkedBy<Word>(value => words.includes(value as Word), oneOf(words), {
    type: 'string',
    enum: [...words],
    description,
  });

export const oneOf = (words: readonly string[]): string =>
  words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ');

/** An object whose names come from the payload: any name may occur. */
export const byName = <Value extends TSchema>(value: Value, description: string) =>
  Type.Unsafe<Record<string, Static<Value>>>({
    type: 'object',
    additionalProperties: value,
    description,
  });

/** A value of the schema, or null. */
export const orNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({
    ...schema,
    type: [schema.type, 'null'],
    [Kind]: 'OrNull',
    [UNLESS_NULL]: schema,
  });

export const JOB_ID = Type.String({
  pattern: '^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$',
  description: 'Id of the job and of its request; ids sort by time',
  [MUST]: 'a job id, req_ and 26 letters and digits',
});
const CONTROLS = '\\x00-\\x1f\\x7f-\\x9f';
/** No control characters. */
export const PLAIN = `^[^${CONTROLS}]*$`;
export const PLAIN_NOT_BLANK = `^[^${CONTROLS}]*[^\\s${CONTROLS}][^${CONTROLS}]*$`;

export const SOURCE = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: PLAIN_NOT_BLANK,
  not: { enum: ['.', '..'] },
  description: 'Name of the pipeline or table; each source has its own baseline',
});
