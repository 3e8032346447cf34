import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { readDocument } from '../../../src/documents/document-text.ts';
import { MAX_PATTERNS } from '../../../src/rules/declared/limits.ts';
import { parseRules } from '../../../src/rules/declared/parse.ts';
import { MAX_UNSUPPORTED } from '../../../src/rules/interchange/draft.ts';
import { IMPORT_FORMATS, type ImportFormat, importRules } from '../../../src/rules/interchange/import.ts';

const yaml = (text: string): unknown => readDocument(new TextEncoder().encode(text)).value;
const foreign = async (file: string): Promise<unknown> =>
  readDocument(await Bun.file(join(import.meta.dir, 'foreign', file)).bytes()).value;
const reasons = ({ unsupported }: { unsupported: { path: string; reason: string }[] }) =>
  unsupported.map(({ path }) => path);

describe('a JSON Schema', () => {
  const row = (properties: object, more: object = {}) =>
    importRules('json-schema', { type: 'object', properties, ...more });

  test('of a row gives a rule for each keyword', () => {
    const { rules, unsupported } = row(
      {
        id: { type: 'string', pattern: '^A', minLength: 2, maxLength: 9, description: 'Its key' },
        n: { type: ['integer', 'null'], minimum: 1, exclusiveMaximum: 10, multipleOf: 2 },
        s: { enum: ['a', 'b', null] },
        c: { const: 3 },
        d: { type: 'string', format: 'date' },
      },
      { required: ['id', 'c', 'd'], additionalProperties: false, description: 'Orders' },
    );
    expect(rules).toEqual({
      description: 'Orders',
      fields: {
        id: {
          description: 'Its key',
          type: 'string',
          pattern: '^A',
          min_length: 2,
          max_length: 9,
          nullable: false,
        },
        n: { type: 'integer', minimum: 1, exclusive_maximum: 10, multiple_of: 2 },
        s: { enum: ['a', 'b'] },
        c: { enum: [3], nullable: false },
        d: { type: 'string', format: 'date', nullable: false },
      },
      rows: { closed: true },
    });
    expect(unsupported).toEqual([]);
  });

  test('of an array of rows bounds their number, and unique rows are unique in all fields', () => {
    const items = { properties: { a: {}, b: {} }, additionalProperties: false };
    const { rules } = importRules('json-schema', {
      type: 'array',
      items,
      minItems: 1,
      maxItems: 5,
      uniqueItems: true,
    });
    expect(rules).toEqual({
      fields: { a: {}, b: {} },
      rows: { min: 1, max: 5, closed: true, unique: [['a', 'b']] },
    });
  });

  test('may refer within itself, combine schemas, and allow null beside another', () => {
    const { rules, unsupported } = row(
      { a: { $ref: '#/$defs/amount' }, b: { anyOf: [{ type: 'null' }, { type: 'string' }] } },
      { $defs: { amount: { allOf: [{ type: 'number' }, { minimum: 0 }] } }, required: ['a', 'b'] },
    );
    expect(rules.fields).toEqual({
      a: { type: 'number', minimum: 0, nullable: false },
      b: { type: 'string', required: true },
    });
    expect(unsupported).toEqual([
      {
        path: 'properties.b',
        reason: "Each row must have 'b', but may have null: the rule says that some row has it",
      },
    ]);
  });

  test('that refers in a circle, or to another document, is told so', () => {
    const { unsupported } = row(
      { a: { $ref: '#/$defs/loop' }, b: { $ref: 'https://example.com/b' } },
      { $defs: { loop: { $ref: '#/$defs/loop' } } },
    );
    expect(unsupported).toHaveLength(2);
    expect(() =>
      row(
        { a: { $ref: '#/$defs/x' } },
        { $defs: { x: { allOf: [{ $ref: '#/$defs/x' }, { $ref: '#/$defs/x' }] } } },
      ),
    ).toThrow('too many schemas');
  });

  test('with a condition on one field gives a rule for some rows', () => {
    const { rules, unsupported } = row(
      { status: { type: ['string', 'null'] } },
      {
        if: { properties: { status: { const: 'sent' } }, required: ['status'] },
        then: { properties: { sent_at: { type: 'string' } }, required: ['sent_at'] },
        dependentRequired: { card: ['holder'] },
      },
    );
    expect(rules.when).toEqual([
      {
        if: { field: 'status', equals: 'sent' },
        then: { fields: { sent_at: { type: 'string', nullable: false } } },
      },
      { if: { field: 'card', null: false }, then: { fields: { holder: { nullable: false } } } },
    ]);
    expect(unsupported).toEqual([
      {
        path: 'dependentRequired.card',
        reason: 'Null counts as a missing field, so rows with null are not held to it: card',
      },
      {
        path: 'dependentRequired.card',
        reason: 'Null counts as a missing field, so rows with null fail: holder',
      },
    ]);
  });

  test('says of dependentRequired that null counts as absent, where the field may be null', () => {
    const dependent = (type: unknown) =>
      row(
        { email: { type }, phone: { type: 'string' } },
        { required: ['phone'], dependentRequired: { email: ['phone'] } },
      ).unsupported.map(({ path }) => path);
    expect(dependent(['string', 'null'])).toEqual(['dependentRequired.email']);
    expect(dependent('string')).toEqual(['properties']);
  });

  test('says of uniqueItems which rows are not looked at, where a field may be null', () => {
    const unique = (type: unknown) =>
      importRules(
        'json-schema',
        {
          type: 'array',
          uniqueItems: true,
          items: {
            properties: { a: { type: 'string' }, b: { type } },
            required: ['a', 'b'],
            additionalProperties: false,
          },
        },
        undefined,
      ).unsupported.map(({ reason }) => reason);
    expect(unique('string')).toEqual([]);
    expect(unique(['string', 'null'])).toContain('Rows that lack one of the values are not looked at');
  });

  const country = (code: string, then: object, more: object = {}) => ({
    if: { properties: { country: { const: code } }, required: ['country'] },
    then,
    ...more,
  });
  const ofZip = (pattern: string) => ({ properties: { zip: { pattern } } });

  test('with several conditions keeps each with its own then', () => {
    const { rules, unsupported } = row(
      {},
      { ...country('AT', ofZip('^A')), allOf: [country('DE', ofZip('^DE')), country('FR', ofZip('^FR'))] },
    );
    expect(unsupported).toEqual([]);
    expect(rules.when!.map(({ if: each, then }) => [each, then.fields!.zip])).toEqual([
      [{ field: 'country', equals: 'AT' }, { pattern: '^A' }],
      [{ field: 'country', equals: 'DE' }, { pattern: '^DE' }],
      [{ field: 'country', equals: 'FR' }, { pattern: '^FR' }],
    ] as never);
  });

  test('lists what a then says beside its fields', () => {
    const more = {
      not: {},
      minProperties: 2,
      additionalProperties: false,
      dependentRequired: { a: ['b'] },
      if: {},
      then: {},
      else: {},
      allOf: [{ maxProperties: 3 }],
    };
    const { rules, unsupported } = row({}, { allOf: [country('DE', { ...ofZip('^DE'), ...more })] });
    expect(rules.when).toEqual([
      { if: { field: 'country', equals: 'DE' }, then: { fields: { zip: { pattern: '^DE' } } } },
    ]);
    expect(reasons({ unsupported })).toEqual([
      'allOf[0].then.not',
      'allOf[0].then.minProperties',
      'allOf[0].then.additionalProperties',
      'allOf[0].then.dependentRequired',
      'allOf[0].then.if',
      'allOf[0].then.then',
      'allOf[0].then.else',
      'allOf[0].then.allOf[0].maxProperties',
    ]);
  });

  test('with a bound that is a date in a then compares with it', () => {
    const { rules, unsupported } = row({}, country('DE', { properties: { at: { minimum: '2026-01-01' } } }));
    expect(rules.when![0]!.then).toEqual({
      fields: { at: {} },
      compare: [{ left: 'at', op: '>=', value: '2026-01-01' }],
    });
    expect(unsupported).toEqual([]);
  });

  test.each([
    ['more than one field', { properties: { a: { const: 1 }, b: { const: 2 } }, required: ['a'] }],
    ['another field that must be there', { properties: { a: { const: 1 } }, required: ['a', 'b'] }],
    ['a value that is not of the type', { properties: { a: { type: 'string', enum: ['x', 1] } } }],
    ['rows that are no objects', { type: 'array', properties: { a: { const: 1 } }, required: ['a'] }],
    ['a schema in the schema', { allOf: [{}], properties: { a: { const: 1 } }, required: ['a'] }],
    ['every row', true],
  ])('whose condition is about %s is imported without it', (_, condition) => {
    const { rules, unsupported } = row({}, { if: condition, then: ofZip('x') });
    expect([rules.when, reasons({ unsupported })]).toEqual([undefined, ['if']]);
  });

  test('lists an else, a then without an if, and a then that contradicts itself', () => {
    const contradiction = { properties: { n: { minimum: 3, maximum: 2 } } };
    const { rules, unsupported } = row(
      {},
      {
        allOf: [country('DE', ofZip('x'), { else: ofZip('y') }), { then: {} }, country('FR', contradiction)],
      },
    );
    expect(rules.when).toHaveLength(1);
    expect(unsupported).toEqual([
      { path: 'allOf[0].else', reason: 'Nothing says this of a row' },
      { path: 'allOf[1].then', reason: 'Without an if it says nothing' },
      { path: 'allOf[2].if', reason: 'is above maximum (2)' },
    ]);
  });

  test.each([
    ['the fields of its own schema', { allOf: [{ properties: { b: {} }, additionalProperties: false }] }],
    ['all fields but some that a condition adds', { unevaluatedProperties: false, ...country('DE', {}) }],
    ['no others, where any may be', { unevaluatedProperties: false, additionalProperties: true }],
  ])('that allows %s does not close the row', (_, more) => {
    const { rules, unsupported } = row({ a: {} }, more);
    expect(rules.rows).toBeUndefined();
    expect(unsupported).toContainEqual({
      path: expect.stringMatching(/Properties$/),
      reason: 'Other schemas name fields of the row, too',
    });
  });

  test('with oneOf of null and what allows null refuses null, and says so', () => {
    expect(reasons(row({ a: { oneOf: [{ type: 'null' }, { minimum: 1 }] } }))).toEqual([
      'properties.a.oneOf[1]',
    ]);
  });

  test('of six types that are one and the same has that type', () => {
    expect(row({ a: { type: Array(6).fill('string') } }).rules.fields).toEqual({ a: { type: 'string' } });
  });

  test('lists what rules cannot say, each with its path', () => {
    const { rules, unsupported } = row(
      {
        a: { type: ['string', 'null'], format: 'hostname', pattern: '(?=x)' },
        o: { type: ['object', 'null'], properties: { inner: {} } },
        n: { not: { type: 'null' } },
        t: { type: 'string' },
      },
      { patternProperties: { '^x': {} }, minProperties: 2 },
    );
    expect(rules.fields).toEqual({
      a: { type: 'string' },
      o: { type: 'object' },
      n: {},
      t: { type: 'string' },
    });
    expect(reasons({ unsupported })).toEqual([
      'properties.a.format',
      'properties.a.pattern',
      'properties.o.properties',
      'properties.n.not',
      'properties',
      'patternProperties',
      'minProperties',
    ]);
  });
});

