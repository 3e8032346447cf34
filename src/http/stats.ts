/** GET /v1/stats: totals over the jobs of the last days, overall and by source. */
import { Elysia } from 'elysia';
import { totalOf } from '../account/statistics.ts';
import { firstIdAt } from '../intake/request-id.ts';
import type { JobStore, Totals } from '../stores/ports.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { STATISTICS } from './documents/stats.ts';
import { otherMethods } from './methods.ts';
import { queryInteger } from './parameters.ts';

export interface StatsRouteDependencies extends CallerDependencies {
  jobs: Pick<JobStore, 'statistics'>;
}

const DAYS = { min: 1, max: 365, fallback: 30 };
/** A day is 24 hours; calendar days do not matter. */
const DAY_MS = 86_400_000;

export const statsRoutes = (deps: StatsRouteDependencies) =>
  new Elysia()
    .get('/v1/stats', ({ request }) => statistics(request, deps), { detail: STATISTICS })
    .all('/v1/stats', otherMethods('GET, HEAD'));

async function statistics(request: Request, deps: StatsRouteDependencies): Promise<Response> {
  const { account } = await callerOf(request, deps);
  const days = queryInteger(request, 'days', DAYS);
  const bySource = await deps.jobs.statistics(account.id, firstIdAt(deps.now() - days * DAY_MS));
  const { lastRun: _, totalDrift: __, avgHealth, ...totals } = totalOf([...bySource.values()]);
  return Response.json({
    ...totals,
    avgHealth: trimmed(avgHealth),
    sourceCount: bySource.size,
    periodDays: days,
    sources: [...bySource].sort(lastRunFirst).map(sourceEntry),
  });
}

type Entry = [source: string, totals: Totals];

/** Newest first, then by name, so that the order is deterministic. */
const lastRunFirst = ([a, { lastRun: x }]: Entry, [b, { lastRun: y }]: Entry): number =>
  y - x || (a < b ? -1 : 1);

const sourceEntry = ([source, { avgHealth, lastRun, ...totals }]: Entry) => ({
  source,
  ...totals,
  avgHealthPct: trimmed(avgHealth * 100),
  lastRun: new Date(lastRun).toISOString(),
});

/** Rounds to ten decimals, to remove the rounding errors of sums. */
const trimmed = (value: number): number => Math.round(value * 1e10) / 1e10;
