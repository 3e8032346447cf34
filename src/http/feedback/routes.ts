/** POST /v1/schema/{source}/accept and /feedback: a user's feedback on a batch. */
import { boundsOf, type StorageLimits } from '../../account/storage.ts';
import {
  acceptBatch,
  type FeedbackDependencies,
  type FeedbackResult,
  type JobReference,
  recordFeedback,
} from '../../sources/feedback.ts';
import type { Identity } from '../../stores/ports.ts';
import { BLOCKED } from '../documents/examples.ts';
import { answer } from '../documents/operation.ts';
import { route } from '../route.ts';
import { AcceptRequest, FeedbackRequest, Taught } from './schema.ts';

interface Dependencies extends FeedbackDependencies, StorageLimits {
  now(): number;
}

const JOB = { job_id: BLOCKED.request_id };
const NO_JOB = { NOT_FOUND: "The source 'orders' has no job of that id" };

const accept = route('POST /v1/schema/:source/accept', {
  operationId: 'acceptBatch',
  tag: 'Baselines',
  summary: 'Accept a batch as the new normal',
  description:
    'Every field that differed restarts from this batch with its type, rates and values; a field that the batch lacks is no longer expected. The other ' +
    'fields learn the batch as usual. The old baseline is stored as a version. Rows of a BLOCK are not stored: send them again, with a new Idempotency-Key, because ' +
    'the old one gets the old answer for 24 hours. Until the next batch, the incident of the source says who accepted it, and reminds nobody.',
  body: { schema: AcceptRequest, examples: { blocked: JOB } },
  answers: {
    200: answer('The batch is accepted', Taught, {
      accepted: {
        ok: true,
        source: 'orders',
        ...JOB,
        changed: true,
        message:
          "The batch is the normal of 'orders' now: its fields are expected as they are in it. Its rows are not stored here: send them again, with a new Idempotency-Key if they had one, since the old one still gets the old answer",
      },
    }),
  },
  refusals: ['NOT_FOUND', 'TOO_LATE', 'PLAN_LIMIT_EXCEEDED'],
  messages: {
    ...NO_JOB,
    TOO_LATE: 'The state of the batch is not kept: the message says why, and what to do',
  },
  async handle({ caller, source, body }, deps: Dependencies) {
    const reference = referenceOf(caller, source, body.job_id, deps);
    return responseOf(reference, await acceptBatch(reference, deps));
  },
});

const giveFeedback = route('POST /v1/schema/:source/feedback', {
  operationId: 'giveFeedback',
  tag: 'Baselines',
  summary: 'Give feedback on a batch: expected or bad',
  description:
    'An expected batch is added to the history, a bad batch is removed from it. Only the newest 16 to 32 learned batches can be removed; ' +
    'for older ones roll back to a version.',
  body: {
    schema: FeedbackRequest,
    examples: { expected: { ...JOB, verdict: 'expected' }, bad: { ...JOB, verdict: 'bad' } },
  },
  answers: {
    200: answer('The feedback is applied', Taught, {
      bad: {
        ok: true,
        source: 'orders',
        ...JOB,
        changed: true,
        message: 'The batch is no longer part of the history',
      },
    }),
  },
  refusals: ['NOT_FOUND', 'TOO_LATE', 'PLAN_LIMIT_EXCEEDED'],
  messages: NO_JOB,
  async handle({ caller, source, body }, deps: Dependencies) {
    const reference = referenceOf(caller, source, body.job_id, deps);
    return responseOf(reference, await recordFeedback(reference, body.verdict, deps));
  },
});

const referenceOf = ({ account, key, who }: Identity, source: string, job: string, deps: Dependencies) => ({
  ...{ account: account.id, bounds: boundsOf(account, deps), source, job },
  ...{ by: key, who, at: deps.now() },
});

const responseOf = ({ source, job }: JobReference, { changed, message, advice }: FeedbackResult) => ({
  ok: true,
  source,
  job_id: job,
  changed,
  message,
  ...(advice.length > 0 && { advice }),
});

export const feedbackRoutes = [accept, giveFeedback];
