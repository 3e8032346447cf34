/** POST /v1/schema/{source}/accept and /feedback: what a person says of a batch. */
import { Elysia } from 'elysia';
import { Rejection } from '../errors.ts';
import { isRequestId } from '../intake/request-id.ts';
import type { UploadLimits } from '../intake/upload.ts';
import {
  acceptBatch,
  type JobReference,
  giveFeedback,
  type FeedbackResult,
  type FeedbackDependencies,
} from '../feedback.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { ACCEPT, FEEDBACK } from './documents/teaching.ts';
import { type JsonObject, jsonBody } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { sourceInPath } from './source-path.ts';

export interface TeachingRouteDependencies extends CallerDependencies, UploadLimits, FeedbackDependencies {}

const ACCEPTED = '/v1/schema/:source/accept';
const SPOKEN_OF = '/v1/schema/:source/feedback';

export const teachingRoutes = (deps: TeachingRouteDependencies) =>
  new Elysia()
    .post(ACCEPTED, ({ request }) => accepted(request, deps), { parse: 'none', detail: ACCEPT })
    .all(ACCEPTED, otherMethods('POST'))
    .post(SPOKEN_OF, ({ request }) => spokenOf(request, deps), { parse: 'none', detail: FEEDBACK })
    .all(SPOKEN_OF, otherMethods('POST'));

async function accepted(request: Request, deps: TeachingRouteDependencies) {
  const { spoken } = await spokenIn(request, deps);
  return answerWith(spoken, await acceptBatch(spoken, deps));
}

async function spokenOf(request: Request, deps: TeachingRouteDependencies) {
  const { spoken, body } = await spokenIn(request, deps);
  const { verdict } = body;
  if (verdict !== 'expected' && verdict !== 'bad')
    throw new Rejection('INVALID_PARAMETER', 'verdict must be expected or bad');
  return answerWith(spoken, await giveFeedback(spoken, verdict, deps));
}

async function spokenIn(
  request: Request,
  deps: TeachingRouteDependencies,
): Promise<{ spoken: JobReference; body: JsonObject }> {
  const { account } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const body = await jsonBody(request, deps);
  const { job_id: job } = body;
  if (typeof job !== 'string' || !isRequestId(job))
    throw new Rejection(
      'INVALID_PARAMETER',
      'job_id must be the id of a job, req_ and 26 letters and digits',
    );
  return { spoken: { account: account.id, source, job }, body };
}

const answerWith = ({ source, job }: JobReference, { changed, message, advice }: FeedbackResult) => ({
  ok: true,
  source,
  job_id: job,
  changed,
  message,
  ...(advice.length > 0 && { advice }),
});
