import { describe, expect, test } from 'bun:test';
import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { RulesDocument } from '../../../src/rules/declared/document.ts';
import { EXPORT_FORMATS, exportRules } from '../../../src/rules/interchange/export.ts';
import { importRules } from '../../../src/rules/interchange/import.ts';

const SAID_BY_ALL: RulesDocument = {
  description: 'Orders of the shop',
  fields: {
    id: { type: 'string', nullable: false, pattern: '^ORD-[0-9]+$', min_length: 5, max_length: 20 },
    quantity: { type: 'integer', minimum: 1, maximum: 999 },
    day: { format: 'date' },
  },
  rows: { min: 1, max: 10000 },
};

test.each(EXPORT_FORMATS)('rules that %s can say come back from it', format => {
  const { document, unsupported } = exportRules(format, SAID_BY_ALL, 'orders');
  expect(unsupported).toEqual([]);
  const back = importRules(format, document).rules;
  expect(back.description).toBe('Orders of the shop');
  const { id, quantity, day } = back.fields!;
  expect({ id, day }).toEqual({ id: SAID_BY_ALL.fields!.id, day: { format: 'date' } });
  expect(quantity).toMatchObject({ minimum: 1, maximum: 999 });
  const plain = (value: unknown) => (typeof value === 'object' ? (value as { value: unknown }).value : value);
  expect([plain(back.rows!.min), plain(back.rows!.max)]).toEqual([1, 10000]);
});

const ALL: RulesDocument = {
  fields: {
    a: {
      required: true,
      unique: true,
      max_null_rate: 0.1,
      multiple_of: 2,
      severity: 'warn',
      tolerance: 0.05,
    },
    b: { enum: ['x', 'y'], max_age: 'PT36H', monotonic: 'increasing', format: 'country' },
  },
  rows: { closed: true, unique: [['a', 'b']] },
  compare: [{ left: 'a', op: '<', right: 'b' }],
  when: [{ if: { field: 'b', equals: 'x' }, then: { fields: { a: { nullable: false } } } }],
  statistics: [{ field: 'a', statistic: 'mean', maximum: 5 }],
};

test.each([
  [
    'odcs',
    [
      'fields.a.required',
      'fields.a.multiple_of',
      'fields.b.format',
      'fields.b.monotonic',
      'rows.closed',
      'compare[0]',
      'when[0].fields.a.nullable',
      'statistics[0]',
    ],
  ],
  [
    'json-schema',
    [
      'fields.a.required',
      'fields.a.max_null_rate',
      'fields.a.unique',
      'fields.a.multiple_of',
      'fields.b.format',
      'fields.b.max_age',
      'fields.b.monotonic',
      'rows.unique[0]',
      'compare[0]',
      'statistics[0]',
    ],
  ],
  [
    'great-expectations',
    [
      'fields.a.multiple_of',
      'fields.b.format',
      'fields.b.max_age',
      'rows.closed',
      'when[0].fields.a.nullable',
    ],
  ],
] as const)('%s lists what it cannot say', (format, paths) => {
  const { unsupported } = exportRules(format, ALL, 'orders');
  expect(unsupported.map(({ path }) => path).sort()).toEqual([...paths].sort());
});

describe('a tolerance of all rules', () => {
  const rules: RulesDocument = {
    tolerance: 0.01,
    fields: { a: { required: true, max_null_rate: 0.2, max_age: 'P1D' } },
    rows: { min: 1 },
    statistics: [{ field: 'a', statistic: 'mean', minimum: 1 }],
  };

  test('leaves rules without rows that may fail as they are', () => {
    const { document } = exportRules('great-expectations', rules, 'orders');
    const { expectations } = document as { expectations: { kwargs: object }[] };
    expect(expectations.map(({ kwargs }) => kwargs)).toEqual([
      { column: 'a' },
      { column: 'a', mostly: 0.8 },
      { min_value: 1 },
      { column: 'a', min_value: 1 },
    ]);
  });

  test.each(['odcs', 'json-schema'] as const)('%s says those that it can say', format => {
    const kept = importRules(format, exportRules(format, rules, 'orders').document).rules;
    const withoutIt = exportRules(format, { ...rules, tolerance: 0 }, 'orders').document;
    expect(kept).toEqual(importRules(format, withoutIt).rules);
  });
});

test.each(['odcs', 'great-expectations'] as const)(
  'rows that are unique in one field are so in %s',
  format => {
    const { document } = exportRules(format, { rows: { unique: [['a']] } }, 'orders');
    expect(JSON.stringify(document)).not.toContain('"column_list"');
    expect(importRules(format, document)).toEqual({
      rules: { fields: { a: { unique: true } } },
      unsupported: [],
    });
  },
);

test('an expectation of a pair has the name that Great Expectations 1 knows', () => {
  const rules: RulesDocument = { compare: [{ left: 'a', op: '>', right: 'b' }] };
  const { document } = exportRules('great-expectations', rules, 'orders');
  expect(document).toMatchObject({
    expectations: [{ type: 'expect_column_pair_values_a_to_be_greater_than_b' }],
  });
});

test.each(['', 'a,b', ' a'])('a contract cannot name the field %j in a service level, and says so', name => {
  const { document, unsupported } = exportRules('odcs', { fields: { [name]: { max_age: 'P1D' } } }, 'orders');
  expect(unsupported.map(({ reason }) => reason)).toEqual(['A service level cannot name this field']);
  expect(document).not.toHaveProperty('slaProperties');
});

describe('as JSON Schema', () => {
  const schemaOf = (rules: RulesDocument) => exportRules('json-schema', rules, 'orders').document;
  const accepts = (rules: RulesDocument, row: object): boolean => {
    const ajv = new Ajv({ strict: false });
    addFormats(ajv);
    return ajv.validate(schemaOf(rules), row);
  };
  const rules: RulesDocument = {
    fields: {
      s: { enum: ['a', 'b'] },
      n: { type: 'integer', minimum: 1 },
      k: { nullable: false },
      m: { format: 'email' },
    },
    rows: { closed: true },
    when: [{ if: { field: 's', equals: 'b' }, then: { fields: { n: { nullable: false } } } }],
  };

  test.each([
    [{ k: 1, s: null, n: null }, true],
    [{ k: 1 }, true],
    [{ k: null }, false],
    [{}, false],
    [{ k: 1, s: 'c' }, false],
    [{ k: 1, n: 0 }, false],
    [{ k: 1, n: 'x' }, false],
    [{ k: 1, other: 1 }, false],
    [{ k: 1, s: 'b' }, false],
    [{ k: 1, s: 'b', n: 2 }, true],
    [{ k: 1, m: 'not an address' }, false],
  ])('a validator of others says of %p: %p', (row, expected) => {
    expect(accepts(rules, row)).toBe(expected);
  });
});
