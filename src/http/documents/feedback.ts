/** API description of /v1/schema/{source}/accept and /feedback. */
import { Type } from '@sinclair/typebox';
import { answer, json, operation } from './operation.ts';
import { SOURCE_IN_PATH } from './parameters.ts';
import { CALLER, JSON_BODY, NO_ROOM, refusals } from './refusals.ts';
import { Advice } from '../../contract/report.ts';
import { BLOCKED } from './examples.ts';
import { flag, JOB_ID, SOURCE, text, word } from '../../contract/values.ts';

const Taught = Type.Object(
  {
    ok: flag('true'),
    source: SOURCE,
    job_id: JOB_ID,
    changed: flag('Whether the baseline has changed; false if the same feedback was given before'),
    message: text('What happened, for people'),
    advice: Type.Optional(
      Type.Array(Advice, {
        description: 'Thresholds that must be set too: in contract mode they apply whatever is normal',
      }),
    ),
  },
  { $id: 'Taught' },
);

const JOB = { job_id: BLOCKED.request_id };
const REFUSED = {
  ...NO_ROOM,
  INVALID_PARAMETER: 'job_id must be a job id, req_ and 26 letters and digits',
  NOT_FOUND: "The source 'orders' has no job of that id",
};

export const ACCEPT = operation({
  operationId: 'acceptBatch',
  tags: ['Baselines'],
  summary: 'Accept a batch as the new normal',
  description:
    'Every field that differed restarts from this batch with its type, rates and values; a field that the batch lacks is no longer expected. The other ' +
    'fields learn the batch as usual. The old baseline is stored as a version. Rows of a BLOCK are not stored: send them again, with a new Idempotency-Key, because ' +
    'the old one gets the old answer for 24 hours. Until the next batch, the incident of the source says who accepted it, and reminds nobody.',
  parameters: [SOURCE_IN_PATH],
  requestBody: {
    required: true,
    content: json(Type.Object({ job_id: JOB_ID }, { $id: 'AcceptRequest' }), { blocked: JOB }),
  },
  responses: {
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
    ...refusals(['NOT_FOUND', 'TOO_LATE', 'PLAN_LIMIT_EXCEEDED', ...JSON_BODY, ...CALLER], {
      ...REFUSED,
      TOO_LATE: 'The state of the batch is not kept: the message says why, and what to do',
    }),
  },
});

export const FEEDBACK = operation({
  operationId: 'giveFeedback',
  tags: ['Baselines'],
  summary: 'Give feedback on a batch: expected or bad',
  description:
    'An expected batch is added to the history, a bad batch is removed from it. Only the newest 16 to 32 learned batches can be removed; ' +
    'for older ones roll back to a version.',
  parameters: [SOURCE_IN_PATH],
  requestBody: {
    required: true,
    content: json(
      Type.Object(
        { job_id: JOB_ID, verdict: word(['expected', 'bad'], 'The feedback') },
        { $id: 'FeedbackRequest' },
      ),
      { expected: { ...JOB, verdict: 'expected' }, bad: { ...JOB, verdict: 'bad' } },
    ),
  },
  responses: {
    200: answer('The feedback is applied', Taught, {
      bad: {
        ok: true,
        source: 'orders',
        ...JOB,
        changed: true,
        message: 'The batch is no longer part of the history',
      },
    }),
    ...refusals(['NOT_FOUND', 'TOO_LATE', 'PLAN_LIMIT_EXCEEDED', ...JSON_BODY, ...CALLER], REFUSED),
  },
});