describe('an ODCS contract', () => {
  test('the full example of the standard imports, table by table', async () => {
    const contract = await foreign('odcs/full-example-v3.2.0.odcs.yaml');
    const { rules, unsupported } = importRules('odcs', contract, 'tbl');
    expect(rules).toEqual({
      description: 'Provides core payment metrics',
      fields: {
        transaction_reference_date: { description: 'Reference date for transaction', format: 'date' },
        rcvr_id: {
          description: 'A description for column rcvr_id.',
          type: 'string',
          unique: true,
          nullable: false,
        },
        rcvr_cntry_code: {
          description: 'Country code',
          type: 'string',
          enum: ['US', 'CA', 'MX'],
          nullable: { value: false, description: 'column should not contain null values' },
        },
      },
      rows: { min: { value: 1000001, description: 'Ensure row count is within expected volume range' } },
    });
    expect(unsupported.map(({ path }) => path.replace(/\d+/g, 'N'))).toEqual([
      'schema[N].properties[N].relationships[N]',
      'schema[N].relationships[N]',
      ...Array(8).fill('slaProperties[N]'),
    ]);
    expect(importRules('odcs', contract, 'receivers').rules.rows).toEqual({
      unique: [['id', 'country_code']],
    });
  });

  test('names its tables where none is named', async () => {
    const contract = await foreign('odcs/full-example-v3.2.0.odcs.yaml');
    expect(() => importRules('odcs', contract)).toThrow(
      "table: name one object of the schema; the document has 'tbl', 'receivers'",
    );
    expect(() => importRules('odcs', contract, 'x')).toThrow("there is no object of the schema 'x'");
  });

  test('quality metrics become rules with severity and tolerance', () => {
    const { rules, unsupported } = importRules(
      'odcs',
      yaml(`
      apiVersion: v3.1.0
      kind: DataContract
      schema:
        - name: orders
          properties:
            - name: id
              logicalType: string
              logicalTypeOptions: {minLength: 3, maxLength: 9, pattern: '^O', format: uuid}
              quality: [{metric: duplicateValues, mustBeLessThan: 10, unit: rows, severity: warning}]
            - name: unit
              quality:
                - {metric: invalidValues, arguments: {validValues: [kg, lb, null]}, mustBeLessOrEqualTo: 5, unit: percent}
                - {metric: nullValues, mustBeLessThan: 1, unit: percent}
                - {metric: missingValues, arguments: {missingValues: ['N/A']}, mustBe: 0}
                - {type: sql, query: SELECT 1, mustBe: 1}
            - name: at
              logicalType: timestamp
              logicalTypeOptions: {minimum: '2020-01-01'}
          quality:
            - {metric: rowCount, mustBeBetween: [100, 120]}
            - {metric: duplicateValues, mustBe: 0, arguments: {properties: [id, unit]}}
      slaProperties: [{property: latency, value: 4, unit: d, element: orders.at}]`),
    );
    expect(rules).toEqual({
      fields: {
        id: {
          type: 'string',
          min_length: 3,
          max_length: 9,
          pattern: '^O',
          format: 'uuid',
          unique: { value: true, severity: 'warn', tolerance: 9 },
        },
        unit: { enum: { value: ['kg', 'lb'], tolerance: 0.05 }, max_null_rate: 0.01 },
        at: { format: 'date-time', max_age: 'P4D' },
      },
      rows: { min: 100, max: 120, unique: [['id', 'unit']] },
      compare: [{ left: 'at', op: '>=', value: '2020-01-01' }],
    });
    expect(reasons({ unsupported })).toEqual([
      'schema[0].properties[1].quality[2] (missingValues)',
      'schema[0].properties[1].quality[3]',
    ]);
  });

  test('of another version is refused', () => {
    expect(() => importRules('odcs', { apiVersion: 'v2.2.2' })).toThrow(
      'apiVersion: the contract must be of version 3',
    );
  });
});

