/** Documents of /v1/schema/{source}/accept and /feedback. */
import { Type } from '@sinclair/typebox';
import { answer, json, operation } from './operation.ts';
import { SOURCE_IN_PATH } from './parameters.ts';
import { CALLER, JSON_BODY, refusals } from './refusals.ts';
import { Advice } from '../../contract/report.ts';
import { BLOCKED } from './examples.ts';
import { flag, JOB_ID, SOURCE, text, word } from '../../contract/values.ts';

const Taught = Type.Object(
  {
    ok: flag('true'),
    source: SOURCE,
    job_id: JOB_ID,
    changed: flag('Whether the baseline is another now; false where it was said before'),
    message: text('What follows, for people'),
    advice: Type.Optional(
      Type.Array(Advice, {
        description: 'What has to be set besides: thresholds of contract mode hold whatever is normal',
      }),
    ),
  },
  { $id: 'Taught' },
);

const JOB = { job_id: BLOCKED.request_id };
const REFUSED = {
  INVALID_PARAMETER: 'job_id must be the id of a job, req_ and 26 letters and digits',
  NOT_FOUND: "The source 'orders' has no job of that id",
};

export const ACCEPT = operation({
  operationId: 'acceptBatch',
  tags: ['Baselines'],
  summary: 'Make a batch the new normal',
  description:
    'Every field in which the batch differed begins anew with it: type, rates, values; a field that it lacks is no longer expected. The other ' +
    'fields learn it as any batch. What was there before is kept as a version.',
  parameters: [SOURCE_IN_PATH],
  requestBody: {
    required: true,
    content: json(Type.Object({ job_id: JOB_ID }, { $id: 'AcceptRequest' }), { blocked: JOB }),
  },
  responses: {
    200: answer('It is the normal', Taught, {
      accepted: {
        ok: true,
        source: 'orders',
        ...JOB,
        changed: true,
        message: "The batch is the normal of 'orders' now: its fields are expected as they are in it",
      },
    }),
    ...refusals(['NOT_FOUND', 'TOO_LATE', ...JSON_BODY, ...CALLER], {
      ...REFUSED,
      TOO_LATE: 'The batch was learnt long ago and is kept no longer: speak of a newer one',
    }),
  },
});

export const FEEDBACK = operation({
  operationId: 'giveFeedback',
  tags: ['Baselines'],
  summary: 'Say of a batch that it was expected, or bad',
  description:
    'One that was expected joins the history, one that was bad leaves it. Only the newest 16 to 32 batches that were learnt can leave it; ' +
    'behind those the way back is a version.',
  parameters: [SOURCE_IN_PATH],
  requestBody: {
    required: true,
    content: json(
      Type.Object(
        { job_id: JOB_ID, verdict: word(['expected', 'bad'], 'What the batch was') },
        { $id: 'FeedbackRequest' },
      ),
      { expected: { ...JOB, verdict: 'expected' }, bad: { ...JOB, verdict: 'bad' } },
    ),
  },
  responses: {
    200: answer('It is noted', Taught, {
      bad: {
        ok: true,
        source: 'orders',
        ...JOB,
        changed: true,
        message: 'The batch is no longer part of the history',
      },
    }),
    ...refusals(['NOT_FOUND', 'TOO_LATE', ...JSON_BODY, ...CALLER], REFUSED),
  },
});
