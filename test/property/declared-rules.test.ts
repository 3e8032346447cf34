/** The rows that fail a declared rule are those that a slow look through the oracle's cells finds. */
import { expect, test } from 'bun:test';
import './seed.ts';
import fc from 'fast-check';
import { Format } from '../../assembly/abi.ts';
import { atOnce } from '../../src/cooperative-yield.ts';
import type { DeclaredRules } from '../../src/rules/declared/constraint.ts';
import { parseRules } from '../../src/rules/declared/parse.ts';
import { PatternCache } from '../../src/rules/declared/patterns.ts';
import { violationsIn } from '../../src/rules/violations/check.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';
import { readCsv } from '../oracle/csv.ts';
import { readJson } from '../oracle/json.ts';
import { failingRows } from '../oracle/rules.ts';

const NAMES = ['a', 'b', 'c', 'absent'];
const TEXTS = [
  '',
  'a',
  'ab',
  'abc',
  'b',
  'Paid ',
  'say "a"',
  'é😀',
  '\n',
  'a,b',
  '007',
  '5',
  '5.0',
  ' 5',
  'x5',
  'DE',
  '10.0.0.1',
  'true',
  '2024-01-05',
  '2024-01-06',
  '2024-02-30',
  '2024-01-05T10:00:00Z',
  '2024-01-05 10:00:00',
  '05/01/2024',
  '25/12/2024',
  '12/25/2024',
  '10:00:00',
  'x'.repeat(40),
  `${'y'.repeat(70)}"`,
];
const NUMBERS = [
  -1, 0, 0.3, 0.30000000000000004, 1, 2.5, 5, 7, 100, 1e21, 1e-9, 123456789.5, 9007199254740994,
];

const oneOf = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const text = oneOf(TEXTS);
const number = oneOf(NUMBERS);
/** Columns are mostly of one sort, as they are in data. */
const column = fc.oneof(
  fc.constant(text),
  fc.constant(number),
  fc.constant(oneOf(['2024-01-05', '2024-01-06', '2023-12-31T23:59:59Z', '05/01/2024', '25/12/2024'])),
  fc.constant(fc.oneof(text, number, fc.boolean(), fc.constant([1]), fc.constant({ x: 1 }))),
);
const value = (of: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 8, arbitrary: of },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

const table = fc
  .tuple(column, column, column, fc.integer({ min: 1, max: 40 }))
  .chain(([a, b, c, length]) =>
    fc.array(fc.record({ a: value(a), b: value(b), c: value(c) }), { minLength: length, maxLength: length }),
  );