describe('quality metrics of a contract', () => {
  const imported = (quality: object, table: object = {}) =>
    importRules('odcs', {
      apiVersion: 'v3.1.0',
      schema: [{ name: 'orders', properties: [{ name: 'a', quality: [quality] }], ...table }],
    });
  const duplicates = { metric: 'duplicateValues' };

  test.each([
    [{ mustBe: 0, mustBeLessThan: 9 }, true],
    [
      { mustBeLessThan: 10, mustBeLessOrEqualTo: 3 },
      { value: true, tolerance: 3 },
    ],
    [
      { mustBeBetween: [0, 5], mustBeLessThan: 3 },
      { value: true, tolerance: 2 },
    ],
  ])('%j hold together', (operators, unique) => {
    const { rules, unsupported } = imported({ ...duplicates, ...operators });
    expect([rules.fields!.a!.unique, unsupported]).toEqual([unique, []] as never);
  });

  test.each([
    { mustBeLessThan: '5' },
    { mustBeBetween: [0] },
    { mustBeBetween: ['0', '1'] },
    { mustBe: 0, mustBeLessThan: null, mustBeGreaterThan: {} },
    { mustNotBe: 3 },
  ])('%j are listed', operators => {
    const { rules, unsupported } = imported({ ...duplicates, ...operators });
    expect([rules.fields!.a, reasons({ unsupported })]).toEqual([
      {},
      ['schema[0].properties[0].quality[0] (duplicateValues)'],
    ]);
  });

  test('one operator that is not read beside one that is', () => {
    const { rules, unsupported } = imported({ ...duplicates, mustBe: 0, mustNotBe: 3 });
    expect([rules.fields!.a, reasons({ unsupported })]).toEqual([
      { unique: true },
      ['schema[0].properties[0].quality[0] (duplicateValues).mustNotBe'],
    ]);
  });

  test.each([
    ['orders.a.b', 'a.b'],
    ['a', 'a'],
    ['other.a', 'a'],
  ])('the latency of %s is that of the field %s', (element, field) => {
    const agreement = { property: 'latency', value: 4, unit: 'd' };
    const contract = { apiVersion: 'v3.1.0', schema: [{ name: 'orders' }] };
    const { fields } = importRules('odcs', { ...contract, slaProperties: [{ ...agreement, element }] }).rules;
    expect(fields).toEqual({ [field]: { max_age: 'P4D' } });
    expect(
      importRules('odcs', { ...contract, slaProperties: [agreement], slaDefaultElement: element }).rules
        .fields,
    ).toEqual(fields);
  });
});

