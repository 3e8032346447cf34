/** The list of jobs grows at both ends. */
import { expect, test } from 'bun:test';
import type { Job } from '../../src/dashboard/contract.ts';
import {
  type JobList,
  LIVE_SIZE,
  newIn,
  NO_JOBS,
  PAGE_SIZE,
  withNew,
  withOlder,
} from '../../src/dashboard/job-list.ts';

const job = (n: number): Job => ({
  id: `req_${String(n).padStart(26, '0')}`,
  source: 'orders',
  status: 'PASS',
  health_score: 1,
  rows_received: 1,
  drift_count: 0,
  latency_ms: 1,
  created_at: '2026-11-21T12:00:00Z',
});
/** From the newest to the oldest. */
const jobs = (newest: number, oldest: number): Job[] =>
  Array.from({ length: newest - oldest + 1 }, (_, i) => job(newest - i));
const idsOf = ({ found }: JobList) => found.map(({ id }) => Number(id.slice(4)));

test('a short page is the last one', () => {
  const first = withOlder(NO_JOBS, jobs(999, 1000 - PAGE_SIZE));
  expect(first.isAll).toBe(false);
  const all = withOlder(first, jobs(799, 700));
  expect([all.found.length, all.isAll]).toEqual([300, true]);
});

test('new jobs come first, each once, and those that took long come where they belong', () => {
  const list: JobList = { found: [job(10), job(8), job(7)], isAll: true };
  const page = [job(12), job(10), job(9), job(8), job(7)];
  expect(newIn(list, page).map(({ id }) => id)).toEqual([job(12).id, job(9).id]);
  const next = withNew(list, page);
  expect(idsOf(next)).toEqual([12, 10, 9, 8, 7]);
  expect(withNew(next, page)).toBe(next);
  expect(next.isAll).toBe(true);
});

test('older jobs of the newest page do not fill a list that was read only in part', () => {
  const list: JobList = { found: jobs(20, 11), isAll: false };
  expect(newIn(list, jobs(20, 5))).toEqual([]);
});

test('where jobs may be missing between, the list begins again', () => {
  const list: JobList = { found: jobs(100, 1), isAll: true };
  const page = jobs(200, 201 - LIVE_SIZE);
  expect(withNew(list, page)).toEqual({ found: page, isAll: false });
});

test('the first jobs of an empty list are all of them', () => {
  expect(withNew({ found: [], isAll: true }, [job(1)])).toEqual({ found: [job(1)], isAll: true });
});
