/** A tiny run of `npm run tenant`: it works, and the answers are within their bounds. How long things take is for the command. */
import { expect, test } from 'bun:test';
import { MAX_JOB_BYTES, MAX_REPORT_BYTES } from '../../src/report/bounds.ts';
import { worstTenant } from './worst-tenant.ts';

test('one tenant does its worst, in small', async () => {
  const { idle, beside, answers, reportBytes, jobBytes } = await worstTenant({
    posts: 2,
    rounds: 2,
    reads: 12,
    uploads: 10,
  });
  for (const { health, screen, failed } of [idle, beside]) {
    expect(health.count).toBeGreaterThan(0);
    expect(screen.count).toBeGreaterThan(0);
    expect(failed).toBe(0);
  }
  expect(answers).toEqual({ 200: 2 + 2 * (2 + 12) });
  expect(reportBytes).toBeLessThanOrEqual(MAX_REPORT_BYTES);
  expect(jobBytes).toBeLessThanOrEqual(MAX_JOB_BYTES);
}, 240_000);