describe('a schema.yml of dbt', () => {
  const ofColumn = (...tests: unknown[]) =>
    importRules('dbt', { models: [{ name: 'm', columns: [{ name: 'a', tests }] }] });

  test('a test may have its name in any place', () => {
    const test = { config: { severity: 'warn' }, name: 'mine', test_name: 'not_null' };
    expect(ofColumn(test).rules.fields).toEqual({ a: { nullable: { value: false, severity: 'warn' } } });
    expect(reasons(ofColumn({ not_null: {}, config: { where: 'x' } }))).toEqual([
      'models[0].columns[0].tests[0]',
    ]);
  });

  test.each([
    [{ accepted_values: { values: ["{{ var('state') }}", 'new'] } }, 'accepted_values.values'],
    [{ accepted_values: { arguments: { values: "{{ var('states') }}" } } }, 'accepted_values.values'],
    [
      { 'dbt_expectations.expect_column_values_to_match_regex': { regex: "^{{ var('prefix') }}" } },
      '["dbt_expectations.expect_column_values_to_match_regex"].regex',
    ],
  ])('of values or a pattern from a template is listed: %j', (test, path) => {
    const { rules, unsupported } = ofColumn(test);
    expect(rules.fields).toEqual({ a: {} });
    expect(unsupported).toEqual([
      {
        path: `models[0].columns[0].tests[0]${path.startsWith('[') ? '' : '.'}${path}`,
        reason: 'A template is not evaluated, so the test is left out',
      },
    ]);
  });

  test('a text of blanks is empty, unless nothing is trimmed', () => {
    const ofBlanks = (args: object) => ofColumn({ 'dbt_utils.not_empty_string': args }).rules.fields!.a;
    expect(ofBlanks({})).toEqual({ pattern: '[^ ]' });
    expect(ofBlanks({ trim_whitespace: false })).toEqual({ min_length: 1 });
  });

  test.each([
    [
      'dbt_expectations.expect_column_pair_values_A_to_be_greater_than_B',
      'column_A',
      { column_A: 'a*10', column_B: 'b' },
    ],
    [
      'dbt_expectations.expect_column_pair_values_to_be_equal',
      'column_B',
      { column_A: 'a', column_B: 'coalesce(b, 0)' },
    ],
    [
      'dbt_expectations.expect_column_pair_values_A_to_be_greater_than_B',
      'column_B',
      { column_A: 'a', column_B: 'current_date' },
    ],
    [
      'dbt_expectations.expect_compound_columns_to_be_unique',
      'column_list',
      { column_list: ['a', 'lower(b)'] },
    ],
    [
      'dbt_utils.unique_combination_of_columns',
      'combination_of_columns',
      { combination_of_columns: ['a', "date_trunc('day', b)"] },
    ],
    ['dbt_utils.recency', 'field', { datepart: 'day', field: 'cast(b as date)', interval: 1 }],
    ['unique', 'column_name', { column_name: "a || '-' || b" }],
    ['not_null', 'column_name', { column_name: '(a + b)' }],
  ])('%s of a %s that is an expression is listed, and makes no rule', (test, argument, args) => {
    const columns = [{ name: 'a' }, { name: 'b' }];
    const { rules, unsupported } = importRules('dbt', {
      models: [{ name: 'orders', columns, tests: [{ [test]: args }] }],
    });
    expect(rules).toEqual({ fields: { a: {}, b: {} } });
    expect(reasons({ unsupported })).toEqual([expect.stringContaining(argument)]);
  });

  test('a test may name a column that has a name of several words', () => {
    const pair = { column_A: 'a b', column_B: 'c' };
    const { rules, unsupported } = importRules('dbt', {
      models: [
        {
          name: 'orders',
          columns: [
            { name: 'a b', tests: ['not_null'] },
            { name: 'c', tests: ['not_null'] },
          ],
          tests: [{ 'dbt_expectations.expect_column_pair_values_to_be_equal': pair }],
        },
      ],
    });
    expect([rules.compare, unsupported]).toEqual([[{ left: 'a b', op: '==', right: 'c' }], []]);
  });

  test('a warning of a whole column stays a warning', () => {
    const { rules } = ofColumn({ 'dbt_utils.not_constant': { config: { severity: 'warn' } } });
    expect(rules.statistics).toEqual([
      { field: 'a', statistic: 'distinct_count', minimum: 2, severity: 'warn' },
    ]);
  });

  test.each([
    ['= true', { left: 'a', op: '==', value: true }],
    ['<> FALSE', { left: 'a', op: '!=', value: false }],
    ['>= null', undefined],
    ['< current_date', undefined],
    ['< total', { left: 'a', op: '<', right: 'total' }],
  ])('the expression a %s', (expression, rule) => {
    const { rules, unsupported } = ofColumn({ 'dbt_utils.expression_is_true': { expression } });
    expect(rules.compare?.[0]).toEqual(rule as never);
    expect(unsupported).toHaveLength(rule ? 0 : 1);
  });

  test.each([
    [{ 'dbt_utils.expression_is_true': { expression: '> 0', condition: 'b > 1' } }],
    [{ 'dbt_expectations.expect_column_values_to_be_unique': { group_by: ['b'] } }],
    [{ 'dbt_expectations.expect_column_values_to_be_unique': { row_condition: 'b > 1' } }],
    [{ unique: { where: 'b > 1' } }],
  ])('%j is about some rows, and left out', test => {
    const { rules, unsupported } = ofColumn(test);
    expect([rules, unsupported.length]).toEqual([{ fields: { a: {} } }, 1]);
  });

  test('gives rules for its tests, in the old and the new form', () => {
    const { rules, unsupported } = importRules(
      'dbt',
      yaml(`
      version: 2
      models:
        - name: orders
          description: One row an order
          columns:
            - name: id
              data_type: bigint
              tests: [unique, not_null]
            - name: status
              data_tests:
                - accepted_values: {arguments: {values: [new, paid]}, config: {severity: warn, error_if: '>10'}}
                - relationships: {to: ref('states'), field: name}
            - name: amount
              tests:
                - dbt_utils.accepted_range: {min_value: 0, inclusive: false}
                - dbt_utils.not_null_proportion: {at_least: 0.95}
                - dbt_expectations.expect_column_mean_to_be_between: {min_value: 1, max_value: 9}
                - not_null: {where: "status = 'paid'"}
            - name: at
              tests: [{dbt_expectations.expect_row_values_to_have_recent_data: {datepart: day, interval: 1}}]
          tests:
            - dbt_utils.unique_combination_of_columns: {combination_of_columns: [id, status]}
            - dbt_utils.expression_is_true: {expression: "amount <= total"}
            - my_own_test`),
    );
    expect(rules).toEqual({
      description: 'One row an order',
      fields: {
        id: { type: 'integer', unique: true, nullable: false },
        status: { enum: { value: ['new', 'paid'], severity: 'warn', tolerance: 10 } },
        amount: { exclusive_minimum: 0, max_null_rate: 0.05 },
        at: { max_age: 'P1D' },
      },
      rows: { unique: [['id', 'status']] },
      compare: [{ left: 'amount', op: '<=', right: 'total' }],
      statistics: [{ field: 'amount', statistic: 'mean', minimum: 1, maximum: 9 }],
    });
    expect(reasons({ unsupported })).toEqual([
      'models[0].columns[1].data_tests[1].relationships',
      'models[0].columns[2].tests[3].not_null.where',
      'models[0].tests[2].my_own_test',
      // A status may be null, which the test groups.
      'models[0].tests[0]["dbt_utils.unique_combination_of_columns"]',
    ]);
  });

  test('an enforced contract names all columns', () => {
    const { rules } = importRules(
      'dbt',
      yaml(`
      models:
        - name: m
          config: {contract: {enforced: true}}
          columns:
            - {name: a, data_type: varchar, constraints: [{type: primary_key}, {type: check, expression: "a <> 'x'"}]}`),
    );
    expect(rules).toEqual({
      fields: { a: { type: 'string', required: true, nullable: false, unique: true } },
      rows: { closed: true },
      compare: [{ left: 'a', op: '!=', value: 'x' }],
    });
  });
});

