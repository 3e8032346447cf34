/**
 * All statistics of a source's history, fitted: all that a verdict needs of the past and that does not depend on the batch. It costs milliseconds,
 * and is made once for a baseline. Pure: who holds the result is up to the caller.
 */
import type { Baseline } from '../../baseline/baseline.ts';
import { type BatchStatistics, readerOf } from '../../baseline/batch-statistics.ts';
import type { Fitter } from '../../baseline/fitted-cache.ts';
import type { CooperativeYield } from '../../cooperative-yield.ts';
import { MIN_BATCHES } from '../../policy.ts';
import { FIELD_STATISTICS, NEIGHBOUR_STATISTICS, PLACE, ROW_COUNT } from '../../statistics/registry.ts';
import type { At, Reading, Statistic } from '../../statistics/statistic.ts';
import type { FittedStatistic, WithHindcast } from './fitted-statistic.ts';
import { fit } from './forecast.ts';
import { limited } from './limited.ts';
import type { Observation } from './observation.ts';
import { pooledRanks, type RankOf } from './ranks.ts';

export interface History {
  batches: readonly BatchStatistics[];
  fitted: FittedStatistic[];
  /** Greatest surprise of each batch that had a forecast. */
  worst: number[];
}

export const fitHistory = (baseline: Baseline): History => {
  const batches = batchesOf(baseline);
  return historyFrom(batches, [
    ...fitRowCount(batches),
    ...[...fieldsOf(batches)].flatMap(field => fitField(field, batches)),
  ]);
};

/** The same a field at a time, so that other requests are served in between. */
export async function fitHistoryYielding(baseline: Baseline, yielding: CooperativeYield): Promise<History> {
  const batches = batchesOf(baseline);
  const fitted: WithHindcast[][] = [fitRowCount(batches)];
  for (const field of fieldsOf(batches)) {
    if (batches.length < MIN_BATCHES) break;
    fitted.push(fitField(field, batches));
    const others = yielding.yieldIfDue();
    if (others) await others;
  }
  return historyFrom(batches, fitted.flat());
}

/** To be held by the cache of the baselines. */
export const HISTORY_FITTER: Fitter<History> = {
  fit: fitHistoryYielding,
  sizeOf: ({ fitted }) => fitted.length,
};

/** In the order of time. */
const batchesOf = ({ provisional, recent }: Baseline): readonly BatchStatistics[] =>
  provisional ? [] : recent;

const fieldsOf = (batches: readonly BatchStatistics[]): Set<string> =>
  new Set(batches.flatMap(batch => [...batch.places.keys()]));

const fitField = (field: string, batches: readonly BatchStatistics[]): WithHindcast[] => [
  ...fitStatistics(field, FIELD_STATISTICS, batches, false),
  ...fitStatistics(field, NEIGHBOUR_STATISTICS, batches, true),
];

/** Of the hindcast only the greatest surprise of each batch is kept. */
const historyFrom = (batches: readonly BatchStatistics[], all: readonly WithHindcast[]): History => ({
  batches,
  worst: worstOf(all, batches.length),
  fitted: all.map(({ field, statistic, read, judge }) => ({ field, statistic, read, judge })),
});

function worstOf(fitted: readonly WithHindcast[], batches: number): number[] {
  const worst = new Float64Array(batches).fill(Number.NaN);
  for (const { hindcast } of fitted) {
    for (let i = 0; i < batches; i++) {
      const surprise = hindcast[i]!;
      if (!(surprise <= worst[i]!) && !Number.isNaN(surprise)) worst[i] = surprise;
    }
  }
  return [...worst].filter(each => !Number.isNaN(each));
}

/** A chunk's row count says nothing. */
function fitRowCount(batches: readonly BatchStatistics[]): WithHindcast[] {
  const read = (batch: BatchStatistics): Observation | null =>
    batch.chunk ? null : observed(ROW_COUNT.read(noField, batch.rows), batch.at);
  return fitOne(null, ROW_COUNT, batches.map(read), read);
}

const noField: At = () => 0;

/** `besideSame`: only batches count in which the field has the same neighbour as in the newest one. */
function fitStatistics(
  field: string,
  statistics: readonly Statistic[],
  batches: readonly BatchStatistics[],
  besideSame: boolean,
): WithHindcast[] {
  const readers = batches.map(batch => readerOf(batch, field));
  let ranks: RankOf | undefined;
  const rankOf: RankOf = value => {
    ranks ??= pooledRanks(readers);
    return ranks(value);
  };
  const newest = readers.findLast(each => each !== null)?.(PLACE.neighbour) ?? 0;
  const neighbour = besideSame ? newest : null;
  return statistics.flatMap(statistic => {
    const all = batches.map((batch, i) => observe(statistic, readers[i]!, batch, neighbour));
    const past = statistic.ignoresOldest ? withoutOldest(all) : all;
    const fitted = fitOne(field, statistic, past, observing(field, statistic, neighbour));
    return fitted.map(each => limited(each, { readers, batches, rankOf }));
  });
}

/** Without the oldest third, if enough are left. */
function withoutOldest(past: readonly (Observation | null)[]): (Observation | null)[] {
  const known = past.filter(each => each !== null);
  const oldest = new Set(known.slice(0, Math.min(Math.ceil(known.length / 3), known.length - MIN_BATCHES)));
  return past.map(each => (each && oldest.has(each) ? null : each));
}

/** `neighbour`: the one that the field must have; null if any will do. */
function observe(
  statistic: Statistic,
  reader: At | null,
  { rows, at }: BatchStatistics,
  neighbour: number | null,
): Observation | null {
  if (!reader) return null;
  if (neighbour !== null && (neighbour === 0 || reader(PLACE.neighbour) !== neighbour)) return null;
  return observed(statistic.read(reader, rows), at);
}

const observing =
  (field: string, statistic: Statistic, neighbour: number | null): FittedStatistic['read'] =>
  batch =>
    observe(statistic, readerOf(batch, field), batch, neighbour);

/** Adds the time to the reading itself, which nobody else has: a copy of each would cost more than all else here. */
function observed(reading: Reading | null, at: number): Observation | null {
  if (!reading) return null;
  const observation = reading as Observation;
  observation.at = at;
  return observation;
}

function fitOne(
  field: string | null,
  statistic: Statistic,
  past: readonly (Observation | null)[],
  read: FittedStatistic['read'],
): WithHindcast[] {
  const made = fit(statistic, past);
  return made ? [{ field, statistic, read, ...made }] : [];
}
