/** A tiny run: that it works and what it says, never how fast. */
import { expect, test } from 'bun:test';
import { benchRows } from '../../bench/rows.ts';
import { expectPositive } from './positive.ts';

test('the bench of rows times batches with and without findings, in JSON and CSV', async () => {
  const { ratios } = await benchRows(7, { rows: 60, payloads: 1, budgetMs: 20, rounds: 3, warmRounds: 1 });
  expect(Object.keys(ratios)).toEqual(['clean_json', 'damaged_json', 'clean_csv', 'damaged_csv']);
  expect(expectPositive(ratios)).toBe(8);
});