describe('a Frictionless Table Schema', () => {
  test.each([
    [
      'country.schema-full.yaml',
      { id: 'integer', neighbor_id: 'integer', name: 'string', population: 'integer' },
      1,
    ],
    ['schema-valid-pk-array.json', null, 0],
    ['schema-valid-fk-array.json', null, 1],
    ['resource-schema.json', { id: 'integer', name: 'string' }, 0],
    ['schema-valid-simple.json', { id: 'integer', title: 'string' }, 0],
    ['schema-valid-full.json', null, 3],
  ])('%s imports', async (file, types, unsupported) => {
    const imported = importRules('frictionless', await foreign(`frictionless/${file}`));
    const found = Object.entries(imported.rules.fields!).map(([name, { type }]) => [name, type]);
    if (types) expect(Object.fromEntries(found)).toEqual(types);
    expect(imported.unsupported).toHaveLength(unsupported);
  });

  test('constraints become rules; a pattern is of the whole value', () => {
    const { rules, unsupported } = importRules('frictionless', {
      fields: [
        {
          name: 'id',
          type: 'integer',
          constraints: { required: true, unique: true, minimum: 1, maximum: 9 },
        },
        { name: 'code', constraints: { pattern: '[A-Z]+', minLength: 2, maxLength: 3, enum: ['AB', 'CD'] } },
        { name: 'day', type: 'date', format: '%d/%m/%Y', constraints: { minimum: '2020-01-01' } },
        { name: 'mail', type: 'string', format: 'email' },
        { name: 'where', type: 'geopoint' },
        { name: 'ok', type: 'boolean', trueValues: ['yes'] },
        { name: 'price', type: 'number', decimalChar: ',', groupChar: '.' },
        { name: 'size', type: 'number', decimalChar: '.', bareNumber: true },
      ],
      primaryKey: 'id',
      uniqueKeys: [['code', 'day']],
      missingValues: ['', 'NA'],
      fieldsMatch: 'subset',
    });
    expect(rules).toEqual({
      fields: {
        id: { type: 'integer', nullable: false, unique: true, minimum: 1, maximum: 9 },
        code: { type: 'string', pattern: '^(?:[A-Z]+)$', min_length: 2, max_length: 3, enum: ['AB', 'CD'] },
        day: {},
        mail: { type: 'string', format: 'email' },
        where: {},
        // 'yes' and '1.234,5' are right, and have no other type than text.
        ok: {},
        price: {},
        size: { type: 'number' },
      },
      rows: { closed: true, unique: [['code', 'day']] },
      compare: [{ left: 'day', op: '>=', value: '2020-01-01' }],
    });
    expect(reasons({ unsupported })).toEqual([
      'fields[2].format',
      'fields[4].type',
      'fields[5].trueValues',
      'fields[6].decimalChar',
      'fields[6].groupChar',
      'missingValues',
    ]);
  });
});

