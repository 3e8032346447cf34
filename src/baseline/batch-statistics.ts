/** The last batches' measurements, one by one, so that rules can be learned from them. */
import { PLACE, WIDTH } from '../statistics/registry.ts';
import type { At } from '../statistics/statistic.ts';
import type { BatchFacts } from './batch-facts.ts';
import type { UnknownNumbers } from './unknown-measurements.ts';

/** Batches whose measurements stay readable one by one. */
export const RECENT_BATCHES = 32;

export interface BatchStatistics extends Omit<BatchFacts, 'provisional'> {
  rows: number;
  /** Index of a field among the batch's fields. */
  places: ReadonlyMap<string, number>;
  /** WIDTH numbers for each field; NaN throughout for a field that the batch lacks. f32: a number beyond its range is infinite. */
  numbers: Float32Array;
  /** What a newer program has measured besides. */
  unknown?: UnknownNumbers;
}

/** One measurement of a field, by its place in the registry. NaN if the batch lacks the field, or the measurement is not known. */
export function measurementOf(batch: BatchStatistics, field: string, place: number): number {
  const index = batch.places.get(field);
  return index === undefined ? Number.NaN : batch.numbers[index * WIDTH + place]!;
}

/** Reads a field's measurements in a batch; null if the batch lacks the field. */
export function readerOf(batch: BatchStatistics, field: string): At | null {
  const index = batch.places.get(field);
  if (index === undefined) return null;
  const start = index * WIDTH;
  const { numbers } = batch;
  return Number.isNaN(numbers[start + PLACE.present]!) ? null : place => numbers[start + place]!;
}
