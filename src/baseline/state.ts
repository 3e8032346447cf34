/** What the baseline keeps of one batch: counts, salted hashes, and mean and quantiles of numbers; no row and no text. */
import { VALUE_TYPES, type ValueType } from '../profile/profile.ts';
import { typePlace } from '../statistics/counts.ts';
import type { NumberSummary } from '../statistics/measurement.ts';
import { WIDTH } from '../statistics/registry.ts';
import type { BatchFacts } from './batch-facts.ts';
import type { BatchStatistics } from './batch-statistics.ts';
import type { UnknownNumbers } from './unknown-measurements.ts';

export interface BatchState extends BatchFacts {
  rows: number;
  /** By name, in the order of the profile. */
  fields: Map<string, FieldState>;
  /** What a newer program has measured besides. */
  unknown?: UnknownNumbers;
}

export interface FieldState {
  /** WIDTH measurements, by their place in the registry; NaN where one is not known. */
  numbers: Float32Array;
  /** Packed registers, see `distinct.ts`. */
  sketch: Uint8Array;
  /** Salted hashes of the distinct strings, ascending; null when there were too many to list. */
  listed: BigUint64Array | null;
  /** Of the finite numbers, all of them finite; null without any. */
  summary: NumberSummary | null;
}

/** Values by type. */
export function typeCountsOf({ numbers }: FieldState): Record<ValueType, number> {
  const counts = { number: 0, boolean: 0, object: 0, array: 0, string: 0 };
  for (let type = 0; type < VALUE_TYPES.length; type++) {
    counts[VALUE_TYPES[type]!] = numbers[typePlace(type)]!;
  }
  return counts;
}

/** `last`: the places of the batch before. The batches of a source usually have the same fields, and then share them. */
export function statisticsOf(
  state: BatchState,
  last: ReadonlyMap<string, number> = new Map(),
): BatchStatistics {
  const { id, at, chunk, accepted, verdict, health, rows, fields, unknown } = state;
  const places = samePlaces(last, fields) ? last : placesOf(fields);
  const numbers = new Float32Array(fields.size * WIDTH);
  let start = 0;
  for (const field of fields.values()) {
    numbers.set(field.numbers, start);
    start += WIDTH;
  }
  const facts = { id, at, chunk, ...(accepted && { accepted }), verdict, health };
  return { ...facts, rows, places, numbers, ...(unknown && { unknown }) };
}

/** Whether these are the same names in the same order. */
function samePlaces(places: ReadonlyMap<string, number>, fields: ReadonlyMap<string, FieldState>): boolean {
  if (places.size !== fields.size) return false;
  let place = 0;
  for (const name of fields.keys()) if (places.get(name) !== place++) return false;
  return true;
}

const placesOf = (fields: ReadonlyMap<string, FieldState>): Map<string, number> =>
  new Map([...fields.keys()].map((name, place) => [name, place]));
