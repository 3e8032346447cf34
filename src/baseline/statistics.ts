/** The last batches' statistics, one by one, so that thresholds can be learned from them. */
import { QUANTILES } from '../../assembly/abi.ts';
import { VALUE_TYPES } from '../profile/profile.ts';
import type { BatchFacts, BatchState, FieldState, NumericState } from './state.ts';

/** Batches whose statistics stay readable one by one. */
export const RECENT_BATCHES = 32;

/** One field's numbers of one batch. Counts first: exact, at most MAX_ROWS. The measures after FINITE are NaN without numbers. */
export enum Statistic {
  PRESENT,
  NULLS,
  /** Non-null values by type, in the order of VALUE_TYPES. */
  FIRST_TYPE,
  EMPTIES = FIRST_TYPE + 5,
  VALUES,
  DISTINCT,
  TEXTS,
  DISTINCT_TEXTS,
  FINITE,
  OUTLIERS,
  MEAN,
  STANDARD_DEVIATION,
  MINIMUM,
  /** The quantiles 1/16, 1/4, 1/2, 3/4, 15/16. */
  LOW,
  QUARTILE_1,
  MEDIAN,
  QUARTILE_3,
  HIGH,
  MAXIMUM,
  LENGTH,
}

/** Statistics below this are counts. */
export const COUNTS = Statistic.MEAN;

const QUANTILE_STATISTICS = [0, 1 / 16, 1 / 4, 1 / 2, 3 / 4, 15 / 16, 1].map(p => p * (QUANTILES - 1));

export interface BatchStatistics extends Omit<BatchFacts, 'provisional'> {
  rows: number;
  /** Where in `numbers` a field's statistics begin, in units of Statistic.LENGTH. */
  places: ReadonlyMap<string, number>;
  /** NaN throughout for a field that the batch lacks. f32: a number beyond its range is infinite. */
  numbers: Float32Array;
}

/** One number; NaN when the batch lacks the field, or numbers in it. */
export function statistic(batch: BatchStatistics, name: string, which: Statistic): number {
  const place = batch.places.get(name);
  return place === undefined ? Number.NaN : batch.numbers[place * Statistic.LENGTH + which]!;
}

export function statisticsOf(state: BatchState): BatchStatistics {
  const { id, at, chunk, verdict, health, rows, fields } = state;
  const places = new Map<string, number>();
  const numbers = new Float32Array(fields.size * Statistic.LENGTH);
  for (const [name, field] of fields) {
    const place = places.size;
    places.set(name, place);
    numbers.set([...countsOf(field), ...measuresOf(field.numeric)], place * Statistic.LENGTH);
  }
  return { id, at, chunk, verdict, health, rows, places, numbers };
}

/** In the order of Statistic, up to OUTLIERS. */
function countsOf(field: FieldState): number[] {
  const { present, nulls, counts, empties, values, distinct, texts, distinctTexts, numeric } = field;
  const types = VALUE_TYPES.map(type => counts[type]);
  const numbers = [numeric?.count ?? 0, numeric?.outliers ?? 0];
  return [present, nulls, ...types, empties, values, distinct, texts, distinctTexts, ...numbers];
}

/** In the order of Statistic, from MEAN. */
function measuresOf(numeric: NumericState | null): number[] {
  if (numeric === null) return new Array(Statistic.LENGTH - COUNTS).fill(Number.NaN);
  const quantiles = QUANTILE_STATISTICS.map(index => numeric.points[index]!);
  return [numeric.mean, Math.sqrt(numeric.m2 / numeric.count), ...quantiles];
}
