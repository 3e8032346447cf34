/** A tiny run against real servers: that it works and what it says, never how fast. */
import { expect, test } from 'bun:test';
import { benchHttp } from '../../bench/http.ts';
import { expectPositive } from './positive.ts';

const FEW = { warmRounds: 0, rounds: 3, budgetMs: 0 };

test('the HTTP bench gives ratios, health under load and the batches posted meanwhile', async () => {
  const effort = {
    rows: 50,
    payloads: 2,
    smallPayloads: 3,
    wide: FEW,
    narrow: FEW,
    small: FEW,
    posters: 4,
    postingMs: 50,
  };
  const result = await benchHttp(7, effort);
  expect(Object.keys(result.ratios)).toEqual([
    ...['wide_req_json', 'wide_drain', 'narrow_req_json', 'narrow_drain'],
    'small_elysia_echo',
  ]);
  for (const large of [result.wide, result.narrow])
    expect(Object.keys(large).sort()).toEqual(['drain', 'req_json', 'sluice']);
  expect(Object.keys(result.small).sort()).toEqual(['elysia_echo', 'sluice']);
  expect(result.health.probes).toBeGreaterThan(0);
  expect(result.health.p50_ms).toBeLessThanOrEqual(result.health.p99_ms);
  expect(result.posted.batches).toBeGreaterThanOrEqual(4);
  expectPositive(result);
});
