/** What is known of a source after any number of batches: the folded record, or the folded record merged with the tail. */
import type { FieldType, ValueType } from '../profile/profile.ts';
import type { BatchStatistics } from './batch-statistics.ts';
import { BRIEF, type Detail, FULL } from './detail.ts';
import { Sketches } from './distinct.ts';
import { RECORD_COST } from './limits.ts';
import type { Component } from './quantiles.ts';

/** Never changed: a request uses one while other batches arrive. */
export interface BaselineRecord {
  batches: number;
  rows: number;
  /** Of the last batches, without chunks, in id order. */
  rowCounts: readonly number[];
  /** The last batches, in id order. */
  recent: readonly BatchStatistics[];
  /** By name, in order of first sight. */
  fields: ReadonlyMap<string, FieldRecord>;
  /** Largest size of a record with these fields if all are brief, see `limits.ts`. */
  cost: number;
}

/** In weighted sums a batch counts less with its age (`decay.ts`). */
export interface FieldRecord {
  /** Never grows. */
  detail: Detail;
  /** The first definite type; until then 'mixed' if a batch was mixed, else 'null'. */
  type: FieldType;
  /** Batches that had the field. */
  batches: number;
  /** Weighted, over the rows since the first sight; a row of a batch without the field is null and not present. */
  rows: number;
  present: number;
  nulls: number;
  strings: number;
  empties: number;
  /** In all batches, unweighted. */
  counts: Readonly<Record<ValueType, number>>;
  // The rest is nothing for a brief field.
  /** Weighted, over analysed rows. */
  values: number;
  distinct: number;
  /** In all batches, unweighted. */
  texts: number;
  /** Hashes of every string seen, ascending; null once there were more than MAX_ENUM. */
  known: BigUint64Array | null;
  /** Packed registers: one for all folded batches, then one for each batch. */
  sketches: Sketches;
  /** Weighted; null without numbers. */
  moments: Moments | null;
  /** One for all folded batches, then one for each batch. */
  components: readonly Component[];
}

/** Not finite once a sum has left the range of a double. */
export interface Moments {
  /** Weighted finite numbers. */
  weight: number;
  mean: number;
  /** Weighted sum of squared deviations from the mean. */
  m2: number;
}

export const EMPTY_RECORD: BaselineRecord = {
  batches: 0,
  rows: 0,
  rowCounts: [],
  recent: [],
  fields: new Map(),
  cost: RECORD_COST,
};

export const EMPTY_FIELD: FieldRecord = {
  detail: FULL,
  type: 'null',
  batches: 0,
  rows: 0,
  present: 0,
  nulls: 0,
  strings: 0,
  empties: 0,
  values: 0,
  distinct: 0,
  counts: { number: 0, boolean: 0, object: 0, array: 0, string: 0 },
  texts: 0,
  known: new BigUint64Array(),
  sketches: new Sketches([]),
  moments: null,
  components: [],
};

/** The field with so much detail, or less if it has less. */
export function withDetail(field: FieldRecord, detail: Detail): FieldRecord {
  if (field.detail <= detail) return field;
  return detail === BRIEF ? { ...field, ...NO_VALUES, detail } : { ...field, detail };
}

const NO_VALUES = {
  values: 0,
  distinct: 0,
  texts: 0,
  known: null,
  sketches: EMPTY_FIELD.sketches,
  moments: null,
  components: [],
} satisfies Partial<FieldRecord>;
