/**
 * No part of a foreign document vanishes: a member that no importer knows is put into each object of a rich document, and each value is replaced by
 * one of a wrong type. The import has it in the rules, or lists it by its path, or refuses the document.
 */
import { describe, expect, test } from 'bun:test';
import { readDocument } from '../../../src/documents/document-text.ts';
import { Rejection } from '../../../src/terms/errors.ts';
import { parseRules } from '../../../src/rules/declared/parse.ts';
import type { Imported } from '../../../src/rules/interchange/draft.ts';
import { IMPORT_FORMATS, type ImportFormat, importRules } from '../../../src/rules/interchange/import.ts';

type Place = readonly (string | number)[];

const yaml = (text: string): unknown => readDocument(new TextEncoder().encode(text)).value;

const DOCUMENTS: Record<ImportFormat, unknown[]> = {
  'json-schema': [
    yaml(`
      $defs: {amount: {type: number, minimum: 0}}
      type: object
      required: [id, country, n, s]
      additionalProperties: false
      dependentRequired: {id: [s]}
      properties:
        id: {type: string, minLength: 2, pattern: '^A'}
        n: {$ref: '#/$defs/amount'}
        s: {allOf: [{type: string}, {maxLength: 9}]}
        u: {anyOf: [{type: 'null'}, {type: integer, multipleOf: 2}]}
        v: {oneOf: [{type: 'null'}, {enum: [a, b]}]}
        country: {type: string}
        at: {minLength: 1}
      allOf:
        - if: {properties: {country: {const: DE}}, required: [country]}
          then: {properties: {id: {pattern: '^DE'}, at: {minimum: '2026-01-01'}}}
        - if: {properties: {country: {enum: [FR, IT]}}, required: [country]}
          then: {allOf: [{properties: {n: {maximum: 5}}}]}`),
    yaml(`{type: array, minItems: 1, maxItems: 9, uniqueItems: true,
      items: {properties: {a: {exclusiveMaximum: 3}}, additionalProperties: false}}`),
  ],
  odcs: [
    yaml(`
      apiVersion: v3.1.0
      kind: DataContract
      description: {purpose: Orders}
      schema:
        - name: orders
          properties:
            - name: id
              primaryKey: true
              logicalType: string
              logicalTypeOptions: {minLength: 3, pattern: '^O', format: uuid}
              required: true
              unique: true
              quality: [{metric: duplicateValues, mustBeLessThan: 10, severity: warning, description: why}]
              relationships: [{to: customers.id}]
            - name: unit
              enum: [{value: kg, label: Kilogram}, lb]
              quality:
                - {metric: invalidValues, arguments: {validValues: [kg, lb]}, mustBeLessOrEqualTo: 5, unit: percent}
                - {metric: invalidValues, validValues: [kg, lb], pattern: k, mustBeBetween: [0, 3]}
                - {metric: nullValues, mustBeLessThan: 1, unit: percent}
                - {type: sql, query: SELECT 1, mustBe: 1}
            - {name: at, logicalType: timestamp, logicalTypeOptions: {minimum: '2020-01-01'}}
            - {name: o, logicalType: object, properties: [{name: inner, logicalType: string}]}
          quality:
            - {metric: rowCount, mustBeGreaterOrEqualTo: 100, mustBeLessOrEqualTo: 120}
            - {metric: duplicateValues, mustBe: 0, arguments: {properties: [id, unit]}}
      slaProperties:
        - {property: latency, value: 4, unit: d, element: orders.at}
        - {property: retention, value: 4, unit: y}`),
  ],
  dbt: [
    yaml(`
      version: 2
      models:
        - name: orders
          description: One row an order
          config: {contract: {enforced: true}}
          constraints: [{type: primary_key, columns: [id, line]}, {type: check, expression: 'a < b'}]
          columns:
            - name: id
              data_type: bigint
              constraints: [{type: not_null}]
              config: {meta: {}}
              tests: [unique, not_null: {severity: warn, error_if: '>10'}]
            - name: status
              data_tests:
                - accepted_values: {arguments: {values: [new, paid]}, config: {severity: warn}}
                - accepted_values: {values: [new, paid, sent]}
                - test_name: not_null
                  config: {severity: warn}
                - relationships: {to: x, field: y}
            - name: amount
              tests:
                - dbt_utils.accepted_range: {min_value: 0, max_value: 9, inclusive: false}
                - dbt_utils.not_null_proportion: {at_least: 0.95, at_most: 1}
                - dbt_utils.not_empty_string: {trim_whitespace: false}
                - dbt_utils.not_constant: {}
                - dbt_expectations.expect_column_mean_to_be_between: {min_value: 1, max_value: 9}
                - dbt_expectations.expect_column_values_to_match_regex: {regex: a}
            - name: at
              tests: [dbt_expectations.expect_row_values_to_have_recent_data: {datepart: day, interval: 1}]
          tests:
            - dbt_utils.unique_combination_of_columns: {combination_of_columns: [id, status]}
            - dbt_utils.recency: {datepart: day, field: sent_at, interval: 1}
            - dbt_utils.expression_is_true: {expression: amount <= total}
            - dbt_expectations.expect_table_row_count_to_be_between: {min_value: 1, max_value: 9}
            - dbt_expectations.expect_table_columns_to_match_set: {column_list: [a], column_set: [a]}`),
    yaml('sources: [{name: raw, tables: [{name: orders, columns: [{name: id, tests: [unique]}]}]}]'),
  ],
  frictionless: [
    yaml(`
      name: package
      description: Orders
      resources:
        - name: orders
          path: orders.csv
          schema:
            fields:
              - {name: id, type: integer, constraints: {required: true, unique: true, minimum: 1, maximum: 9}}
              - {name: code, constraints: {pattern: '[A-Z]+', minLength: 2, enum: [AB, CD]}}
              - {name: mail, type: string, format: email}
              - {name: kind, type: string, categories: [{value: a, label: First}, b]}
              - {name: day, type: date, constraints: {minimum: '2020-01-01'}}
            primaryKey: [id]
            uniqueKeys: [[code, day]]
            foreignKeys: [{fields: id, reference: {resource: other, fields: id}}]
            fieldsMatch: subset`),
    yaml('{name: resource, schema: {fields: [{name: id, type: string}], primaryKey: id}}'),
    yaml('{fields: [{name: id, type: yearmonth, missingValues: ["-"]}], missingValues: ["", NA]}'),
  ],
  'great-expectations': [
    yaml(`
      name: suite
      meta: {notes: {content: [Orders]}}
      expectations:
        - {type: expect_column_to_exist, kwargs: {column: id}}
        - {type: expect_column_values_to_be_unique, kwargs: {column: id, mostly: 0.9}, severity: warning}
        - {type: expect_column_values_to_not_be_null, kwargs: {column: id, mostly: 0.95}, meta: {notes: why}}
        - {type: expect_column_values_to_be_between, kwargs: {column: n, min_value: 1, max_value: 9, strict_max: true}}
        - {type: expect_column_value_lengths_to_be_between, kwargs: {column: id, min_value: 1, strict_min: true}}
        - {type: expect_column_value_lengths_to_equal, kwargs: {column: k, value: 8}}
        - {type: expect_column_values_to_match_regex, kwargs: {column: id, regex: '^O'}}
        - {type: expect_column_values_to_match_regex_list, kwargs: {column: k, regex_list: [a, b], match_on: any}}
        - {type: expect_column_values_to_be_of_type, kwargs: {column: n, type_: int64}}
        - {type: expect_column_values_to_be_in_type_list, kwargs: {column: k, type_list: [str]}}
        - {type: expect_column_values_to_match_strftime_format, kwargs: {column: d, strftime_format: '%Y-%m-%d'}}
        - {type: expect_column_values_to_be_increasing, kwargs: {column: n, strictly: true}}
        - {type: expect_column_values_to_be_in_set, kwargs: {column: s, value_set: [a]}}
        - {type: expect_column_mean_to_be_between, kwargs: {column: n, min_value: 2, max_value: 3}}
        - {type: expect_table_row_count_to_equal, kwargs: {value: 3}}
        - {type: expect_table_columns_to_match_set, kwargs: {column_set: [id, n], exact_match: true}}
        - {type: expect_compound_columns_to_be_unique, kwargs: {column_list: [id, n]}}
        - {type: expect_column_pair_values_A_to_be_greater_than_B, kwargs: {column_A: b, column_B: a, or_equal: true}}
        - {type: expect_column_kl_divergence_to_be_less_than, kwargs: {column: n}}`),
  ],
};

