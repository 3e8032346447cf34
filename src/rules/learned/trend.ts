/**
 * The statistics of one field over the batches of a source, each with the forecast from the batches before it, as the judge would have made it then. For
 * charts.
 *
 * The alarm threshold is that of today, because it depends on all fields. BLOCKed batches, which the baseline did not learn, are also compared with the
 * batches before them.
 */
import type { Baseline } from '../../baseline/baseline.ts';
import type { BatchStatistics } from '../../baseline/batch-statistics.ts';
import {
  BATCH_STATISTICS,
  FIELD_STATISTICS,
  NEIGHBOUR_STATISTICS,
  PLACE,
} from '../../statistics/registry.ts';
import type { Reading, Statistic } from '../../statistics/statistic.ts';
import { expectedRange } from './compare.ts';
import { type FittedField, type FittedStatistic, judgedIn } from './fitted-statistic.ts';
import type { Forecast } from './forecast.ts';
import { fitPart } from './history.ts';
import { arrivalAfter, type Part, partOf, readingOf } from './part.ts';

/** One batch's value, on the scale on which people know it. */
export interface TrendPoint {
  value: number;
  /** Null where nothing was expected: the first batches show what is usual. */
  expected: Expected | null;
}

export interface Expected {
  usual: number;
  /** Null: no bound to that side. */
  low: number | null;
  high: number | null;
}

export interface Trend {
  statistic: Pick<Statistic, 'id' | 'label' | 'unit'>;
  /** One a batch; null where the batch has nothing to read. */
  points: (TrendPoint | null)[];
}

export interface TrendOptions {
  /** Null: the batch as a whole. */
  field: string | null;
  settleAfter: number;
  /** As `surpriseAtWarn` says. */
  surpriseAtWarn(statistic: Statistic): number;
}

/** Of all statistics that at least one of the batches has. `batches`: in the order of time. */
export function trendsIn(
  baseline: Baseline | null,
  batches: readonly BatchStatistics[],
  options: TrendOptions,
): Trend[] {
  const { field } = options;
  const statistics = field === null ? BATCH_STATISTICS : [...FIELD_STATISTICS, ...NEIGHBOUR_STATISTICS];
  const trends = statistics.map(statistic => ({ statistic, points: [] as Trend['points'] }));
  let fitted: FittedField | null = null;
  let fittedTo = 0;
  for (const batch of batches) {
    const before = baseline?.recent.filter(({ id }) => id < batch.id).length ?? 0;
    if (before > 0 && before !== fittedTo) {
      fitted = fitPart(baselineOf(baseline!, before), field, options.settleAfter);
      fittedTo = before;
    }
    const known = baseline && baselineOf(baseline, before);
    const part = partOf(batch, field, arrivalAfter(known?.recent.at(-1), batch.at, known?.batches ?? 0));
    for (const { statistic, points } of trends)
      points.push(part && pointOf(statistic, fitted, part, options));
  }
  return trends
    .filter(({ points }) => points.some(point => point !== null))
    .map(({ statistic: { id, label, unit }, points }) => ({ statistic: { id, label, unit }, points }));
}

/** As it was before the later ones of its newest batches. */
const baselineOf = (baseline: Baseline, recent: number): Baseline => ({
  ...baseline,
  recent: baseline.recent.slice(0, recent),
  batches: baseline.batches - (baseline.recent.length - recent),
});

function pointOf(
  statistic: Statistic,
  fitted: FittedField | null,
  part: Part,
  { surpriseAtWarn }: TrendOptions,
): TrendPoint | null {
  const reading = readingOf(statistic, part, part.isWhole ? 0 : part.read(PLACE.neighbour));
  if (!reading) return null;
  const of = fitted?.statistics.find(each => each.statistic === statistic);
  const now = of && judgedIn(of, part, fitted!.neighbour);
  const forecast = now ? forecastOf(of!, now, part) : null;
  const expected = forecast && expectedOf(statistic, forecast, surpriseAtWarn(statistic));
  if (statistic.kind !== 'distribution') return { value: shown(statistic, reading.value), expected };
  // The value of a distribution is its distance from the forecast.
  return forecast ? { value: forecast.step * forecast.distance, expected } : null;
}

/** Where a share is what it always was, nothing is known of its spread: then that of one cell more, or less. */
function forecastOf({ judge }: FittedStatistic, now: Reading, part: Part): Forecast | null {
  const forecast = judge.forecast(now, part);
  if (!forecast || forecast.step > 0) return forecast;
  const cell = 1 / now.size;
  const moved = { ...now, value: now.value > 0.5 ? now.value - cell : now.value + cell };
  return judge.forecast(moved, part) ?? forecast;
}

function expectedOf(statistic: Statistic, forecast: Forecast, surpriseAtLine: number): Expected | null {
  const [low, high] = expectedRange({ statistic, forecast }, surpriseAtLine);
  if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
  const isDistribution = statistic.kind === 'distribution';
  const bottom = statistic.kind === 'share' || isDistribution ? 0 : null;
  return {
    usual: isDistribution ? 0 : shown(statistic, forecast.expected),
    low: statistic.onlyRise ? bottom : low,
    high: isDistribution ? Math.min(1, high) : high,
  };
}

const shown = ({ inverse }: Statistic, value: number): number => inverse?.(value) ?? value;
