/** Requests and answers of /v1/schema/{source}/accept and /feedback. */
import { Type } from '@sinclair/typebox';
import { Advice } from '../../report-schema/report.ts';
import { flag, JOB_ID, SOURCE, text, word } from '../../report-schema/values.ts';

export const Taught = Type.Object(
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

export const AcceptRequest = Type.Object({ job_id: JOB_ID }, { $id: 'AcceptRequest' });

export const FeedbackRequest = Type.Object(
  { job_id: JOB_ID, verdict: word(['expected', 'bad'], 'The feedback') },
  { $id: 'FeedbackRequest' },
);
