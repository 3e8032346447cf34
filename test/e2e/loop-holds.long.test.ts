/** A tiny run of `npm run holds`: every request is answered and measured. How long they take is for the command. */
import { expect, test } from 'bun:test';
import { loopHolds } from './loop-holds.ts';

test('the longest hold of each request is measured', async () => {
  const effort = { repeats: 1, fields: 20, history: 2, cells: 200, textBytes: 1000, afterMs: 10 };
  const holds = await loopHolds(effort);
  expect(holds.length).toBeGreaterThan(24);
  expect(holds.filter(({ median, most }) => !(median >= 0 && most >= median))).toEqual([]);
}, 240_000);
