/** Answers of /v1/schema and /v1/schema/{source}. */
import { Type } from '@sinclair/typebox';
import { Advice, FIELD_TYPE } from '../../report-schema/report.ts';
import {
  byName,
  count,
  dateTime,
  flag,
  JOB_ID,
  largeCount,
  orNull,
  SOURCE,
  share,
  text,
  word,
} from '../../report-schema/values.ts';
import { ASKED_MODES } from '../../options/options.ts';

const SIZE = { batches: count('Number of batches learned'), rows: largeCount('Number of rows learned') };
const LAST_SEEN = orNull(dateTime('Time of its newest job; null if no job is stored'));

export const BaselineList = Type.Object(
  {
    sources: Type.Array(
      Type.Object(
        {
          source: SOURCE,
          ...SIZE,
          last_seen: LAST_SEEN,
          owner: Type.Optional(text('Who answers for the source; absent if the settings do not say')),
          tags: Type.Optional(
            Type.Array(text('A tag of the settings'), { description: 'Absent without tags' }),
          ),
        },
        { $id: 'BaselineSize' },
      ),
    ),
    next: Type.Optional(text('Pass it as `after` to get the next page; absent on the last page')),
  },
  { $id: 'BaselineList' },
);

const BaselineField = Type.Object(
  {
    type: FIELD_TYPE,
    presence: orNull(share('Share of rows that have the field, including nulls')),
    null_rate: orNull(share('Share of rows without a value')),
    empty_rate: orNull(share('Share of empty strings among strings')),
    distinct_ratio: orNull(share('Distinct values divided by values, in a batch')),
    approx_distinct: orNull(
      largeCount(
        'Estimated number of distinct values ever seen; standard error 4.6%. Null where no values are kept',
      ),
    ),
    low_cardinality: orNull(count('Number of known values, if an unknown value would be drift')),
    quantiles: Type.Optional(byName(Type.Number(), 'Quantiles of the numbers, by probability')),
  },
  {
    $id: 'BaselineField',
    description: 'Averages. The weight of a batch halves every 10 batches. null: not known',
  },
);

const BlockedRun = Type.Object(
  {
    job_id: JOB_ID,
    timestamp: dateTime('Time of the first one'),
    batches: count('Number of batches'),
    last_job_id: JOB_ID,
  },
  { $id: 'BlockedRun', description: 'Present if the newest batches were BLOCKed for the same field' },
);

export const Baseline = Type.Object(
  {
    source: SOURCE,
    ...SIZE,
    provisional: flag('Learned from a BLOCKed batch; the next batch that is not BLOCKed replaces it'),
    last_seen: LAST_SEEN,
    mode: word(ASKED_MODES, 'Mode of the source, unless a request sets another'),
    pinned: flag('Whether the baseline stopped learning'),
    blocked_since: Type.Optional(BlockedRun),
    advice: Type.Optional(Type.Array(Advice)),
    fields: byName(BaselineField, 'Fields by name'),
  },
  { $id: 'Baseline' },
);

export const Reset = Type.Object(
  { ok: flag('true'), reset: text('The source, or `all`'), message: text('What happened, for people') },
  { $id: 'Reset' },
);

export const SIZED = { source: 'orders', batches: 12, rows: 14400, last_seen: '2026-11-21T15:38:07.472Z' };
