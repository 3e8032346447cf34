import { expect, test } from 'bun:test';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { Param, Placeholder } from 'drizzle-orm/sql/sql';
import { oneStatement } from '../../../src/stores/sql/one-statement.ts';

const { n } = pgTable('t', { n: integer(), s: text() });

test('parts become one statement with renumbered parameters and constants', () => {
  const upper = { ...n, mapToDriverValue: (value: unknown) => Number(value) * 2 };
  const one = oneStatement([
    { text: 'A $1 $2 $1', params: [new Placeholder('a'), 'known'], guard: true },
    { text: 'B', params: [], guard: false },
    {
      text: 'C $1 $11',
      params: [...Array(10).fill(7), new Param(new Placeholder('a'), upper as never)],
      guard: true,
    },
  ]);
  expect(one.text).toBe(
    'WITH part_0 AS (A $1 $2 $1), part_1 AS (B), part_2 AS (C $3 $13) ' +
      'SELECT 1 / (SELECT count(*) FROM part_0), 1 / (SELECT count(*) FROM part_2)',
  );
  expect(one.params([{ a: 'x' }, {}, { a: 21 }])).toEqual(['x', 'known', ...Array(10).fill(7), 42]);
});

test('works without guards', () => {
  expect(oneStatement([{ text: 'A', params: [], guard: false }]).text).toBe('WITH part_0 AS (A) SELECT 1');
});
