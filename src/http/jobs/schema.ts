/** Answers of /v1/jobs. */
import { Type } from '@sinclair/typebox';
import { Profile } from '../../report-schema/profile.ts';
import { HEALTH, Report, verdict } from '../../report-schema/report.ts';
import { count, dateTime, JOB_ID, orNull, SOURCE, text, word } from '../../report-schema/values.ts';
import { SAID } from '../../stores/ports.ts';
import { BLOCKED } from '../documents/examples.ts';

const JOB = {
  id: JOB_ID,
  source: SOURCE,
  status: verdict('The verdict'),
  health_score: HEALTH,
  rows_received: count('Rows in the request'),
  drift_count: count('Drift events'),
  latency_ms: count('Processing time in milliseconds'),
  created_at: dateTime('Time of the response'),
};

const Job = Type.Object(JOB, { $id: 'Job' });
export const JobList = Type.Object({ jobs: Type.Array(Job) }, { $id: 'JobList' });
const JobFeedback = Type.Object(
  {
    said: word(SAID, 'What was said of the batch'),
    by: orNull(text('Id of the API key; null: a person who was signed in')),
    at: dateTime('The last time that it was said'),
    who: Type.Optional(
      text(
        'Who said it, as it was then: the address of a person, or name and first letters of an API key; absent where that is no longer known',
      ),
    ),
    undone_at: Type.Optional(
      dateTime('When the baseline was reset or went back to a version; absent: not since it was said'),
    ),
  },
  { $id: 'JobFeedback' },
);
export const CompleteJob = Type.Object(
  {
    ...JOB,
    feedback: Type.Optional(
      Type.Array(JobFeedback, {
        description: 'Feedback that changed the baseline, in the order of time; absent without any',
      }),
    ),
    report: Report,
    profile: Profile,
  },
  { $id: 'CompleteJob' },
);

export const EXAMPLE = {
  id: BLOCKED.request_id,
  source: 'orders',
  status: 'BLOCK',
  health_score: 0.2813,
  rows_received: 2,
  drift_count: 0,
  latency_ms: 2,
  created_at: '2026-11-21T12:12:45.455Z',
};

const TYPES = { number: 0, boolean: 0, object: 0, array: 0, string: 0 };
export const PROFILE = {
  fields: {
    order_id: {
      present: 2,
      nulls: 0,
      null_rate: 0,
      empties: 0,
      types: { ...TYPES, string: 2 },
      values: 2,
      distinct: 2,
    },
    amount: {
      present: 2,
      nulls: 0,
      null_rate: 0,
      empties: 0,
      types: { ...TYPES, number: 1, string: 1 },
      values: 2,
      distinct: 2,
      numbers: {
        count: 1,
        min: 99.5,
        max: 99.5,
        mean: 99.5,
        standard_deviation: 0,
        quantiles: { '0.25': 99.5, '0.5': 99.5, '0.75': 99.5 },
        histogram: { low: 99.5, high: 99.5, counts: [1, ...Array<number>(19).fill(0)] },
      },
    },
    email: {
      present: 2,
      nulls: 1,
      null_rate: 0.5,
      empties: 0,
      types: { ...TYPES, string: 1 },
      values: 1,
      distinct: 1,
    },
  },
};
