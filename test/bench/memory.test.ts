/** A tiny run against the real server: that it works and what it says, never how much. */
import { expect, test } from 'bun:test';
import { benchMemory } from '../../bench/memory.ts';
import { expectPositive } from './positive.ts';

test('the memory bench counts its answers and measures the server’s memory', async () => {
  const effort = { rows: 50, payloads: 2, uploads: 12, screens: 30, warmScreens: 10, look: 5 };
  const { uploads, screens } = await benchMemory(7, effort);
  expect(uploads).toMatchObject({ at_once: 12, answered_200: 12 });
  expect(screens.count).toBe(30);
  expect(screens.rss_on_the_way_mb).toHaveLength(10);
  expect(screens.growth).toBeCloseTo(screens.rss_at_end_mb / screens.rss_after_warm_up_mb, 2);
  expectPositive(screens);
});
