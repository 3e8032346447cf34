/** Answers of /v1/schema/{source}/trends. */
import { Type } from '@sinclair/typebox';
import { verdict } from '../../report-schema/report.ts';
import { dateTime, flag, JOB_ID, orNull, SOURCE, text } from '../../report-schema/values.ts';

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

export const Trends = Type.Object(
  {
    source: SOURCE,
    field: orNull(text('The field; null: the batch as a whole')),
    batches: Type.Array(TrendBatch, { description: 'Oldest first' }),
    statistics: Type.Array(Trend),
  },
  { $id: 'Trends' },
);
