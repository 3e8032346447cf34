/** A tiny run: that it works and what it says, never how fast. */
import { expect, test } from 'bun:test';
import { benchStatistics } from '../../bench/statistics.ts';
import { expectPositive } from './positive.ts';

test('the statistics bench times answers that count every job', async () => {
  const result = await benchStatistics(7, { jobs: 200, sources: 5, warmRuns: 1, runs: 3 });
  expect(result.jobs).toBe(200);
  expect(expectPositive(result)).toBe(5);
});