const scalar = fc.oneof(text, number, fc.boolean());
const constraints = fc.record(
  {
    type: oneOf(['string', 'number', 'integer', 'boolean', 'object', 'array']),
    nullable: fc.boolean(),
    unique: fc.boolean(),
    minimum: oneOf([-1, 0, 0.3, 5]),
    maximum: oneOf([5, 7, 1e21]),
    exclusive_minimum: number,
    exclusive_maximum: number,
    multiple_of: oneOf([0.1, 0.01, 0.5, 1, 2, 3, 1e-9, 2.5, 1e22]),
    enum: fc.array(scalar, { minLength: 1, maxLength: 4 }),
    pattern: oneOf([
      '^a',
      'b$',
      '^[a-z]+$',
      '(a+)+$',
      '^.$',
      'é',
      '"',
      '^$',
      '[^a]',
      '\\d{2}',
      'x{3,}y?$',
      '(?:\\b5)',
    ]),
    min_length: oneOf([0, 1, 2, 3, 16, 41]),
    max_length: oneOf([41, 70, 71, 72]),
    format: oneOf(['date', 'date-time', 'time', 'ipv4', 'country']),
    monotonic: oneOf(['increasing', 'decreasing']),
    tolerance: oneOf([0, 0.2, 2]),
  },
  { requiredKeys: [] },
);
const fields = fc.dictionary(oneOf(NAMES), constraints, { maxKeys: 3 });
const comparison = fc.oneof(
  fc.record({ left: oneOf(NAMES), op: oneOf(['==', '!=', '<', '<=', '>', '>=']), right: oneOf(NAMES) }),
  fc.record({
    left: oneOf(NAMES),
    op: oneOf(['==', '!=', '<', '<=', '>', '>=']),
    value: fc.oneof(text, number),
  }),
  fc.record({ left: oneOf(NAMES), op: oneOf(['==', '!=']), value: fc.boolean() }),
);
const condition = fc.oneof(
  fc.record({ field: oneOf(NAMES), equals: scalar }),
  fc.record({ field: oneOf(NAMES), in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ field: oneOf(NAMES), null: fc.boolean() }),
);
const document = fc.record({
  fields,
  rows: fc.record({
    unique: fc.array(fc.uniqueArray(oneOf(NAMES), { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
  }),
  compare: fc.array(comparison, { maxLength: 2 }),
  when: fc.array(
    fc.record({
      if: condition,
      then: fc.record({ fields, compare: fc.array(comparison, { maxLength: 1 }) }),
    }),
    { maxLength: 2 },
  ),
});

/** Characters of strings are written as escapes now and then. */
const jsonOf = (rows: readonly object[], escapes: boolean): string => {
  const json = JSON.stringify({ source: 's', rows });
  return escapes
    ? json.replaceAll(/[a-e5é]/g, (c, at) =>
        json[at - 1] !== '\\' && inString(json, at)
          ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`
          : c,
      )
    : json;
};
/** Whether a quote that is not escaped was opened before `at`: texts of values only, because names have one letter. */
const inString = (json: string, at: number): boolean =>
  [...json.slice(0, at).replaceAll(/\\./g, '').matchAll(/"/g)].length % 2 === 1;

const csvOf = (rows: readonly Record<string, unknown>[], quotes: boolean): string => {
  const cell = (each: unknown): string => {
    if (each === null || each === undefined) return '';
    const written = typeof each === 'object' ? JSON.stringify(each) : String(each);
    return quotes || /[",\n\r]/.test(written) || written === ''
      ? `"${written.replaceAll('"', '""')}"`
      : written;
  };
  return ['a,b,c,d', ...rows.map(row => `${cell(row.a)},${cell(row.b)},${cell(row.c)},1`)].join('\n');
};

const PATTERNS = new PatternCache();

function expectSame(bytes: Uint8Array, rules: DeclaredRules, format: Format): void {
  const { profile } = screenBytes(ENGINE, bytes, { format });
  const batch = format === Format.CSV ? readCsv(bytes, ',') : readJson(bytes).batch!;
  const checked = {
    profile: profile!,
    checks: ENGINE.ruleChecks,
    patterns: PATTERNS,
    now: 0,
    rowsListed: 10_000,
  };
  const violations = atOnce(violationsIn(checked, rules));
  const found = violations.map(({ constraint, rows, count }) => {
    expect(count).toBe(rows!.length);
    return [constraint.rule, [...rows!]] as const;
  });
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(failingRows(batch, rules, format === Format.CSV)),
  );
}

const accepted = (rules: unknown): DeclaredRules | null => {
  try {
    return parseRules(rules);
  } catch {
    // Bounds in the wrong order.
    return null;
  }
};

test('JSON: each violation has the rows that fail', () => {
  fc.assert(
    fc.property(table, document, fc.boolean(), (rows, given, escapes) => {
      const rules = accepted(given);
      fc.pre(rules !== null);
      expectSame(new TextEncoder().encode(jsonOf(rows, escapes)), rules, Format.JSON);
    }),
    { numRuns: 300 },
  );
});

test('CSV: each violation has the rows that fail', () => {
  fc.assert(
    fc.property(table, document, fc.boolean(), (rows, given, quotes) => {
      const rules = accepted(given);
      fc.pre(rules !== null);
      expectSame(new TextEncoder().encode(csvOf(rows, quotes)), rules, Format.CSV);
    }),
    { numRuns: 300 },
  );
});
