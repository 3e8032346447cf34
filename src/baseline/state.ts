/** What the baseline keeps of one batch: counts, salted hashes, and mean and quantiles of numbers; no row and no text. */
import { VALUE_TYPES, type ValueType } from '../profile/profile.ts';
import { typePlace } from '../statistics/counts.ts';
import type { NumberSummary } from '../statistics/measurement.ts';
import { nothingMeasured } from '../statistics/measure.ts';
import { PLACE } from '../statistics/registry.ts';
import type { BatchFacts } from './batch-facts.ts';
import { BRIEF_PLACES } from './detail.ts';
import type { UnknownNumbers } from './unknown-measurements.ts';

export interface BatchState extends BatchFacts {
  rows: number;
  /** Rows that repeat an earlier one; NaN where that is not known. */
  duplicateRows: number;
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

/** Whether only the brief measurements are known: the source's record has room for no more. */
export const isBrief = ({ numbers }: FieldState): boolean => Number.isNaN(numbers[PLACE.values]!);

/** The field without all that a brief one lacks. */
export function briefly(field: FieldState): FieldState {
  const numbers = nothingMeasured();
  for (const place of BRIEF_PLACES) numbers[place] = field.numbers[place]!;
  return { numbers, sketch: NO_BYTES, listed: null, summary: null };
}

const NO_BYTES = new Uint8Array();