test('a Table Schema may write the bounds and values of numbers as texts', () => {
  const { rules, unsupported } = importRules('frictionless', {
    fields: [
      { name: 'n', type: 'number', constraints: { minimum: '-1.5', enum: ['1.5', '20', 3] } },
      { name: 'y', type: 'year', constraints: { maximum: '2030' } },
      { name: 's', type: 'string', constraints: { enum: ['1'] } },
    ],
  });
  expect(unsupported).toEqual([]);
  expect(rules.fields).toEqual({
    n: { type: 'number', minimum: -1.5, enum: [1.5, 20, 3] },
    y: { type: 'integer', maximum: 2030 },
    s: { type: 'string', enum: ['1'] },
  });
});

describe('a suite of Great Expectations', () => {
  test('of their own tests imports', async () => {
    const { rules, unsupported } = importRules(
      'great-expectations',
      await foreign('great-expectations/visitors_exp.json'),
    );
    expect(rules).toEqual({ fields: { event_type: { enum: ['page_load', 'page_view'] } } });
    expect(unsupported).toEqual([]);
  });

  test('the common expectations become rules; mostly is a tolerance', () => {
    const expectation = (type: string, kwargs: object, more: object = {}) => ({ type, kwargs, ...more });
    const { rules, unsupported } = importRules('great-expectations', {
      name: 'orders',
      expectations: [
        expectation('expect_column_to_exist', { column: 'id' }),
        expectation('expect_column_values_to_be_unique', { column: 'id' }, { severity: 'warning' }),
        expectation('expect_column_values_to_not_be_null', { column: 'id', mostly: 0.95 }),
        expectation(
          'expect_column_values_to_be_between',
          { column: 'n', min_value: 1, max_value: 9, strict_max: true, mostly: 0.99 },
          { meta: { notes: { content: ['Pieces'] } } },
        ),
        expectation('expect_column_value_lengths_to_equal', { column: 'id', value: 8 }),
        expectation('expect_column_values_to_match_regex', { column: 'id', regex: '^O' }),
        expectation('expect_column_values_to_be_of_type', { column: 'n', type_: 'int64' }),
        expectation('expect_column_mean_to_be_between', { column: 'n', min_value: 2 }),
        expectation('expect_table_row_count_to_be_between', { min_value: 1, max_value: null }),
        expectation('expect_compound_columns_to_be_unique', { column_list: ['id', 'n'] }),
        expectation('expect_column_pair_values_A_to_be_greater_than_B', {
          column_A: 'b',
          column_B: 'a',
          or_equal: true,
        }),
        expectation('expect_column_kl_divergence_to_be_less_than', { column: 'n' }),
        expectation('expect_column_values_to_be_in_set', {
          column: 's',
          value_set: [1],
          row_condition: 'x > 1',
        }),
      ],
    });
    expect(rules).toEqual({
      fields: {
        id: {
          required: true,
          unique: { value: true, severity: 'warn' },
          max_null_rate: 0.05,
          min_length: 8,
          max_length: 8,
          pattern: '^O',
        },
        n: {
          minimum: { value: 1, tolerance: 0.01, description: 'Pieces' },
          exclusive_maximum: { value: 9, tolerance: 0.01, description: 'Pieces' },
          type: 'integer',
        },
      },
      rows: { min: 1, unique: [['id', 'n']] },
      compare: [{ left: 'b', op: '>=', right: 'a' }],
      statistics: [{ field: 'n', statistic: 'mean', minimum: 2 }],
    });
    expect(reasons({ unsupported })).toEqual([
      'expectations[11] (expect_column_kl_divergence_to_be_less_than)',
      'expectations[12] (expect_column_values_to_be_in_set)',
      'expectations[9] (expect_compound_columns_to_be_unique)',
      'expectations[10] (expect_column_pair_values_A_to_be_greater_than_B)',
    ]);
  });
});

describe('rules of several fields', () => {
  const reason = 'Rows that lack one of the values are not looked at';
  const pair = (kwargs: object, ...notNull: string[]) =>
    importRules('great-expectations', {
      expectations: [
        {
          type: 'expect_column_pair_values_to_be_equal',
          kwargs: { column_A: 'a', column_B: 'b', ...kwargs },
        },
        ...notNull.map(column => ({ type: 'expect_column_values_to_not_be_null', kwargs: { column } })),
      ],
    }).unsupported.map(({ path, reason: why }) => [path, why]);

  test.each([
    ['may be null', {}, ['a'], [['expectations[0] (expect_column_pair_values_to_be_equal)', reason]]],
    ['may not be null', {}, ['a', 'b'], []],
    ['are left out if one is null', { ignore_row_if: 'either_value_is_missing' }, [], []],
    [
      'are left out if both are null',
      { ignore_row_if: 'both_values_are_missing' },
      ['a'],
      [['expectations[0] (expect_column_pair_values_to_be_equal).ignore_row_if', reason]],
    ],
  ])('of Great Expectations that %s say what is not looked at', (_, kwargs, notNull, said) => {
    expect(pair(kwargs, ...notNull)).toEqual(said);
  });

  test('of dbt say it unless the columns are not null', () => {
    const unique = (tests: string) =>
      importRules(
        'dbt',
        yaml(`
        version: 2
        models:
          - name: orders
            columns:
              - {name: a, tests: [not_null]}
              - {name: b, tests: [${tests}]}
            tests:
              - dbt_utils.unique_combination_of_columns: {combination_of_columns: [a, b]}`),
      ).unsupported.map(({ reason: why }) => why);
    expect(unique('not_null')).toEqual([]);
    expect(unique('unique')).toEqual([reason]);
  });
});