/** Names of members whose content is for people, or is read by reference only. */
const SILENT = new Set([
  'description',
  'meta',
  '$defs',
  'title',
  'label',
  'purpose',
  'path',
  'version',
  'kind',
]);

function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inner = Object.entries(value).flatMap(([name, each]) =>
    SILENT.has(name) ? [] : placesIn(each, [...at, Array.isArray(value) ? Number(name) : name]),
  );
  return [at, ...inner];
}

const valueAt = (document: unknown, at: Place): unknown =>
  at.reduce((value, name) => (value as Record<string | number, unknown>)[name], document);

function replaced(document: unknown, at: Place, value: unknown): unknown {
  if (at.length === 0) return value;
  const copy = structuredClone(document);
  (valueAt(copy, at.slice(0, -1)) as Record<string | number, unknown>)[at.at(-1)!] = value;
  return copy;
}

/** `a.b[0]["c d"]` → `a.b.0.c d`, without what an importer adds for people, such as the metric in parentheses. */
const plain = (path: string): string =>
  path
    .replaceAll(/ \([^)]*\)/g, '')
    .replaceAll(/\["([^"]*)"\]/g, '.$1')
    .replaceAll(/\[(\d+)\]/g, '.$1');
const pathOf = (at: Place): string => at.join('.');

