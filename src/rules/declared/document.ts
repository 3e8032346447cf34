/** The rules of a source as their owner writes them. The API document publishes the schema; `parseRules` checks a document against it. */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { MAX_NAME_BYTES, MAX_ROWS } from '../../../assembly/abi.ts';
import { byName, integer, share, word } from '../../report-schema/values.ts';
import {
  MAX_CONDITIONS,
  MAX_CONSTRAINTS,
  MAX_ENUM_VALUES,
  MAX_PATTERN,
  MAX_TEXT,
  MAX_TYPES,
  MAX_UNIQUE_FIELDS,
} from './limits.ts';
import { DIRECTIONS, FORMATS, OPERATORS, SEVERITIES, STATISTIC_NAMES, TYPES } from './words.ts';

const closed = { unevaluatedProperties: false };

const description = Type.Optional(
  Type.String({ maxLength: MAX_TEXT, description: 'The answer quotes it where the rule is violated' }),
);
const severity = Type.Optional(
  word(SEVERITIES, 'What a violation makes of the batch: `block` (default) or `warn`'),
);
const tolerance = Type.Optional(
  Type.Number({
    minimum: 0,
    maximum: MAX_ROWS,
    description: 'Rows that may fail: a share below 1, a whole number from 1 on; default 0',
  }),
);
const MODIFIERS = { severity, tolerance, description };
/** Of rules that no single row can fail. */
const OF_BATCH = { severity, description };

/** The value alone, or in its long form. */
const either = <Value extends TSchema>(value: Value, modifiers: typeof MODIFIERS | typeof OF_BATCH) =>
  Type.Optional(
    Type.Unsafe<Static<Value> | LongForm<Static<Value>>>({
      anyOf: [value, Type.Object({ value, ...modifiers }, closed)],
      ...(value.description !== undefined && { description: value.description }),
    }),
  );
const ofRows = <Value extends TSchema>(value: Value) => either(value, MODIFIERS);
const ofBatch = <Value extends TSchema>(value: Value) => either(value, OF_BATCH);

const flag = (description: string) => Type.Boolean({ description });
const number = (description: string) => Type.Number({ description });
const length = (description: string) => integer(description, 0, 2 ** 31 - 1);
const name = Type.String({ maxLength: MAX_NAME_BYTES, description: 'Name of a field' });

const SCALAR = Type.Unsafe<Scalar>({
  anyOf: [{ type: 'string', maxLength: MAX_TEXT }, { type: 'number' }, { type: 'boolean' }],
  description: 'A text, a number, true or false',
});
const SCALARS = Type.Array(SCALAR, {
  minItems: 1,
  maxItems: MAX_ENUM_VALUES,
  description: 'The values that are allowed',
});

/** The constraints of a field, by name. */
export const FIELD_CONSTRAINTS = {
  required: ofBatch(flag('The field is in at least one row')),
  type: ofRows(
    Type.Unsafe<DeclaredType | readonly DeclaredType[]>({
      anyOf: [
        word(TYPES, 'A type'),
        { type: 'array', items: word(TYPES, 'A type'), minItems: 1, maxItems: MAX_TYPES },
      ],
      description: 'The type of its values, or a list of types',
    }),
  ),
  nullable: ofRows(flag('false: no row is without a value')),
  max_null_rate: ofBatch(share('Share of the rows that may be without a value')),
  unique: ofRows(flag('No two rows have the same value')),
  minimum: ofRows(number('The smallest number allowed')),
  maximum: ofRows(number('The largest number allowed')),
  exclusive_minimum: ofRows(number('Numbers are above it')),
  exclusive_maximum: ofRows(number('Numbers are below it')),
  multiple_of: ofRows(Type.Number({ exclusiveMinimum: 0, description: 'Numbers are multiples of it' })),
  enum: ofRows(SCALARS),
  pattern: ofRows(
    Type.String({
      maxLength: MAX_PATTERN,
      description: 'Texts contain a match of this pattern, in the syntax of RE2',
    }),
  ),
  min_length: ofRows(length('Characters (Unicode code points) that a text has at least')),
  max_length: ofRows(length('Characters (Unicode code points) that a text has at most')),
  format: ofRows(word(FORMATS, 'What texts are')),
  max_age: ofBatch(
    Type.String({ description: 'How old the newest date may be: an ISO 8601 duration such as `PT24H`' }),
  ),
  monotonic: ofRows(word(DIRECTIONS, 'No value is below, or above, that of the row before')),
};