describe('an expectation', () => {
  const imported = (type: string, kwargs: object, more: object = {}) =>
    importRules('great-expectations', {
      expectations: [{ type, kwargs: { column: 'a', ...kwargs }, ...more }],
    });

  test('of lengths above and below is of whole numbers', () => {
    const bounds = { min_value: 1, strict_min: true, max_value: 9, strict_max: true };
    const { rules } = imported('expect_column_value_lengths_to_be_between', bounds);
    expect(rules.fields).toEqual({ a: { min_length: 2, max_length: 8 } });
  });

  test.each([
    ['distinct_values_to_be_in_set', { value_set: ['x', 2, null] }, { fields: { a: { enum: ['x', 2] } } }],
    ['min_to_be_between', { min_value: 1 }, { fields: { a: { minimum: 1 } } }],
    [
      'min_to_be_between',
      { min_value: 1, strict_min: true, max_value: 5 },
      { fields: { a: { exclusive_minimum: 1 } }, statistics: [{ field: 'a', statistic: 'min', maximum: 5 }] },
    ],
    [
      'max_to_be_between',
      { min_value: 1, max_value: 5 },
      { fields: { a: { maximum: 5 } }, statistics: [{ field: 'a', statistic: 'max', minimum: 1 }] },
    ],
    [
      'min_to_be_between',
      { min_value: '2026-01-01' },
      { compare: [{ left: 'a', op: '>=', value: '2026-01-01' }] },
    ],
    [
      'proportion_of_unique_values_to_be_between',
      { min_value: 0.5 },
      { statistics: [{ field: 'a', statistic: 'distinct_share', minimum: 0.5 }] },
    ],
  ])('expect_column_%s with %j becomes rules, and nothing is listed', (name, kwargs, rules) => {
    const found = imported(`expect_column_${name}`, kwargs);
    expect(found).toEqual({ rules: rules as never, unsupported: [] });
  });

  test('of quantiles becomes bounds of those that are measured, and the others are listed', () => {
    const type = 'expect_column_quantile_values_to_be_between';
    const quantile_ranges = {
      quantiles: [0.1, 0.25, 0.5],
      value_ranges: [
        [0, 1],
        [1, 2],
        [null, 3],
      ],
    };
    const { rules, unsupported } = imported(type, { quantile_ranges });
    expect(rules.statistics).toEqual([
      { field: 'a', statistic: 'quartile_1', minimum: 1, maximum: 2 },
      { field: 'a', statistic: 'median', maximum: 3 },
    ]);
    const at = `expectations[0] (${type})`;
    expect(reasons({ unsupported })).toEqual([at, `${at}.quantile_ranges.quantiles[0]`]);
  });

  test('of a set that values must fill is imported in part', () => {
    const type = 'expect_column_distinct_values_to_equal_set';
    const { rules, unsupported } = imported(type, { value_set: ['x'] });
    expect(rules).toEqual({ fields: { a: { enum: ['x'] } } });
    expect(reasons({ unsupported })).toEqual([`expectations[0] (${type}).value_set`]);
  });

  test.each([
    ['expect_column_values_to_be_unique', { mostly: 0 }],
    ['expect_column_distinct_values_to_contain_set', { value_set: ['x'] }],
    ['expect_column_min_to_be_between', { max_value: '2026-01-01' }],
    ['expect_column_values_to_be_unique', { mostly: '0.9' }],
    ['expect_column_mean_to_be_between', { min_value: 'x', max_value: 5 }],
    ['expect_table_columns_to_match_set', { column_set: { $PARAMETER: 'x' } }],
    ['expect_column_values_to_match_regex_list', { regex_list: ['a', {}] }],
    ['expect_column_values_to_be_dateutil_parseable', {}],
  ])('%s with %j is listed', (type, kwargs) => {
    const { rules, unsupported } = imported(type, kwargs);
    expect([rules, reasons({ unsupported })]).toEqual([{}, [`expectations[0] (${type})`]]);
  });
});

describe('two bounds of the number of rows', () => {
  const rowCount = (min_value: number, more: object = {}) => ({
    type: 'expect_table_row_count_to_be_between',
    kwargs: { min_value },
    ...more,
  });
  test('come to the tighter one, or the second is listed', () => {
    const imported = (...expectations: object[]) => importRules('great-expectations', { expectations });
    expect(imported(rowCount(5), rowCount(3)).rules.rows).toEqual({ min: 5 });
    const { rules, unsupported } = imported(rowCount(5), rowCount(3, { severity: 'warning' }));
    expect([rules.rows, unsupported.length]).toEqual([{ min: 5 }, 1]);
  });
});

