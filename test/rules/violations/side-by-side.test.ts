/** Checks run side by side, in pieces of rows: what they find does not depend on it. */
import { describe, expect, test } from 'bun:test';
import {
  ALLOWED_BYTES,
  MAX_CHECKS,
  PATTERN_ROW_BYTES,
  RULE_COLUMNS_BYTES,
  RULE_DATA_BYTES,
} from '../../../assembly/abi.ts';
import { enumerationOf } from '../../../src/engine/enumeration.ts';
import { automatonOf } from '../../../src/rules/declared/automaton.ts';
import { MAX_ENUM_VALUES, MAX_RULES_BYTES } from '../../../src/rules/declared/limits.ts';
import { ENGINE } from '../../engine/screen-bytes.ts';
import { rowsOf } from './rows-of.ts';

const ROWS = 700;
/** Rows around the ends of pieces, and some others. */
const WRONG = [0, 1, 255, 256, 257, 511, 512, 699];
const isWrong = (row: number) => WRONG.includes(row);
const rowsWith = (value: (row: number) => object) => Array.from({ length: ROWS }, (_, row) => value(row));

const RULES = {
  nullable: { nullable: false },
  type: { type: 'integer' },
  range: { minimum: 0 },
  step: { multiple_of: 2 },
  length: { max_length: 3 },
  enum: { enum: ['a', 'b', 1] },
  pattern: { pattern: '^[ab]$' },
  format: { format: 'uuid' },
  day: { format: 'date' },
};
const RIGHT: Record<string, unknown> = {
  nullable: 1,
  type: 2,
  range: 3,
  step: 4,
  length: 'é😀x',
  enum: 'a',
  pattern: 'b',
  format: '2eb8aa08-aa98-11ea-b4aa-73b441d16380',
  day: '2026-01-02',
};
const BAD: Record<string, unknown> = {
  nullable: null,
  type: 2.5,
  range: -3,
  step: 3,
  length: 'é😀xy',
  enum: 'c',
  pattern: 'bb',
  format: '2eb8aa08',
  day: '2026-02-30',
};
const COMPARE = [
  { left: 'range', op: '<', right: 'type' },
  { left: 'day', op: '==', value: '2026-01-02' },
];
const document = { fields: RULES, compare: COMPARE };

const rows = rowsWith(row => ({ ...(isWrong(row) ? BAD : RIGHT), ...(isWrong(row) ? {} : { range: 1 }) }));
const found = (given: readonly object[] | string, ofRules: object = document) =>
  Object.entries(rowsOf(given, ofRules)).filter(([rule]) => rule !== 'compare[0]');

describe('the rows that fail at the ends of pieces', () => {
  const every = [
    ...Object.entries(RULES).map(([field, rule]) => [`fields.${field}.${Object.keys(rule)[0]}`, WRONG]),
    ['compare[1]', WRONG],
  ];

  test('are found in JSON', () => {
    expect(found(rows)).toEqual(every as never);
  });

  test('are found in CSV', () => {
    const names = Object.keys(RULES);
    const lines = rows.map(row => names.map(name => (row as Record<string, unknown>)[name] ?? '').join(','));
    expect(found([names.join(','), ...lines].join('\n'))).toEqual(every as never);
  });

  test('are found where rows lack the field', () => {
    const sparse = rows.map((row, i) => (i % 3 === 0 && !isWrong(i) ? { other: i } : row));
    const { nullable: _, ...fields } = RULES;
    expect(found(sparse, { fields, compare: COMPARE })).toEqual(every.slice(1) as never);
  });

  test('are found where a row is longer than texts that are read ahead', () => {
    const long = rows.map(row => ({ ...row, note: 'x'.repeat(5000) }));
    expect(found(long)).toEqual(every as never);
  });
});

test('more rules than run side by side, and automata that have no room together, find the same', () => {
  const pattern = '^(?:abcdefghijklmnopqrstuvwxyz0123456789|[a-z0-9]{0,400}!)$';
  const { bytes } = automatonOf(pattern)!;
  expect(bytes.length * MAX_CHECKS).toBeGreaterThan(RULE_DATA_BYTES);
  const names = Array.from({ length: 2 * MAX_CHECKS + 3 }, (_, i) => `t${i}`);
  const fields = Object.fromEntries(names.map(name => [name, { pattern }]));
  const row = (i: number) => Object.fromEntries(names.map(name => [name, isWrong(i) ? 'abc' : `a${i}!`]));
  expect(rowsOf(rowsWith(row), { fields })).toEqual(
    Object.fromEntries(names.map(name => [`fields.${name}.pattern`, WRONG])),
  );
});

describe('a check that would fill the room of all checks', () => {
  const most = Math.floor((RULE_DATA_BYTES - RULE_COLUMNS_BYTES) / PATTERN_ROW_BYTES) - 3;
  // A state before each character, one behind the last, and three that stay.
  const [FITS, TOO_LARGE] = [most, most + 1].map(states => `^b{1000}b{1000}b{${states - 2001}}$`) as [
    string,
    string,
  ];

  test('is a table as long as it fits alone', () => {
    const { bytes } = automatonOf(FITS)!;
    expect(bytes.length).toBeWithin(
      RULE_DATA_BYTES - RULE_COLUMNS_BYTES - PATTERN_ROW_BYTES,
      RULE_DATA_BYTES,
    );
    expect(automatonOf(TOO_LARGE)).toBeNull();
  });

  test.each([
    ['fits', FITS, 'b'.repeat(most - 1)],
    ['does not fit', TOO_LARGE, 'b'.repeat(most)],
  ])('finds the rows of a pattern whose table %s', (_, pattern, right) => {
    const fields = { a: { pattern }, b: { pattern } };
    const row = (i: number) => (isWrong(i) ? { a: `${right}b`, b: 'b' } : { a: right, b: right });
    expect(rowsOf(rowsWith(row), { fields })).toEqual({
      'fields.a.pattern': WRONG,
      'fields.b.pattern': WRONG,
    });
  });

  test('is no enumeration that a document of rules can hold', () => {
    const all = MAX_RULES_BYTES / MAX_ENUM_VALUES;
    const values = Array.from({ length: MAX_ENUM_VALUES }, (_, i) => `${i}`.padEnd(all, 'é'));
    const { length } = enumerationOf(values);
    expect(length).toBeGreaterThan(MAX_ENUM_VALUES * ALLOWED_BYTES + MAX_RULES_BYTES);
    expect(length).toBeLessThan((RULE_DATA_BYTES - RULE_COLUMNS_BYTES) / 1.5);
  });

  test('is refused with an error, not asked for again and again', () => {
    const check = { bytes: RULE_DATA_BYTES - RULE_COLUMNS_BYTES + 1, texts: [], begin() {}, look() {} };
    expect(() => ENGINE.ruleChecks.run([check])).toThrow('too many bytes');
  });
});
