/** GET /v1/jobs and /v1/jobs/{id}: lists jobs and returns their reports. */
import { Elysia } from 'elysia';
import { jobTooLarge, Rejection } from '../errors.ts';
import { CooperativeTask } from '../intake/cooperative-scheduler.ts';
import { isRequestId } from '../intake/request-id.ts';
import { MAX_JOB_BYTES } from '../report/bounds.ts';
import { type Job, type JobDocument, type JobStore, TOO_LARGE } from '../stores/ports.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { FIND_JOB, LIST_JOBS } from './documents/jobs.ts';
import { otherMethods } from './methods.ts';
import { queryInteger, queryJobId, querySource } from './parameters.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

export interface JobRouteDependencies extends CallerDependencies {
  jobs: Pick<JobStore, 'list' | 'find'>;
  unsent: UnsentBytes;
}

export const jobRoutes = (deps: JobRouteDependencies) =>
  new Elysia()
    .get('/v1/jobs', ({ request }) => list(request, deps), { detail: LIST_JOBS })
    .all('/v1/jobs', otherMethods('GET, HEAD'))
    .get('/v1/jobs/:id', ({ request, params }) => find(request, params.id, deps), { detail: FIND_JOB })
    .all('/v1/jobs/:id', otherMethods('GET, HEAD'));

/** Jobs per page, also in the history of a source. */
export const PAGE = { min: 1, max: 200, fallback: 50 };
/** Of a job in the list: a source has 200 characters, of at most 6 bytes each in JSON. */
const ENTRY_BYTES = 1536;

async function list(request: Request, deps: JobRouteDependencies): Promise<Response> {
  const { account } = await callerOf(request, deps);
  const limit = queryInteger(request, 'limit', PAGE);
  await deps.unsent.reserve(request, account.id, limit * ENTRY_BYTES);
  const jobs = await deps.jobs.list(account.id, {
    limit,
    source: querySource(request, 'source'),
    before: queryJobId(request, 'before'),
  });
  return Response.json({ jobs: jobs.map(entryOf) });
}

async function find(request: Request, id: string, deps: JobRouteDependencies): Promise<Response> {
  const { account } = await callerOf(request, deps);
  await deps.unsent.reserve(request, account.id, MAX_JOB_BYTES);
  // Each read of a large job has a turn of the event loop for itself.
  const find = () => deps.jobs.find(account.id, id);
  const found = isRequestId(id) ? await new CooperativeTask().run(find, MAX_JOB_BYTES) : null;
  // The same message whether the id is unknown or belongs to another account.
  if (found === null) throw new Rejection('NOT_FOUND', 'The account has no job with this id');
  if (found.document === TOO_LARGE) throw jobTooLarge();
  return new Response(completeJob(found.job, found.document), { headers: JSON_TYPE });
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Contains the stored texts unchanged, byte for byte. */
function completeJob(job: Job, { report, profile }: JobDocument): string {
  return `${JSON.stringify(entryOf(job)).slice(0, -1)},"report":${report},"profile":${profile}}`;
}

const entryOf = (job: Job) => ({
  id: job.id,
  source: job.source,
  status: job.status,
  health_score: job.healthScore,
  rows_received: job.rowsReceived,
  drift_count: job.driftCount,
  latency_ms: job.latencyMs,
  created_at: new Date(job.createdAt).toISOString(),
});