describe('a hostile document', () => {
  const LONG = `${'x'.repeat(999)}😀${'x'.repeat(500)}`;
  test.each([
    [
      'dbt',
      { models: [{ name: 'm', columns: [{ name: 'a', tests: [{ unique: { description: LONG } }] }] }] },
    ],
    [
      'odcs',
      {
        apiVersion: 'v3.1.0',
        schema: [
          {
            name: 't',
            properties: [
              { name: 'a', quality: [{ metric: 'duplicateValues', mustBe: 0, description: LONG }] },
            ],
          },
        ],
      },
    ],
    [
      'great-expectations',
      {
        expectations: [
          { type: 'expect_column_values_to_be_unique', kwargs: { column: 'a' }, description: LONG },
        ],
      },
    ],
  ] as const)('a long description in %s is not cut within a character', (format, document) => {
    const { description } = importRules(format, document).rules.fields!.a!.unique as { description: string };
    expect(description).toBe(`${'x'.repeat(999)}…`);
  });

  test('half of a surrogate pair is listed, and not changed to another character', () => {
    const { rules, unsupported } = importRules('json-schema', {
      description: 'x\ud800',
      properties: { a: { enum: ['\ud800'], pattern: '\udc00', minimum: 1 }, '\ud800': { minimum: 1 } },
      dependentRequired: { a: ['\udc00'] },
    });
    expect(rules).toEqual({ description: 'x\ufffd', fields: { a: { minimum: 1 } } });
    const reason = 'It has half of a surrogate pair, which no file in UTF-8 can hold';
    expect(unsupported.filter(each => each.reason === reason).map(({ path }) => path)).toEqual([
      'properties.a.enum',
      'properties.a.pattern',
      'properties["\\ud800"]',
      'properties["\\ud800"].minimum',
      'dependentRequired.a',
    ]);
  });

  test.each([
    ['json-schema', (name: string) => ({ properties: { [name]: { minimum: 1 }, a: { minimum: 1 } } })],
    [
      'odcs',
      (name: string) => ({
        apiVersion: 'v3.1.0',
        schema: [
          {
            name: 't',
            properties: [name, 'a'].map(each => ({ name: each, logicalTypeOptions: { minimum: 1 } })),
          },
        ],
      }),
    ],
    [
      'frictionless',
      (name: string) => ({
        fields: [name, 'a'].map(each => ({ name: each, type: 'any', constraints: { minimum: 1 } })),
      }),
    ],
  ] as const)(
    'a name that is too long is listed, and the other fields of %s are imported',
    (format, documentOf) => {
      const { rules, unsupported } = importRules(format, documentOf('é'.repeat(513)));
      expect(rules.fields).toEqual({ a: { minimum: 1 } });
      expect(unsupported[0]!.reason).toBe('A field name may have at most 1,024 bytes');
    },
  );

  const DOCUMENTS = [
    null,
    7,
    'x',
    [],
    {},
    { fields: 3 },
    { schema: [null] },
    { models: [{ columns: [null, 5] }] },
    { expectations: [null, { type: 5 }] },
    { properties: { __proto__: 1, a: 5 } },
    { apiVersion: 'v3.0.0', schema: [{ properties: [null, { name: 5 }, { name: 'a', quality: [5] }] }] },
  ];
  test.each(IMPORT_FORMATS)('never breaks the import of %s', format => {
    for (const document of DOCUMENTS) {
      try {
        parseRules(importRules(format as ImportFormat, document).rules);
      } catch (error) {
        expect((error as { code?: string }).code).toBe('INVALID_RULES');
      }
    }
  });

  test('may have as many patterns as rules, and no more', () => {
    const schema = (count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, { pattern: 'a' }])),
    });
    expect(Object.keys(importRules('json-schema', schema(MAX_PATTERNS)).rules.fields!)).toHaveLength(
      MAX_PATTERNS,
    );
    expect(() => importRules('json-schema', schema(MAX_PATTERNS + 1))).toThrow('at most 100 patterns');
  });

  test('may have as many patterns in all conditions together, and no more are compiled', () => {
    const schema = (count: number) => ({
      allOf: Array.from({ length: count }, (_, i) => ({
        if: { properties: { a: { const: i } }, required: ['a'] },
        then: { properties: { b: { pattern: 'a' }, c: { pattern: 'b' } } },
      })),
    });
    let compiled = 0;
    const imported = (count: number) =>
      importRules('json-schema', schema(count), undefined, () => compiled++);
    expect(imported(MAX_PATTERNS / 2).rules.when).toHaveLength(MAX_PATTERNS / 2);
    expect(compiled).toBe(MAX_PATTERNS);
    compiled = 0;
    expect(() => imported(MAX_PATTERNS / 2 + 1)).toThrow('at most 100 patterns');
    expect(compiled).toBe(MAX_PATTERNS);
  });

  test('names of members of all objects are ordinary names', () => {
    const document = yaml(
      'properties: {__proto__: {type: string}, constructor: {minimum: 1}}\nrequired: [__proto__]',
    );
    const { rules } = importRules('json-schema', document);
    expect(Object.keys(rules.fields!)).toEqual(['__proto__', 'constructor']);
    expect(rules.fields!.constructor).toEqual({ minimum: 1 } as never);
  });

  test(`what has no counterpart is listed up to ${MAX_UNSUPPORTED} entries, and then counted`, () => {
    const schema = (count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, { not: {} }])),
    });
    expect(importRules('json-schema', schema(MAX_UNSUPPORTED)).unsupported).toHaveLength(MAX_UNSUPPORTED);
    const { unsupported } = importRules('json-schema', schema(MAX_UNSUPPORTED + 2));
    expect(unsupported.at(-1)).toEqual({
      path: '',
      reason: '2 more have no counterpart; they are not listed',
    });
  });
});
