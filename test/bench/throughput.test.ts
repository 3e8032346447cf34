/** A tiny run against real servers: that it works and what it says, never how fast. */
import { expect, test } from 'bun:test';
import { benchThroughput } from '../../bench/throughput.ts';
import { expectPositive } from './positive.ts';

test('the throughput bench gives modes beside each other, and two threads beside one', async () => {
  const few = { batches: 8, warmRounds: 0, rounds: 2, rows: 50 };
  const result = await benchThroughput(7, { modes: few, threads: few });
  expect(Object.keys(result.ratios)).toEqual(['adaptive_contract', 'two_threads_one']);
  expect(Object.keys(result.threads)).toEqual(['one', 'two']);
  expectPositive(result);
});
