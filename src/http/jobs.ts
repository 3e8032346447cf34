/** GET /v1/jobs and /v1/jobs/{id}: lists jobs and returns their reports. */
import { Elysia } from 'elysia';
import { jobTooLarge, Rejection } from '../errors.ts';
import { firstIdAt, isRequestId } from '../intake/request-id.ts';
import { MAX_JOB_BYTES } from '../report/bounds.ts';
import { type Job, type JobDocument, type JobStore, type KeptFeedback, TOO_LARGE } from '../stores/ports.ts';
import { ownTurn } from '../threads/own-turn.ts';
import { VERDICTS } from '../verdict.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { dateTime } from './date-time.ts';
import { FIND_JOB, LIST_JOBS } from './documents/jobs.ts';
import { otherMethods } from './methods.ts';
import { queryInteger, queryJobId, querySource, queryTime, queryWord } from './parameters.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

export interface JobRouteDependencies extends CallerDependencies {
  jobs: Pick<JobStore, 'list' | 'find' | 'feedback'>;
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
    status: queryWord(request, 'status', VERDICTS),
    ...rangeOf(request),
  });
  return Response.json({ jobs: jobs.map(entryOf) });
}

/** Ids sort by time, so `to` is the same as `before` with the first id of that time. */
function rangeOf(request: Request): { from: string | undefined; before: string | undefined } {
  const [from, to] = [queryTime(request, 'from'), queryTime(request, 'to')];
  const before = queryJobId(request, 'before');
  const end = to === undefined ? before : firstIdAt(to);
  return {
    from: from === undefined ? undefined : firstIdAt(from),
    before: before !== undefined && before < end! ? before : end,
  };
}

async function find(request: Request, id: string, deps: JobRouteDependencies): Promise<Response> {
  const { account } = await callerOf(request, deps);
  await deps.unsent.reserve(request, account.id, MAX_JOB_BYTES);
  await ownTurn();
  const found = isRequestId(id) ? await deps.jobs.find(account.id, id) : null;
  // The same message whether the id is unknown or belongs to another account.
  if (found === null) throw new Rejection('NOT_FOUND', 'The account has no job with this id');
  if (found.document === TOO_LARGE) throw jobTooLarge();
  const said = (await deps.jobs.feedback(account.id, id)).map(feedbackOf);
  const head = { ...entryOf(found.job), ...(said.length > 0 && { feedback: said }) };
  return new Response(completeJob(head, found.document), { headers: JSON_TYPE });
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Contains the stored texts unchanged, byte for byte. */
function completeJob(head: object, { report, profile }: JobDocument): string {
  return `${JSON.stringify(head).slice(0, -1)},"report":${report},"profile":${profile}}`;
}

const entryOf = (job: Job) => ({
  id: job.id,
  source: job.source,
  status: job.status,
  health_score: job.healthScore,
  rows_received: job.rowsReceived,
  drift_count: job.driftCount,
  latency_ms: job.latencyMs,
  created_at: dateTime(job.createdAt),
});

const feedbackOf = ({ said, by, at, who, undoneAt }: KeptFeedback) => ({
  ...{ said, by, at: dateTime(at) },
  ...(who !== null && { who }),
  ...(undoneAt !== null && { undone_at: dateTime(undoneAt) }),
});
