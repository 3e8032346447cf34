/** API description of GET /v1/schema/{source}/trends. */
import { Type } from '@sinclair/typebox';
import { verdict } from '../../contract/report.ts';
import { dateTime, flag, JOB_ID, orNull, SOURCE, text } from '../../contract/values.ts';
import { BLOCKED } from './examples.ts';
import { answer, operation } from './operation.ts';
import { SOURCE_IN_PATH } from './parameters.ts';
import { CALLER, refusals } from './refusals.ts';

const numbers = (description: string) => Type.Array(orNull(Type.Number()), { description });

const TrendBatch = Type.Object(
  {
    job_id: JOB_ID,
    created_at: dateTime('When it was screened'),
    status: verdict('The verdict'),
    learned: flag('Whether the baseline learned it'),
  },
  { $id: 'TrendBatch' },
);

const Trend = Type.Object(
  {
    statistic: text('Name of the statistic, as in `anomalies`'),
    label: text('Its name for people'),
    unit: text('share (0 to 1), value (of the field itself), widths, characters, hours or rows'),
    values: numbers('Value of each batch; null where the batch lacks the statistic'),
    usual: numbers('Expected value, from the batches before it; null for the first batches'),
    low: numbers('Lower bound: a value from `low` to `high` raises no alarm; null: no bound'),
    high: numbers('Upper bound; null: no bound'),
    alarms: Type.Array(orNull(text('warn or block, where the report of the batch calls it unusual'))),
  },
  { $id: 'Trend', description: 'Each list has one entry a batch, in the order of `batches`' },
);

const Trends = Type.Object(
  {
    source: SOURCE,
    field: orNull(text('The field; null: the batch as a whole')),
    batches: Type.Array(TrendBatch, { description: 'Oldest first' }),
    statistics: Type.Array(Trend),
  },
  { $id: 'Trends' },
);

export const TRENDS = operation({
  operationId: 'sourceTrends',
  tags: ['Baselines'],
  summary: 'Get the statistics of a field over the newest batches',
  description:
    'The newest batches that the baseline learned (at most 32), and the BLOCKed batches among the newest 60 jobs (at most 16), which it did not learn. The bounds are those of the judge: each batch is ' +
    'compared with those before it. Empty for a source or a field that is not known.',
  parameters: [
    SOURCE_IN_PATH,
    {
      name: 'field',
      in: 'query',
      required: false,
      description: 'Name of the field; absent: statistics of the batch as a whole',
      schema: Type.String(),
    },
  ],
  responses: {
    200: answer('The statistics', Trends, {
      orders: {
        source: 'orders',
        field: 'amount',
        batches: [
          {
            job_id: BLOCKED.request_id,
            created_at: BLOCKED.timestamp,
            status: 'BLOCK',
            learned: false,
          },
        ],
        statistics: [
          {
            statistic: 'null_rate',
            label: 'share of nulls',
            unit: 'share',
            values: [0.4],
            usual: [0.02],
            low: [0],
            high: [0.09],
            alarms: ['block'],
          },
        ],
      },
    }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], {
      INVALID_PARAMETER: 'The source in the address must not be blank; field may be given once',
    }),
  },
});
