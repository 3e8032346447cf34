/** The last batches' measurements, one by one, so that rules can be learned from them. */
import { MIN_BATCHES } from '../terms/policy.ts';
import { PLACE, WIDTH } from '../statistics/registry.ts';
import type { At } from '../statistics/statistic.ts';
import type { BatchFacts } from './batch-facts.ts';
import { BRIEF_INDEX, BRIEF_WIDTH } from './detail.ts';
import type { UnknownNumbers } from './unknown-measurements.ts';

/** Batches whose measurements stay readable one by one. */
export const RECENT_BATCHES = 32;

/** Read it with `measurementOf` or `readerOf`. */
export interface BatchStatistics extends Omit<BatchFacts, 'provisional'> {
  rows: number;
  /** NaN where that is not known. */
  duplicateRows: number;
  /** Index of a field in `numbers`; that of a brief one in `brief` is `-1 - index`. */
  places: ReadonlyMap<string, number>;
  /** WIDTH numbers for each field; NaN throughout for a field that the batch lacks. f32: a number beyond its range is infinite. */
  numbers: Float32Array;
  /** BRIEF_WIDTH numbers for each brief field. */
  brief: Float32Array;
  /** What a newer program has measured besides, of the fields in `numbers`. */
  unknown?: UnknownNumbers;
}

/** Whether the batch was WARN and nobody accepted it. The source's first ones were judged by assumptions. `order`: batches before it. */
export const isSuspect = ({ verdict, accepted }: BatchStatistics, order: number): boolean =>
  verdict === 'WARN' && !accepted && order >= MIN_BATCHES;

/** Fields in `numbers`. */
export const detailedIn = ({ numbers }: BatchStatistics): number => numbers.length / WIDTH;

/** One measurement of a field, by its place in the registry. NaN if the batch lacks the field, or the measurement is not known. */
export function measurementOf(batch: BatchStatistics, field: string, place: number): number {
  const index = batch.places.get(field);
  return index === undefined ? Number.NaN : numberAt(batch, index, place);
}

/** The same, with the field's index. */
export function numberAt({ numbers, brief }: BatchStatistics, index: number, place: number): number {
  if (index >= 0) return numbers[index * WIDTH + place]!;
  const kept = BRIEF_INDEX[place]!;
  return kept < 0 ? Number.NaN : brief[(-1 - index) * BRIEF_WIDTH + kept]!;
}

/** Reads a field's measurements in a batch; null if the batch lacks the field. */
export function readerOf(batch: BatchStatistics, field: string): At | null {
  const index = batch.places.get(field);
  if (index === undefined || Number.isNaN(numberAt(batch, index, PLACE.present))) return null;
  if (index < 0) return place => numberAt(batch, index, place);
  const start = index * WIDTH;
  const { numbers } = batch;
  return place => numbers[start + place]!;
}

/** Whether both say the same of the same batch. A fold makes new objects of batches that it does not change. */
export const isSameBatch = (a: BatchStatistics, b: BatchStatistics): boolean =>
  a === b ||
  (a.id === b.id &&
    a.verdict === b.verdict &&
    a.accepted === b.accepted &&
    a.proposed === b.proposed &&
    areSamePlaces(a.places, b.places) &&
    areSameNumbers(a.numbers, b.numbers) &&
    areSameNumbers(a.brief, b.brief));

const areSamePlaces = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean =>
  a === b || (a.size === b.size && [...a].every(([name, place]) => b.get(name) === place));

/** By their bytes: a NaN is the same as another one. */
const areSameNumbers = (a: Float32Array, b: Float32Array): boolean =>
  Buffer.compare(bytesOf(a), bytesOf(b)) === 0;

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
