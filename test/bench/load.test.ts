/** A tiny run against real servers: that it works and what it says, never how fast. */
import { expect, test } from 'bun:test';
import { benchLoad } from '../../bench/load.ts';
import { expectPositive } from './positive.ts';

test('the load bench gives core time beside handlers that do less', async () => {
  const few = { batches: 16, warmRounds: 0, rounds: 2 };
  const result = await benchLoad(7, { small: few, narrow: { ...few, rows: 50 } });
  expect(Object.keys(result.ratios)).toEqual([
    ...['first', 'young', 'one_client', 'one_source', 'eight_sources', 'window', 'window_one_client'],
    ...['one_source_echo', 'narrow_req_json'],
  ]);
  const { core_ms, core_ms_least, core_ms_most } = result.small.eight_sources;
  expect(core_ms_least).toBeLessThanOrEqual(core_ms);
  expect(core_ms).toBeLessThanOrEqual(core_ms_most);
  expectPositive(result);
});
