/** GET /v1/stats: totals over the jobs of the last days, overall and by source. GET /v1/stats/verdicts: verdicts over time. */
import { setImmediate } from 'node:timers/promises';
import { Elysia } from 'elysia';
import { sumUp, type Totals } from '../account/statistics.ts';
import { DAY_MS } from '../durations.ts';
import { Rejection } from '../errors.ts';
import { LAST_INSTANT } from '../intake/instant.ts';
import { firstIdAt } from '../intake/request-id.ts';
import type { JobStore } from '../stores/ports.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { dateTime } from './date-time.ts';
import { SPAN_SECONDS, SPANS, STATISTICS, VERDICTS_OVER_TIME } from './documents/stats.ts';
import { otherMethods } from './methods.ts';
import { queryInteger, queryTime } from './parameters.ts';

export interface StatsRouteDependencies extends CallerDependencies {
  jobs: Pick<JobStore, 'facts' | 'verdicts'>;
}

const DAYS = { min: 1, max: 365, fallback: 30 };
/** Sources that are shown one by one. */
const SOURCES = { min: 1, max: 1000, fallback: 200 };

export const statsRoutes = (deps: StatsRouteDependencies) =>
  new Elysia()
    .get('/v1/stats', ({ request }) => statistics(request, deps), { detail: STATISTICS })
    .all('/v1/stats', otherMethods('GET, HEAD'))
    .get('/v1/stats/verdicts', ({ request }) => verdictsOverTime(request, deps), {
      detail: VERDICTS_OVER_TIME,
    })
    .all('/v1/stats/verdicts', otherMethods('GET, HEAD'));

async function statistics(request: Request, deps: StatsRouteDependencies): Promise<Response> {
  const { account } = await callerOf(request, deps);
  const days = queryInteger(request, 'days', DAYS);
  const limit = queryInteger(request, 'limit', SOURCES);
  // Days of 24 hours; calendar days do not matter.
  const from = firstIdAt(deps.now() - days * DAY_MS);
  const read = (before: string | null, part: number) => deps.jobs.facts(account.id, from, before, part);
  const { total, sourceCount, sources, others } = await sumUp(read, limit);
  const { totalJobs, passCount, warnCount, blockCount, totalRows, avgHealth } = total;
  const left = sourceCount - sources.length;
  return Response.json({
    ...{ totalJobs, passCount, warnCount, blockCount, totalRows },
    avgHealth: trimmed(avgHealth),
    sourceCount,
    periodDays: days,
    sources: sources.map(([source, of]) => ({
      source,
      ...entryOf(of),
      lastStatus: of.lastStatus,
    })),
    ...(left > 0 && { others: { sourceCount: left, ...entryOf(others) } }),
  });
}

async function verdictsOverTime(request: Request, deps: StatsRouteDependencies) {
  const { account } = await callerOf(request, deps);
  const count = queryInteger(request, 'spans', SPANS);
  const seconds = queryInteger(request, 'seconds', SPAN_SECONDS);
  const from = queryTime(request, 'from') ?? deps.now() - count * seconds * 1000;
  if (from + (count - 1) * seconds * 1000 > LAST_INSTANT)
    throw new Rejection(
      'INVALID_PARAMETER',
      'The last span begins after the year 9999: give an earlier from, fewer spans or fewer seconds',
    );
  const spans = [];
  for (let i = 0; i < count; i++) {
    const [start, end] = [from + i * seconds * 1000, from + (i + 1) * seconds * 1000];
    const { PASS, WARN, BLOCK } = await deps.jobs.verdicts(account.id, firstIdAt(start), firstIdAt(end));
    const counts = { passCount: PASS, warnCount: WARN, blockCount: BLOCK };
    spans.push({ start: dateTime(start), ...counts });
    await setImmediate();
  }
  return { seconds, spans };
}

const entryOf = ({ avgHealth, lastRun, lastStatus: _, ...totals }: Totals) => ({
  ...totals,
  avgHealthPct: trimmed(avgHealth * 100),
  lastRun: dateTime(lastRun),
});

/** Rounds to ten decimals, to remove the rounding errors of sums. */
const trimmed = (value: number): number => Math.round(value * 1e10) / 1e10;
