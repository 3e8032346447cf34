/** GET /v1/schema/{source}/trends: the statistics of a field over the batches, for charts. */
import { Elysia } from 'elysia';
import type { Anomaly } from '../contract/report.ts';
import type { Trend } from '../rules/learned/trend.ts';
import { type SourceTrends, type TrendDependencies, trendsOf } from '../source-trends.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { dateTime } from './date-time.ts';
import { TRENDS } from './documents/trends.ts';
import { otherMethods } from './methods.ts';
import { queryText } from './parameters.ts';
import { sourceInPath } from './source-path.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

export interface TrendRouteDependencies extends CallerDependencies, TrendDependencies {
  unsent: UnsentBytes;
}

const PATH = '/v1/schema/:source/trends';
/** Of the answer: 48 batches and some 50 statistics, of four numbers each. */
const MAX_TRENDS_BYTES = 256 * 1024;

export const trendRoutes = (deps: TrendRouteDependencies) =>
  new Elysia()
    .get(PATH, ({ request }) => trends(request, deps), { detail: TRENDS })
    .all(PATH, otherMethods('GET, HEAD'));

async function trends(request: Request, deps: TrendRouteDependencies): Promise<Response> {
  const { account } = await callerOf(request, deps);
  const source = sourceInPath(request);
  // An empty name is that of a field, too.
  const field = queryText(request, 'field') ?? null;
  await deps.unsent.reserve(request, account.id, MAX_TRENDS_BYTES);
  const found = await trendsOf(account.id, source, field, deps);
  return Response.json({
    source,
    field,
    batches: found.batches.map(({ id, at, verdict, learned }) => ({
      job_id: id,
      created_at: dateTime(at),
      status: verdict,
      learned,
    })),
    statistics: found.trends.map(trend => entryOf(trend, found)),
  });
}

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