export const FieldRules = Type.Object(
  { ...FIELD_CONSTRAINTS, ...MODIFIERS },
  { ...closed, $id: 'FieldRules', description: 'What must be true of a field' },
);

const CompareRule = Type.Object(
  {
    left: name,
    op: word(OPERATORS, 'How both compare'),
    right: Type.Optional({ ...name, description: 'The other field, or give `value`' }),
    value: Type.Optional({ ...SCALAR, description: 'A constant: a number, a date or another text' }),
    ...MODIFIERS,
  },
  { ...closed, $id: 'CompareRule', description: 'Two fields of a row, or a field and a constant' },
);

const Condition = Type.Object(
  {
    field: name,
    equals: Type.Optional({ ...SCALAR, description: 'It has this value' }),
    in: Type.Optional({ ...SCALARS, description: 'It has one of these values' }),
    null: Type.Optional(flag('true: it has no value; false: it has one')),
  },
  { ...closed, description: 'Which rows: one of `equals`, `in` and `null`' },
);

const WhenRule = Type.Object(
  {
    if: Condition,
    then: Type.Object(
      {
        fields: Type.Optional(byName(FieldRules, 'By name of the field')),
        compare: Type.Optional(Type.Array(CompareRule)),
      },
      closed,
    ),
    ...MODIFIERS,
  },
  { ...closed, $id: 'WhenRule', description: 'Rules that hold for some rows only' },
);

const StatisticRule = Type.Object(
  {
    field: name,
    statistic: word(STATISTIC_NAMES, 'A statistic of the field, over all rows'),
    minimum: Type.Optional(number('Its lower bound')),
    maximum: Type.Optional(number('Its upper bound')),
    ...OF_BATCH,
  },
  { ...closed, $id: 'StatisticRule', description: 'Bounds on a statistic of a field' },
);

const FIELD_NAMES = Type.Array(name, {
  minItems: 1,
  maxItems: MAX_UNIQUE_FIELDS,
  description: 'Names of fields',
});

const UniqueList = Type.Array(
  Type.Unsafe<readonly string[] | LongForm<readonly string[]>>({
    anyOf: [FIELD_NAMES, Type.Object({ value: FIELD_NAMES, ...MODIFIERS }, closed)],
  }),
  { description: 'No two rows have the same values in all fields of a list' },
);

const rowCount = (description: string) => integer(description, 0, 2 ** 31 - 1);

const RowRules = Type.Object(
  {
    min: ofBatch(rowCount('Rows that a batch has at least')),
    max: ofBatch(rowCount('Rows that a batch has at most')),
    closed: ofBatch(flag('true: there are no other fields than those in `fields`')),
    unique: Type.Optional(UniqueList),
    ...MODIFIERS,
  },
  { ...closed, $id: 'RowRules', description: 'What must be true of the rows as a whole' },
);

export const RulesDocument = Type.Object(
  {
    fields: Type.Optional(byName(FieldRules, 'By name of the field')),
    rows: Type.Optional(RowRules),
    compare: Type.Optional(Type.Array(CompareRule, { maxItems: MAX_CONSTRAINTS })),
    when: Type.Optional(Type.Array(WhenRule, { maxItems: MAX_CONDITIONS })),
    statistics: Type.Optional(Type.Array(StatisticRule, { maxItems: MAX_CONSTRAINTS })),
    severity,
    tolerance,
    description: Type.Optional(Type.String({ maxLength: MAX_TEXT, description: 'What the rules are for' })),
  },
  { ...closed, $id: 'RulesDocument', description: 'What must be true of a source' },
);

/** A value with how grave its violation is, how many rows may fail, and why it is so. */
export interface LongForm<Value> {
  value: Value;
  severity?: DeclaredSeverity;
  tolerance?: number;
  description?: string;
}

export type Scalar = string | number | boolean;
export type DeclaredSeverity = (typeof SEVERITIES)[number];
export type DeclaredType = (typeof TYPES)[number];
export type DeclaredFormat = (typeof FORMATS)[number];
export type Direction = (typeof DIRECTIONS)[number];
export type Operator = (typeof OPERATORS)[number];
export type FieldConstraint = keyof typeof FIELD_CONSTRAINTS;

export type FieldRules = Static<typeof FieldRules>;
export type CompareRule = Static<typeof CompareRule>;
export type WhenRule = Static<typeof WhenRule>;
export type StatisticRule = Static<typeof StatisticRule>;
export type RulesDocument = Static<typeof RulesDocument>;
