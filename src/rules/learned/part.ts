/** Parts of batches that have statistics: each of the fields, and the batch as a whole. */
import { type BatchStatistics, readerOf } from '../../baseline/batch-statistics.ts';
import { SERIAL_SHARE } from '../../terms/policy.ts';
import { PLACE } from '../../statistics/registry.ts';
import { readerOfBatch } from '../../statistics/rows.ts';
import type { At, Reading, Statistic } from '../../statistics/statistic.ts';
import type { Moment } from './forecasters.ts';

/** How a batch comes. */
export interface Arrival extends Moment {
  /** Time since the batch before, in ms; NaN if that is not known. */
  gap: number;
}

/** One field in one batch, or the batch as a whole. */
export interface Part extends Arrival {
  read: At;
  rows: number;
  isWhole: boolean;
  /** Whether its batch is one chunk of a larger one: then the row count says nothing. */
  isChunk: boolean;
}

/** `field`: null for the batch as a whole. Null if the batch lacks the field. */
export function partOf(batch: BatchStatistics, field: string | null, arrival: Arrival): Part | null {
  const read = field === null ? readerOfBatch(batch) : readerOf(batch, field);
  if (!read) return null;
  const { rows, chunk } = batch;
  return { ...arrival, read, rows, isWhole: field === null, isChunk: chunk };
}

/** `before`: the batch before it, if it is known. */
export const arrivalAfter = (before: BatchStatistics | undefined, at: number, order: number): Arrival => ({
  at,
  order,
  gap: at - (before?.at ?? Number.NaN),
});

/**
 * Null where the part has nothing to read. `neighbour`: the neighbour with which the field was compared so far; 0 without one. With another one, statistics
 * of neighbours are not read.
 */
export function readingOf(statistic: Statistic, part: Part, neighbour: number): Reading | null {
  const { read, rows } = part;
  if (part.isChunk && statistic.unit === 'rows') return null;
  if (statistic.family === 'neighbours' && (neighbour === 0 || read(PLACE.neighbour) !== neighbour))
    return null;
  return statistic.read(read, rows);
}

/** Whether the column counts: its numbers rise from row to row. */
export function isSerial(read: At): boolean {
  const changes = read(PLACE.adjacent) - read(PLACE.adjacent_equal);
  return changes > 0 && read(PLACE.finite) > 0 && read(PLACE.adjacent_rising) >= SERIAL_SHARE * changes;
}

/**
 * Whether the batch is one draw of the column: it has more than one value, and all are equal. Or it begins in one year, or month, and ends in the next: then
 * there are two, one after the other. That is only known of a batch whose cells are all inspected.
 */
export const isDrawn = (read: At): boolean => {
  const changes = read(PLACE.distinct) - 1;
  if (changes === 0) return read(PLACE.values) > 1;
  return changes === 1 && read(PLACE.adjacent) - read(PLACE.adjacent_equal) === changes;
};