/** Whether an entry is about the place, what it is in, or what is in it. */
const isListed = ({ unsupported }: Imported, at: Place): boolean =>
  unsupported.some(({ path }) => {
    const [entry, place] = [`${plain(path)}.`, `${pathOf(at)}.`];
    return place.startsWith(entry) || entry.startsWith(place);
  });

/** Null where the document is refused as a whole, and says why. */
function imported(format: ImportFormat, document: unknown): Imported | null {
  try {
    return importRules(format, document);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    expect(error.message).toMatch(/^[\w.]+: ./);
    return null;
  }
}

const countOf = ({ rules }: Imported): number => parseRules(rules).constraints.length;

/** Names by which one of several tables is chosen: with one table they say nothing. */
const UNREAD = /^(?:(?:schema|models|sources|resources)\.0\.)?(?:tables\.0\.)?name$/;
const MARKER = 'zz_marker';

describe.each(IMPORT_FORMATS)('as %s', format => {
  test('an unknown member of any object is in the rules or listed', () => {
    const vanished: string[] = [];
    let marked = 0;
    for (const document of DOCUMENTS[format]) {
      expect(imported(format, document)).not.toBeNull();
      for (const at of placesIn(document)) {
        const value = valueAt(document, at);
        if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
        marked++;
        const found = imported(format, replaced(document, at, { ...value, [MARKER]: { [MARKER]: [1] } }));
        if (found === null || JSON.stringify(found).includes(MARKER) || isListed(found, at)) continue;
        vanished.push(pathOf(at));
      }
    }
    expect(vanished).toEqual([]);
    expect(marked).toBeGreaterThan(10);
  });

  test.each([
    ['a number', 71],
    ['a text', 'zz_text'],
    ['true', true],
    ['a list', ['zz_item']],
    ['an object', { zz_member: 1 }],
    ['an object that is no text', { toString: 1, valueOf: 1 }],
    ['a name of the prototype', 'constructor'],
  ])('%s in any place changes the rules, is listed, or is what the place can hold', (_, wrong) => {
    // It is a schema, which allows every value.
    if (format === 'json-schema' && wrong === true) return;
    const vanished: string[] = [];
    for (const document of DOCUMENTS[format]) {
      const before = imported(format, document)!;
      for (const at of placesIn(document)) {
        if (at.length === 0 || UNREAD.test(pathOf(at)) || Bun.deepEquals(valueAt(document, at), wrong))
          continue;
        const found = imported(format, replaced(document, at, wrong));
        if (found === null || isListed(found, at)) continue;
        const isLess = countOf(found) < countOf(before) || Bun.deepEquals(found.rules, before.rules);
        if (isLess && Bun.deepEquals(found.unsupported, before.unsupported)) vanished.push(pathOf(at));
      }
    }
    expect(vanished).toEqual([]);
  });
});
