/** Moments that lie closer together than doubles of milliseconds tell apart. */
import { describe, expect, test } from 'bun:test';
import { rowsOf } from './rows-of.ts';

/** Two moments, and whether the first lies before the second (-1), at it (0), or behind it (1). */
const PAIRS: [left: string, right: string, order: -1 | 0 | 1][] = [
  ['2026-01-02T03:04:05.123456788Z', '2026-01-02T03:04:05.123456789Z', -1],
  ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123456788Z', 1],
  ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123456789Z', 0],
  ['2026-01-02 03:04:05.1234567', '2026-01-02T03:04:05.123456700Z', 0],
  ['2026-01-02T03:04:05.1234567Z', '2026-01-02T03:04:05.1234568Z', -1],
  ['2026-01-02T03:04:05.123456789+01:00', '2026-01-02T02:04:05.123456788Z', 1],
  ['2026-01-02T03:04:05.123456789Z', '2026-01-02T05:04:05.123456789+02:00', 0],
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000000001Z', -1],
  ['2026-01-02T03:04:05.999999999Z', '2026-01-02T03:04:06.000000000Z', -1],
  ['2026-01-02T03:04:06Z', '2026-01-02T03:04:05.999999999Z', 1],
  ['2026-01-02T03:04:05.123Z', '2026-01-02T03:04:05.123000000Z', 0],
  ['2026-01-02', '2026-01-02T00:00:00.000000001Z', -1],
];
const OPERATORS = {
  '<': [-1],
  '<=': [-1, 0],
  '==': [0],
  '!=': [-1, 1],
  '>=': [0, 1],
  '>': [1],
};
const failing = (op: keyof typeof OPERATORS): number[] =>
  PAIRS.flatMap(([, , order], row) => (OPERATORS[op].includes(order) ? [] : [row]));

describe.each(Object.keys(OPERATORS) as (keyof typeof OPERATORS)[])('left %s right', op => {
  const rules = { compare: [{ left: 'left', op, right: 'right' }] };
  const found = (rows: readonly object[] | string) => rowsOf(rows, rules)['compare[0]'] ?? [];

  test('in JSON', () => {
    expect(found(PAIRS.map(([left, right]) => ({ left, right })))).toEqual(failing(op));
  });

  test('in CSV', () => {
    const lines = PAIRS.map(([left, right]) => `${left},${right}`);
    expect(found(`left,right\n${lines.join('\n')}\n`)).toEqual(failing(op));
  });

  test('with a constant', () => {
    for (const [row, [left, value]] of PAIRS.entries()) {
      const isWrong = failing(op).includes(row);
      const found = rowsOf([{ left }], { compare: [{ left: 'left', op, value }] });
      expect(Object.keys(found)).toEqual(isWrong ? ['compare[0]'] : []);
    }
  });
});

test('a column that goes back by a nanosecond is not monotonic', () => {
  const at = ['05.000000001', '05.000000002', '05.000000001', '05.000000001', '05.000000003'];
  const rows = at.map(second => ({ at: `2026-01-02T03:04:${second}Z` }));
  expect(rowsOf(rows, { fields: { at: { monotonic: 'increasing' } } })).toEqual({
    'fields.at.monotonic': [2],
  });
});
