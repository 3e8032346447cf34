/** GET /v1/stats: totals over the jobs of the last days, overall and by source. */
import { Elysia } from 'elysia';
import { sumUp } from '../account/statistics.ts';
import { firstIdAt, ID_CHARACTERS } from '../intake/request-id.ts';
import type { JobStore, Totals } from '../stores/ports.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { STATISTICS } from './documents/stats.ts';
import { otherMethods } from './methods.ts';
import { queryInteger } from './parameters.ts';

export interface StatsRouteDependencies extends CallerDependencies {
  jobs: Pick<JobStore, 'statistics'>;
}

const DAYS = { min: 1, max: 365, fallback: 30 };
/** Sources that are shown one by one. */
const SOURCES = { min: 1, max: 1000, fallback: 200 };
/** A day is 24 hours; calendar days do not matter. */
const DAY_MS = 86_400_000;

export const statsRoutes = (deps: StatsRouteDependencies) =>
  new Elysia()
    .get('/v1/stats', ({ request }) => statistics(request, deps), { detail: STATISTICS })
    .all('/v1/stats', otherMethods('GET, HEAD'));

async function statistics(request: Request, deps: StatsRouteDependencies): Promise<Response> {
  const { account } = await callerOf(request, deps);
  const days = queryInteger(request, 'days', DAYS);
  const limit = queryInteger(request, 'limit', SOURCES);
  const from = firstIdAt(deps.now() - days * DAY_MS);
  const read = (before: string | null) => deps.jobs.statistics(account.id, from, before);
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
      lastStatus: of.newestJob.slice(ID_CHARACTERS),
    })),
    ...(left > 0 && { others: { sourceCount: left, ...entryOf(others) } }),
  });
}

const entryOf = ({ avgHealth, lastRun, newestJob: _, ...totals }: Totals) => ({
  ...totals,
  avgHealthPct: trimmed(avgHealth * 100),
  lastRun: new Date(lastRun).toISOString(),
});

/** Rounds to ten decimals, to remove the rounding errors of sums. */
const trimmed = (value: number): number => Math.round(value * 1e10) / 1e10;
