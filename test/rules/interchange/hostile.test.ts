/** Foreign documents that were made to harm: each is refused with what is wrong and where, or imported with what it cannot say listed. */
import { describe, expect, test } from 'bun:test';
import { DocumentError, MAX_DOCUMENT_BYTES, readDocument } from '../../../src/documents/document-text.ts';
import { Rejection } from '../../../src/terms/errors.ts';
import { MAX_UNSUPPORTED } from '../../../src/rules/interchange/draft.ts';
import { IMPORT_FORMATS, type ImportFormat, importRules } from '../../../src/rules/interchange/import.ts';

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''];
const many = <Item>(count: number, make: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** A document of each format with one table, whose fields have the constraints. */
const DOCUMENTS: Record<
  ImportFormat,
  (fields: Record<string, { pattern?: string; enum?: unknown[] }>) => object
> = {
  'json-schema': fields => ({ type: 'object', properties: fields }),
  odcs: fields => ({
    apiVersion: 'v3.1.0',
    kind: 'DataContract',
    schema: [
      {
        name: 't',
        properties: Object.entries(fields).map(([name, { pattern, enum: validValues }]) => ({
          name,
          logicalType: 'string',
          ...(pattern !== undefined && { logicalTypeOptions: { pattern } }),
          ...(validValues && {
            quality: [{ metric: 'invalidValues', arguments: { validValues }, mustBe: 0 }],
          }),
        })),
      },
    ],
  }),
  dbt: fields => ({
    models: [
      {
        name: 't',
        columns: Object.entries(fields).map(([name, { pattern, enum: values }]) => ({
          name,
          tests: [
            ...(pattern === undefined
              ? []
              : [{ 'dbt_expectations.expect_column_values_to_match_regex': { regex: pattern } }]),
            ...(values ? [{ accepted_values: { values } }] : []),
          ],
        })),
      },
    ],
  }),
  frictionless: fields => ({
    fields: Object.entries(fields).map(([name, constraints]) => ({ name, type: 'string', constraints })),
  }),
  'great-expectations': fields => ({
    name: 's',
    expectations: Object.entries(fields).flatMap(([column, { pattern, enum: value_set }]) => [
      ...(pattern === undefined
        ? []
        : [{ type: 'expect_column_values_to_match_regex', kwargs: { column, regex: pattern } }]),
      ...(value_set ? [{ type: 'expect_column_values_to_be_in_set', kwargs: { column, value_set } }] : []),
    ]),
  }),
};

const read = (text: string): unknown => readDocument(new TextEncoder().encode(text)).value;
const imported = (format: ImportFormat, document: unknown) => importRules(format, document);

/** The error message, or how many rules were imported. */
function outcomeOf(format: ImportFormat, document: () => unknown): string {
  try {
    const { rules, unsupported } = imported(format, document());
    expect(unsupported.length).toBeLessThanOrEqual(MAX_UNSUPPORTED + 1);
    return `${Object.keys(rules.fields ?? {}).length} fields, ${unsupported.length} listed`;
  } catch (error) {
    if (!(error instanceof Rejection) && !(error instanceof DocumentError)) throw error;
    return error.message;
  }
}

describe.each(IMPORT_FORMATS)('as %s', format => {
  const documentOf = DOCUMENTS[format];

  test('names of prototypes are ordinary names', () => {
    const before = Object.keys(Object.prototype);
    const fields = Object.fromEntries(NAMES.map(name => [name, { pattern: 'x', enum: ['x'] }]));
    const { rules } = imported(format, read(JSON.stringify(documentOf(fields))));
    const given = rules.fields!;
    for (const name of NAMES.filter(each => Object.hasOwn(given, each)))
      expect(given[name]).toMatchObject({ pattern: format === 'frictionless' ? expect.any(String) : 'x' });
    expect(Object.hasOwn(given, '__proto__')).toBe(true);
    expect(Object.keys(Object.prototype)).toEqual(before);
    expect(({} as Record<string, unknown>).pattern).toBeUndefined();
  });

  test('an enumeration that is too large is listed with its path', () => {
    const { unsupported } = imported(format, documentOf({ a: { enum: many(1001, String) } }));
    expect(unsupported).toContainEqual({
      path: expect.stringMatching(/./),
      reason: expect.stringContaining('1,000'),
    });
  });

  test('a pattern that is too large, or that no automaton knows, is listed with its path', () => {
    const patterns = ['a'.repeat(1001), '(?:(?:a{1000}){1000}){1000}', '(a)\\1', '(?=a)', '(((', '[z-a]'];
    const fields = Object.fromEntries(patterns.map((pattern, i) => [`f${i}`, { pattern }]));
    const { rules, unsupported } = imported(format, documentOf(fields));
    expect(Object.values(rules.fields ?? {}).flatMap(field => field.pattern ?? [])).toEqual([]);
    expect(unsupported.filter(({ path }) => path !== '').length).toBeGreaterThanOrEqual(patterns.length);
  });

  test('more fields than rules may have are refused', () => {
    const fields = Object.fromEntries(many(1001, i => [`f${i}`, { enum: ['x'] }]));
    expect(outcomeOf(format, () => documentOf(fields))).toContain('1,000');
  });

  test.each([
    ['a number', 1],
    ['a text', 'x'],
    ['null', null],
    ['an empty list', []],
    ['an empty object', {}],
    [
      'lists in place of objects',
      { schema: [[]], models: [[]], fields: [[]], expectations: [[]], properties: [[]] },
    ],
    ['numbers in place of lists', { schema: 1, models: 1, fields: 1, expectations: 1, properties: 1 }],
    [
      'nulls in lists',
      { schema: [null], models: [null], fields: [null], expectations: [null], type: 'object' },
    ],
  ])('%s is no crash', (_, document) => {
    expect(outcomeOf(format, () => document)).toMatch(/./);
  });
});

describe('the references of a JSON Schema', () => {
  const referring = (definition: object, references: number) => ({
    $defs: { d: definition },
    properties: { a: { allOf: many(references, () => ({ $ref: '#/$defs/d' })) } },
  });

  test('may lead to 3,000 rules, of which each field keeps one of a kind', () => {
    const { rules } = imported('json-schema', referring({ minimum: 0 }, 3000));
    expect(rules.fields).toEqual({ a: { minimum: 0 } });
    const message = outcomeOf('json-schema', () => referring({ minimum: 0 }, 3001));
    expect(message).toBe('rules: there are more than 1,000 rules');
  });

  test('may lead to 20,000 schemas and keywords', () => {
    // Each reference is a schema with one keyword, and so is what it leads to; the schemas around them are 5 more.
    expect(outcomeOf('json-schema', () => referring({ description: '' }, 4998))).toBe('1 fields, 0 listed');
    expect(outcomeOf('json-schema', () => referring({ description: '' }, 4999))).toBe(
      'rules: the references of the schema lead to too many schemas',
    );
  });
});

describe('a text that is no document for any format', () => {
  test.each([
    ['of 10 MB', 'x'.repeat(10_000_000), `more than ${MAX_DOCUMENT_BYTES.toLocaleString('en')} bytes`],
    ['with a name that is there twice', 'models:\n- name: a\n  name: b', 'twice'],
    ['with a name of a prototype that is there twice', '__proto__: 1\n__proto__: 2', 'twice'],
    [
      'whose aliases make a billion values',
      `a: &a [x, x]\n${many(30, i => `k${i}: &k${i} [*${i === 0 ? 'a' : `k${i - 1}`}, *${i === 0 ? 'a' : `k${i - 1}`}]`).join('\n')}`,
      'at most 100,000 values',
    ],
    ['whose aliases run in a circle', 'a: &a\n  b: *a', 'nested at most'],
    ['with tabs for blanks', 'a:\n\tb: 1\n\tc: [', 'no YAML or JSON'],
  ])('%s', (_, text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test.each([
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x61, 0x00])],
    ['Latin 1', new Uint8Array([0x61, 0x3a, 0x20, 0xe9])],
    ['bytes', new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0xff])],
  ])('in %s', (_, bytes) => {
    expect(() => readDocument(bytes)).toThrow('UTF-8');
  });
});

