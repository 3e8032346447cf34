/** A tiny run: that it works and what it says, never how fast. */
import { expect, test } from 'bun:test';
import { benchRules } from '../../bench/rules.ts';
import { expectPositive } from './positive.ts';

test('the bench of rules times batches with and without rules, and a pattern made to explode', async () => {
  const { ratios } = await benchRules(7, { rows: 60, payloads: 1, budgetMs: 20, rounds: 3, warmRounds: 1 });
  expect(Object.keys(ratios)).toEqual([
    'twenty_rules_json',
    'explosive_json',
    'twenty_rules_csv',
    'explosive_csv',
  ]);
  expect(expectPositive(ratios)).toBe(4);
});
