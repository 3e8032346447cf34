/** API description of /v1/schema, /v1/schema/{source} and its history. */
import { Type } from '@sinclair/typebox';
import { answer, operation } from './operation.ts';
import { BEFORE, integerInQuery, SOURCE_IN_PATH, sourceInQuery } from './parameters.ts';
import { CALLER, refusals } from './refusals.ts';
import { MODES } from '../../options/options.ts';
import { Advice, DriftEvent, FIELD_TYPE, HEALTH, verdict } from '../../contract/report.ts';
import { BLOCKED, DRIFTED } from './examples.ts';
import {
  byName,
  count,
  largeCount,
  dateTime,
  flag,
  JOB_ID,
  orNull,
  SOURCE,
  share,
  text,
  word,
} from '../../contract/values.ts';

const SIZE = {
  batches: count('Number of batches learned'),
  rows: largeCount('Number of rows learned'),
};
const LAST_SEEN = orNull(dateTime('Time of its newest job; null if no job is stored'));

const BaselineList = Type.Object(
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

const Baseline = Type.Object(
  {
    source: SOURCE,
    ...SIZE,
    provisional: flag('Learned from a BLOCKed batch; the next batch that is not BLOCKed replaces it'),
    last_seen: LAST_SEEN,
    mode: word(MODES, 'Mode of the source, unless a request sets another'),
    pinned: flag('Whether the baseline stopped learning'),
    blocked_since: Type.Optional(BlockedRun),
    advice: Type.Optional(Type.Array(Advice)),
    fields: byName(BaselineField, 'Fields by name'),
  },
  { $id: 'Baseline' },
);

const Reset = Type.Object(
  {
    ok: flag('true'),
    reset: text('The source, or `all`'),
    message: text('What happened, for people'),
  },
  { $id: 'Reset' },
);

const HistoryEntry = Type.Object(
  {
    job_id: JOB_ID,
    created_at: dateTime('Time of the response'),
    status: verdict('The verdict'),
    health_score: HEALTH,
    rows_received: count('Rows in the request'),
    drift_count: count('Drift events'),
    drift: Type.Array(DriftEvent),
    null_rates: byName(share('Share of rows without a value'), 'Null rates by field'),
    null_rates_left_out: Type.Optional(
      count('Fields that `null_rates` lacks, where it would exceed 128 KiB; absent elsewhere'),
    ),
    too_large: Type.Optional(
      flag('Version 1.0 stored more than 1 MiB here: `drift` and `null_rates` are empty; absent elsewhere'),
    ),
  },
  { $id: 'HistoryEntry' },
);

const History = Type.Object(
  {
    source: SOURCE,
    batches: Type.Array(HistoryEntry),
    next: Type.Optional({
      ...JOB_ID,
      description: 'Where the page ends because it has 2 MiB: `before` of the next page',
    }),
  },
  { $id: 'History' },
);

const SIZED = { source: 'orders', batches: 12, rows: 14400, last_seen: '2026-11-21T15:38:07.472Z' };
const BAD_SOURCE = { INVALID_PARAMETER: 'The source in the address must not be blank' };

export const LIST_BASELINES = operation({
  operationId: 'listBaselines',
  tags: ['Baselines'],
  summary: 'List sources with a baseline',
  parameters: [
    integerInQuery('limit', 'Sources per page', { min: 1, max: 200, fallback: 50 }),
    sourceInQuery('after', 'Pass the `next` of a page to get the following page'),
  ],
  responses: {
    200: answer('The sources', BaselineList, {
      sources: { sources: [{ ...SIZED, owner: 'team-checkout', tags: ['billing'] }], next: 'orders' },
    }),
    ...refusals(['INVALID_PARAMETER', ...CALLER]),
  },
});

export const DESCRIBE_BASELINE = operation({
  operationId: 'describeBaseline',
  tags: ['Baselines'],
  summary: 'Describe a baseline',
  parameters: [SOURCE_IN_PATH],
  responses: {
    200: answer('The baseline', Baseline, {
      orders: {
        ...SIZED,
        provisional: false,
        mode: 'contract',
        pinned: false,
        fields: {
          amount: {
            type: 'number',
            presence: 1,
            null_rate: 0.02,
            empty_rate: null,
            distinct_ratio: 0.93,
            approx_distinct: 9871,
            low_cardinality: null,
            quantiles: { '0': 0.5, '0.25': 12, '0.5': 40.2, '0.75': 88, '1': 1450 },
          },
        },
      },
    }),
    ...refusals(['INVALID_PARAMETER', 'NOT_FOUND', ...CALLER], {
      ...BAD_SOURCE,
      NOT_FOUND: "The source 'orders' has no baseline",
    }),
  },
});

export const RESET_BASELINE = operation({
  operationId: 'resetBaseline',
  tags: ['Baselines'],
  summary: 'Reset the baseline of a source',
  description:
    'Works without a baseline too. The next batch creates a new one. Settings stay, the old baseline is stored as a version, and a pin ends.',
  parameters: [SOURCE_IN_PATH],
  responses: {
    200: answer('The baseline is reset', Reset, {
      orders: {
        ok: true,
        reset: 'orders',
        message: "The source 'orders' now has no baseline; its next batch creates one",
      },
    }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], BAD_SOURCE),
  },
});

export const RESET_ALL = operation({
  operationId: 'resetAllBaselines',
  tags: ['Baselines'],
  summary: 'Reset the baselines of all sources',
  description: 'Takes no parameters. Settings and stored versions stay; pins end.',
  responses: {
    200: answer('The baselines are reset', Reset, {
      all: { ok: true, reset: 'all', message: 'No source has a baseline now; its next batch creates one' },
    }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], {
      INVALID_PARAMETER:
        'This address resets every source and takes no parameters; to reset one source, add it to the path',
    }),
  },
});

export const HISTORY = operation({
  operationId: 'sourceHistory',
  tags: ['Jobs'],
  summary: 'List the batches of a source, for charts',
  description: 'Newest first; empty for a source that was never screened.',
  parameters: [
    SOURCE_IN_PATH,
    integerInQuery('limit', 'Batches per page', { min: 1, max: 200, fallback: 50 }),
    BEFORE,
  ],
  responses: {
    200: answer('The batches', History, {
      orders: {
        source: 'orders',
        batches: [
          {
            job_id: DRIFTED.request_id,
            created_at: DRIFTED.timestamp,
            status: 'WARN',
            health_score: 0.8,
            rows_received: 1200,
            drift_count: 1,
            drift: DRIFTED.drift,
            null_rates: { order_id: 0, coupon: 0 },
          },
          {
            job_id: BLOCKED.request_id,
            created_at: BLOCKED.timestamp,
            status: 'BLOCK',
            health_score: 0.2813,
            rows_received: 2,
            drift_count: 0,
            drift: [],
            null_rates: { order_id: 0, amount: 0, email: 0.5 },
          },
        ],
      },
    }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], BAD_SOURCE),
  },
});
