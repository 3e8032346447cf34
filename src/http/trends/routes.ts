/** GET /v1/schema/{source}/trends: the statistics of a field over the batches, for charts. */
import { Type } from '@sinclair/typebox';
import type { Anomaly } from '../../report-schema/report.ts';
import type { Trend } from '../../rules/learned/trend.ts';
import { type SourceTrends, type TrendDependencies, trendsOf } from '../../sources/source-trends.ts';
import { dateTime } from '../date-time.ts';
import { BLOCKED } from '../documents/examples.ts';
import { answer } from '../documents/operation.ts';
import { optional } from '../parameters.ts';
import { route } from '../route.ts';
import type { UnsentBytes } from '../unsent-bytes.ts';
import { Trends } from './schema.ts';

interface Dependencies extends TrendDependencies {
  unsent: UnsentBytes;
}

/** Of the answer: 48 batches and some 50 statistics, of four numbers each. */
const MAX_TRENDS_BYTES = 256 * 1024;

const trends = route('GET /v1/schema/:source/trends', {
  operationId: 'sourceTrends',
  tag: 'Baselines',
  summary: 'Get the statistics of a field over the newest batches',
  description:
    'The newest batches that the baseline learned (at most 32), and the BLOCKed batches among the newest 60 jobs (at most 16), which it did not learn. The bounds are those of the judge: each batch is ' +
    'compared with those before it. Empty for a source or a field that is not known.',
  // An empty name is that of a field, too.
  query: { field: optional('Name of the field; absent: statistics of the batch as a whole', Type.String()) },
  answers: {
    200: answer('The statistics', Trends, {
      orders: {
        source: 'orders',
        field: 'amount',
        batches: [
          { job_id: BLOCKED.request_id, created_at: BLOCKED.timestamp, status: 'BLOCK', learned: false },
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
  },
  messages: { INVALID_PARAMETER: 'The source in the address must not be blank; field may be given once' },
  async handle({ request, caller: { account }, source, query }, deps: Dependencies) {
    const field = query.field ?? null;
    await deps.unsent.reserve(request, account.id, MAX_TRENDS_BYTES);
    const found = await trendsOf(account.id, source, field, deps);
    return {
      source,
      field,
      batches: found.batches.map(({ id, at, verdict, learned }) => ({
        job_id: id,
        created_at: dateTime(at),
        status: verdict,
        learned,
      })),
      statistics: found.trends.map(trend => entryOf(trend, found)),
    };
  },
});

function entryOf({ statistic, points }: Trend, { batches, anomalies }: SourceTrends) {
  const { id, label, unit } = statistic;
  const alarms = batches.map(batch => (anomalies.get(batch.id) ?? []).find(each => each.statistic === id));
  return {
    statistic: id,
    label,
    unit,
    values: points.map(point => rounded(point?.value)),
    usual: points.map(point => rounded(point?.expected?.usual)),
    // Where there was an alarm, what its report said would have passed.
    low: points.map((point, i) => rounded(toldBy(alarms[i], 0) ?? point?.expected?.low)),
    high: points.map((point, i) => rounded(toldBy(alarms[i], 1) ?? point?.expected?.high)),
    alarms: alarms.map(alarm => alarm?.severity ?? null),
  };
}

const toldBy = (alarm: Anomaly | undefined, side: 0 | 1): number | undefined => alarm?.expected?.[side];

/** JSON has neither NaN nor infinity. */
const rounded = (value: number | null | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? Number(value.toPrecision(6)) : null;

export const trendRoutes = [trends];
