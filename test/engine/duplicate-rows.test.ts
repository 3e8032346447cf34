/** Rows that repeat an earlier row, against a set of their texts. `test/property/` compares them for generated bodies. */
import { describe, expect, test } from 'bun:test';
import { Format } from '../../assembly/abi.ts';
import { ENGINE, screenBytes, type Way } from './screen-bytes.ts';

type Row = Record<string, unknown>;

function duplicates(rows: readonly Row[], way: Way = {}): number {
  const { profile } = screenBytes(ENGINE, new TextEncoder().encode(JSON.stringify({ rows })), way);
  return profile!.duplicateRows;
}

const found = (limit = 10_000): number[] => [...ENGINE.rowQueries.duplicated(limit)];

describe('a row repeats an earlier one', () => {
  test.each<[string, Row[]]>([
    [
      'with equal values',
      [
        { a: 1, b: 'x' },
        { a: 1, b: 'x' },
      ],
    ],
    [
      'with its fields in another order',
      [
        { a: 1, b: 'x' },
        { b: 'x', a: 1 },
      ],
    ],
    ['with null in the place of an absent field', [{ a: 1, b: null }, { a: 1 }]],
    [
      'with the same number written in another way',
      [
        { a: 0, b: 1 },
        { a: -0, b: 1.0 },
      ],
    ],
    ['with equal nested values', [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }]],
    ['with nothing in it', [{}, { a: null }]],
  ])('%s', (_, rows) => {
    expect(duplicates(rows)).toBe(1);
    expect(found()).toEqual([1]);
  });
});

describe('a row is another one', () => {
  test.each<[string, Row[]]>([
    [
      'if a value has another type',
      [{ a: 1 }, { a: '1' }, { a: true }, { a: 'true' }, { a: '' }, { a: null }],
    ],
    [
      'if values have changed places',
      [
        { a: 1, b: 2 },
        { a: 2, b: 1 },
      ],
    ],
    [
      'if texts have changed places',
      [
        { a: 'x', b: 'y' },
        { a: 'y', b: 'x' },
      ],
    ],
    ['if a value is in another field', [{ a: 1 }, { b: 1 }]],
    ['if a value is there', [{ a: 1 }, { a: 1, b: 1 }]],
  ])('%s', (_, rows) => {
    expect(duplicates(rows)).toBe(0);
    expect(found()).toEqual([]);
  });
});

test('small integers in many columns make no two rows equal that differ', () => {
  const rows = Array.from({ length: 10_000 }, (_, i) => ({
    a: i % 10,
    b: Math.floor(i / 10) % 10,
    c: Math.floor(i / 100) % 10,
    d: Math.floor(i / 1000),
    e: (i % 10) + Math.floor(i / 10),
  }));
  expect(duplicates(rows)).toBe(0);
  rows[9000] = { ...rows[17]! };
  rows[9999] = { ...rows[17]! };
  expect(duplicates(rows)).toBe(2);
  expect(found()).toEqual([9000, 9999]);
  expect(found(1)).toEqual([9000]);
});

test('all rows count, also those that are not in the sample', () => {
  const rows = Array.from({ length: 5000 }, (_, id) => ({ id, name: `n${id}`, sort: id % 3 }));
  expect(duplicates(rows, { sampleRows: 100 })).toBe(0);
  for (let i = 1; i <= 10; i++) rows[4000 + i] = { ...rows[7]! };
  expect(duplicates(rows, { sampleRows: 100 })).toBe(10);
});

test('columns of a CSV header that are called alike are columns of their own', () => {
  const text = 'a,a,b\n1,2,x\n2,1,x\n1,2,x\n';
  const { profile } = screenBytes(ENGINE, new TextEncoder().encode(text), { format: Format.CSV });
  expect(profile!.duplicateRows).toBe(1);
  expect(found()).toEqual([2]);
});
