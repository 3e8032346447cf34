/** POST /v1/schema/{source}/accept and /feedback: a user's feedback on a batch. */
import { Elysia } from 'elysia';
import { boundsOf, type StorageLimits } from '../account/storage.ts';
import { Rejection } from '../errors.ts';
import {
  acceptBatch,
  type FeedbackDependencies,
  type FeedbackResult,
  type JobReference,
  recordFeedback,
} from '../feedback.ts';
import { isRequestId } from '../intake/request-id.ts';
import type { UploadLimits } from '../intake/upload.ts';
import type { JsonObject } from '../json-object.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { ACCEPT, FEEDBACK } from './documents/feedback.ts';
import { jsonBody } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { sourceInPath } from './source-path.ts';

export interface FeedbackRouteDependencies
  extends CallerDependencies,
    UploadLimits,
    FeedbackDependencies,
    StorageLimits {
  now: () => number;
}

const ACCEPT_PATH = '/v1/schema/:source/accept';
const FEEDBACK_PATH = '/v1/schema/:source/feedback';

export const feedbackRoutes = (deps: FeedbackRouteDependencies) =>
  new Elysia()
    .post(ACCEPT_PATH, ({ request }) => accept(request, deps), { parse: 'none', detail: ACCEPT })
    .all(ACCEPT_PATH, otherMethods('POST'))
    .post(FEEDBACK_PATH, ({ request }) => giveFeedback(request, deps), { parse: 'none', detail: FEEDBACK })
    .all(FEEDBACK_PATH, otherMethods('POST'));

async function accept(request: Request, deps: FeedbackRouteDependencies) {
  const { reference } = await readRequest(request, deps);
  return responseOf(reference, await acceptBatch(reference, deps));
}

async function giveFeedback(request: Request, deps: FeedbackRouteDependencies) {
  const { reference, body } = await readRequest(request, deps);
  const { verdict } = body;
  if (verdict !== 'expected' && verdict !== 'bad')
    throw new Rejection('INVALID_PARAMETER', 'verdict must be expected or bad');
  return responseOf(reference, await recordFeedback(reference, verdict, deps));
}

async function readRequest(
  request: Request,
  deps: FeedbackRouteDependencies,
): Promise<{ reference: JobReference; body: JsonObject }> {
  const { account, key, who } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const body = await jsonBody(request, deps);
  const { job_id: job } = body;
  if (typeof job !== 'string' || !isRequestId(job))
    throw new Rejection('INVALID_PARAMETER', 'job_id must be a job id, req_ and 26 letters and digits');
  const by = { by: key, who, at: deps.now() };
  return { reference: { account: account.id, bounds: boundsOf(account, deps), source, job, ...by }, body };
}

const responseOf = ({ source, job }: JobReference, { changed, message, advice }: FeedbackResult) => ({
  ok: true,
  source,
  job_id: job,
  changed,
  message,
  ...(advice.length > 0 && { advice }),
});
