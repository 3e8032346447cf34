/** A schema that is imported without a remark fails the rows that a validator of others calls invalid. */
import { expect, test } from 'bun:test';
import '../../property/seed.ts';
import Ajv from 'ajv/dist/2020';
import fc from 'fast-check';
import { Rejection } from '../../../src/terms/errors.ts';
import type { Imported } from '../../../src/rules/interchange/draft.ts';
import { importRules } from '../../../src/rules/interchange/import.ts';
import { violationsOf } from '../violations/rows-of.ts';

const oneOf = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
const seldom = <Value>(usual: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: other });

const AJV = new Ajv({ strict: false, validateSchema: false });
const NAMES = ['a', 'b', 'c'];
const name = oneOf(...NAMES);
const value = oneOf<unknown>('x', 'y', 'xy', '', 0, 1, 2, 7, 2.5, true, false);
const values = fc.uniqueArray(value, { minLength: 1, maxLength: 4 });
const types = fc.uniqueArray(oneOf('string', 'number', 'integer', 'boolean'), {
  minLength: 1,
  maxLength: 3,
});
const bounds = fc.record(
  {
    minimum: oneOf(0, 1, 2),
    exclusiveMaximum: oneOf(2, 7),
    multipleOf: oneOf(1, 2),
    minLength: oneOf(1, 2),
    pattern: oneOf('^x', 'y$'),
  },
  { requiredKeys: [] },
);

/** A value that must be there, and one that may be null: rules cannot tell null from a field that a row lacks. */
const must = fc.oneof(
  fc.tuple(types, bounds).map(([type, more]): object => ({ type, ...more })),
  values.map((each): object => ({ enum: each })),
  value.map((each): object => ({ const: each, $comment: 'one' })),
  fc.tuple(types, bounds).map(([type, more]): object => ({ allOf: [{ type }, more] })),
  oneOf<object>({ $ref: '#/$defs/count' }),
);
const may = fc.oneof(
  bounds,
  types.map((each): object => ({ type: [...each, 'null'] })),
  values.map((each): object => ({ enum: [...each, null] })),
  must.map((each): object => ({ anyOf: [{ type: 'null' }, each] })),
  must.map((each): object => ({ oneOf: [each, { type: 'null' }] })),
);
const unknown = oneOf<object>(
  { not: { type: 'null' } },
  { type: 'string' },
  { oneOf: [{ type: 'null' }, {}] },
);

const fields = fc
  .dictionary(name, fc.tuple(fc.boolean(), must, seldom(may, unknown)), { maxKeys: 3 })
  .map(all => ({
    properties: Object.fromEntries(Object.entries(all).map(([each, [is, a, b]]) => [each, is ? a : b])),
    required: NAMES.filter(each => all[each]?.[0] === true),
  }));

const condition = fc
  .tuple(
    name,
    seldom(
      fc.oneof(
        value.map((each): object => ({ const: each })),
        values.map((each): object => ({ enum: each })),
      ),
      oneOf<object>({ type: 'string', enum: ['x', 1] }, { minimum: 1 }, { const: null }),
    ),
    seldom(fc.constant<string[]>([]), fc.subarray(NAMES)),
    seldom(fields, fc.record({ ...{ properties: fc.constant({}), required: fc.subarray(NAMES) } })),
    seldom(
      fc.constant({}),
      oneOf<object>(
        { minProperties: 2 },
        { additionalProperties: false },
        { dependentRequired: { a: ['b'] } },
      ),
    ),
    seldom(fc.constant({}), oneOf<object>({ else: { required: ['b'] } })),
  )
  .map(([field, test, more, then, others, beside]): object => ({
    if: { properties: { [field]: test }, required: [...new Set([field, ...more])] },
    then: { ...then, ...others },
    ...beside,
  }));

const schema = fc
  .tuple(
    fields,
    fc.array(fc.oneof(condition, condition, fields), { maxLength: 3 }),
    seldom<object>(
      oneOf({}, { additionalProperties: false }, { unevaluatedProperties: false }),
      oneOf({ additionalProperties: true, unevaluatedProperties: false }, { minProperties: 1 }),
    ),
  )
  .map(([own, allOf, more]) => ({
    $defs: { count: { type: 'integer', minimum: 1 } },
    type: 'object',
    ...own,
    ...(allOf.length === 1 ? allOf[0] : allOf.length > 1 && { allOf }),
    ...more,
  }));
const rows = fc.array(fc.dictionary(oneOf(...NAMES, 'other'), seldom(value, fc.constant(null))), {
  minLength: 1,
  maxLength: 6,
});

/** Null where rules refuse to say a part of it, or contradict each other. */
function imported(given: object): Imported['rules'] | null {
  try {
    const { rules, unsupported } = importRules('json-schema', given);
    return unsupported.length === 0 ? rules : null;
  } catch (error) {
    if (error instanceof Rejection) return null;
    throw error;
  }
}

test('whatever the schema', () => {
  let schemas = 0;
  let conditions = 0;
  fc.assert(
    fc.property(schema, rows, (given, each) => {
      const rules = imported(given);
      if (rules === null) return;
      schemas++;
      conditions += rules.when?.length ?? 0;
      const validate = AJV.compile(given);
      for (const row of each)
        expect([row, violationsOf([row], rules).length === 0]).toEqual([row, validate(row)]);
    }),
    { numRuns: 600 },
  );
  expect(schemas).toBeGreaterThan(100);
  expect(conditions).toBeGreaterThan(30);
});
