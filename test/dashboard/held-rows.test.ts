/** The rows of a report to hold back, as files. */
import { expect, test } from 'bun:test';
import type { Report } from '../../src/dashboard/contract.ts';
import { csvOf, goodRows, heldRows } from '../../src/dashboard/held-rows.ts';

const report = (more: object): Report =>
  ({ stats: { rows_received: 5, row_numbers: 'index', source: 's' }, ...more }) as unknown as Report;
const quarantine = {
  count: 2,
  reasons: [
    { code: 'null', field: '=cmd()|"x"', severity: 'critical', count: 2 },
    { code: 'rule_violation', field: '*', rule: 'rows.unique[0]', severity: 'block', count: 1 },
  ],
  rows: [[1, [0, 1]], [3]],
  whole_batch: [],
};

test('rows have their reasons, and the good rows are the others', () => {
  const held = heldRows(report({ quarantine }));
  expect(held).toEqual({
    rows: [
      { row: 1, reasons: ['null: =cmd()|"x"', 'rule violation: rows.unique[0]'] },
      { row: 3, reasons: [] },
    ],
    isComplete: true,
  });
  expect(goodRows(report({ quarantine }), held)).toEqual([0, 2, 4]);
  expect(csvOf(held.rows)).toBe(
    'row,reasons\r\n1,"null: =cmd()|""x""; rule violation: rows.unique[0]"\r\n3,""\r\n',
  );
});

test('a finding about the whole batch leaves no row that is known to be good', () => {
  const whole = { quarantine: { ...quarantine, whole_batch: [{ code: 'schema_drift' }] } };
  expect(goodRows(report(whole), heldRows(report(whole)))).toBeNull();
});

test('rows that are named by their line have no good rows: the report does not know the other lines', () => {
  const byLine = { quarantine, stats: { rows_received: 5, row_numbers: 'line', source: 's' } };
  expect(goodRows(report(byLine), heldRows(report(byLine)))).toBeNull();
});

test('without row verdicts there are the rows that findings name, and no good rows', () => {
  const issues = { null_rates: { a: { actual: 0.4, threshold: 0.3, severity: 'warning', rows: [4, 2] } } };
  const held = heldRows(report({ issues }));
  expect(held).toEqual({
    rows: [
      { row: 2, reasons: ['null rate: a'] },
      { row: 4, reasons: ['null rate: a'] },
    ],
    isComplete: false,
  });
  expect(goodRows(report({ issues }), held)).toBeNull();
});
