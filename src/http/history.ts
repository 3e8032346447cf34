/** GET /v1/schema/{source}/history: the batches of a source, for charts. */
import { Elysia } from 'elysia';
import type { HistoryEntry, JobStore } from '../stores/ports.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { HISTORY } from './documents/schema.ts';
import { PAGE } from './jobs.ts';
import { otherMethods } from './methods.ts';
import { queryInteger, queryJobId } from './parameters.ts';
import { sourceInPath } from './source-path.ts';

export interface HistoryRouteDependencies extends CallerDependencies {
  jobs: Pick<JobStore, 'history'>;
}

const PATH = '/v1/schema/:source/history';

export const historyRoutes = (deps: HistoryRouteDependencies) =>
  new Elysia()
    .get(PATH, ({ request }) => history(request, deps), { detail: HISTORY })
    .all(PATH, otherMethods('GET, HEAD'));

async function history(request: Request, deps: HistoryRouteDependencies): Promise<Response> {
  const { account } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const entries = await deps.jobs.history(account.id, {
    source,
    limit: queryInteger(request, 'limit', PAGE),
    before: queryJobId(request, 'before'),
  });
  const text = `{"source":${JSON.stringify(source)},"batches":[${entries.map(batchOf)}]}`;
  return new Response(text, { headers: { 'Content-Type': 'application/json' } });
}

/** JSON with the stored texts unchanged. */
function batchOf({ job, trend }: HistoryEntry): string {
  const facts = JSON.stringify({
    job_id: job.id,
    created_at: new Date(job.createdAt).toISOString(),
    status: job.status,
    health_score: job.healthScore,
    rows_received: job.rowsReceived,
    drift_count: job.driftCount,
  });
  return `${facts.slice(0, -1)},"drift":${trend.drift},"null_rates":${trend.nullRates}}`;
}