describe('a JSON Schema that leads nowhere', () => {
  const doubled = (count: number, keyword: string) =>
    Object.fromEntries(
      many(count, i => [
        `d${i}`,
        { [keyword]: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    );
  test.each([
    [
      'a circle',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      'listed',
    ],
    ['a reference to itself', { properties: { a: { $ref: '#' } } }, 'listed'],
    [
      'a long chain',
      {
        $defs: Object.fromEntries(many(5000, i => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }])),
        properties: { a: { $ref: '#/$defs/d0' } },
      },
      'listed',
    ],
    [
      'doublings by allOf',
      { $defs: doubled(31, 'allOf'), properties: { a: { $ref: '#/$defs/d0' } } },
      'too many schemas',
    ],
    [
      'doublings in properties',
      {
        $defs: Object.fromEntries(
          many(25, i => [
            `d${i}`,
            { properties: { a: { $ref: `#/$defs/d${i + 1}` }, b: { $ref: `#/$defs/d${i + 1}` } } },
          ]),
        ),
        $ref: '#/$defs/d0',
      },
      'listed',
    ],
    [
      'references of a megabyte',
      {
        $defs: { x: { $ref: `#/${'a/'.repeat(40_000)}` } },
        properties: Object.fromEntries(many(900, i => [`p${i}`, { $ref: '#/$defs/x' }])),
      },
      '501 listed',
    ],
    [
      'an enumeration in many fields',
      {
        $defs: { e: { enum: many(1000, i => i) } },
        properties: Object.fromEntries(many(900, i => [`p${i}`, { $ref: '#/$defs/e' }])),
      },
      'more than 131,072 values',
    ],
    [
      'conditions on many fields',
      { dependentRequired: Object.fromEntries(many(100, i => [`p${i}`, many(300, k => `q${k}`)])) },
      'more than 1,000 rules',
    ],
    [
      'a reference into a prototype',
      { properties: { a: { $ref: '#/__proto__/toString' }, b: { $ref: '#/constructor' } } },
      '2 listed',
    ],
    ['an escape that is none', { properties: { a: { $ref: '#/%E0%A4%A' } } }, 'listed'],
  ])('%s', (_, schema, expected) => {
    expect(outcomeOf('json-schema', () => schema)).toContain(expected);
  });
});

describe('references of a schema are followed to a limit, and listed past it', () => {
  const imported = (schema: object) => {
    const { rules, unsupported } = importRules('json-schema', schema);
    return [rules.fields?.a, unsupported.length];
  };
  const chain = (references: number) => ({
    $defs: {
      ...Object.fromEntries(many(references - 1, i => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }])),
      [`d${references - 1}`]: { minimum: 1 },
    },
    required: ['a'],
    properties: { a: { type: 'number', $ref: '#/$defs/d0' } },
  });
  const long = (characters: number) => {
    const name = 'x'.repeat(characters - '#/$defs/'.length);
    return {
      $defs: { [name]: { minimum: 1 } },
      required: ['a'],
      properties: { a: { type: 'number', $ref: `#/$defs/${name}` } },
    };
  };
  test.each([
    ['32 behind each other', chain(32), chain(33)],
    ['1,000 characters', long(1000), long(1001)],
  ])('%s', (_, at, past) => {
    const field = { nullable: false, type: 'number' };
    expect(imported(at)).toEqual([{ ...field, minimum: 1 }, 0] as never);
    expect(imported(past)).toEqual([field, 1] as never);
  });
});
