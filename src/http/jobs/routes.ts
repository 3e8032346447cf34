/** GET /v1/jobs and /v1/jobs/{id}: lists jobs and returns their reports. */
import { jobTooLarge, Rejection } from '../../terms/errors.ts';
import { firstIdAt, isRequestId } from '../../names/request-id.ts';
import { MAX_JOB_BYTES } from '../../report/bounds.ts';
import {
  type Job,
  type JobDocument,
  type JobStore,
  type KeptFeedback,
  TOO_LARGE,
} from '../../stores/ports.ts';
import { ownTurn } from '../../threads/own-turn.ts';
import { VERDICTS } from '../../terms/verdict.ts';
import { dateTime } from '../date-time.ts';
import { BLOCKED } from '../documents/examples.ts';
import { answer, idOf } from '../documents/operation.ts';
import { BEFORE_JOB, integer, optional, PAGE, sourceName, time, timeIn, wordSchema } from '../parameters.ts';
import { route } from '../route.ts';
import type { UnsentBytes } from '../unsent-bytes.ts';
import { CompleteJob, EXAMPLE, JobList, PROFILE } from './schema.ts';

interface Dependencies {
  jobs: Pick<JobStore, 'list' | 'find' | 'feedback'>;
  unsent: UnsentBytes;
}

/** Of a job in the list: a source has 200 characters, of at most 6 bytes each in JSON. */
const ENTRY_BYTES = 1536;

const list = route('GET /v1/jobs', {
  operationId: 'listJobs',
  tag: 'Jobs',
  summary: 'List jobs',
  description: 'Newest first. The service is configured how long it stores jobs.',
  query: {
    limit: integer('Jobs per page', PAGE),
    source: sourceName('Only jobs of this source'),
    status: optional('Only jobs with this verdict: PASS, WARN or BLOCK', wordSchema(VERDICTS)),
    from: time('Only jobs of requests that began at this time or later'),
    to: time('Only jobs of requests that began before this time'),
    before: BEFORE_JOB,
  },
  answers: { 200: answer('The jobs', JobList, { jobs: { jobs: [EXAMPLE] } }) },
  async handle({ request, caller: { account }, query }, deps: Dependencies) {
    const { limit, source, status, before } = query;
    await deps.unsent.reserve(request, account.id, limit * ENTRY_BYTES);
    const [from, to] = [timeIn(query.from), timeIn(query.to)];
    // Ids sort by time, so `to` is the same as `before` with the first id of that time.
    const end = to === undefined ? before : firstIdAt(to);
    const jobs = await deps.jobs.list(account.id, {
      limit,
      source,
      status,
      from: from === undefined ? undefined : firstIdAt(from),
      before: before !== undefined && before < end! ? before : end,
    });
    return { jobs: jobs.map(entryOf) };
  },
});

const find = route('GET /v1/jobs/:id', {
  operationId: 'findJob',
  tag: 'Jobs',
  summary: 'Get a job with its report and field profiles',
  params: idOf('job', EXAMPLE.id),
  answers: {
    200: answer('The job', CompleteJob, { blocked: { ...EXAMPLE, report: BLOCKED, profile: PROFILE } }),
  },
  refusals: ['NOT_FOUND', 'PAYLOAD_TOO_LARGE'],
  messages: { PAYLOAD_TOO_LARGE: jobTooLarge().message },
  async handle({ request, caller: { account }, id }, deps: Dependencies) {
    await deps.unsent.reserve(request, account.id, MAX_JOB_BYTES);
    await ownTurn();
    const found = isRequestId(id) ? await deps.jobs.find(account.id, id) : null;
    // The same message whether the id is unknown or belongs to another account.
    if (found === null) throw new Rejection('NOT_FOUND', 'The account has no job with this id');
    if (found.document === TOO_LARGE) throw jobTooLarge();
    const said = (await deps.jobs.feedback(account.id, id)).map(feedbackOf);
    const head = { ...entryOf(found.job), ...(said.length > 0 && { feedback: said }) };
    return new Response(completeJob(head, found.document), { headers: JSON_TYPE });
  },
});

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

export const jobRoutes = [list, find];
