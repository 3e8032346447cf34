/** One start of each: that it works and what it says, never how fast. */
import { expect, test } from 'bun:test';
import { benchCold } from '../../bench/cold.ts';
import { expectPositive } from './positive.ts';

test('the cold bench starts each server again and waits for its first answer', async () => {
  const result = await benchCold(7, { rows: 50, payloads: 1, starts: 1 });
  expect(result.first_answer.sluice.runs).toBe(1);
  expect(result.first_answer.req_json.runs).toBe(1);
  expectPositive(result);
});
