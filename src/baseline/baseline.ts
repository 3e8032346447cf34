/** What a source looked like before, as rules read it: the folded record merged with the tail of batch states. */
import { REMOVED_CHANCE } from '../terms/policy.ts';
import type { FieldType } from '../profile/profile.ts';
import type { BatchStatistics } from './batch-statistics.ts';
import type { Detail } from './detail.ts';

/** Whether a field with this presence (0..1) counts as removed if none of so many rows has it. */
export const isMissed = (presence: number, rows: number): boolean =>
  Math.max(0, 1 - presence) ** rows < REMOVED_CHANCE;

export interface Baseline {
  /** Made by a batch that was BLOCK: drift against it is at most `warn`. */
  provisional: boolean;
  /** Batches and rows behind it. */
  batches: number;
  rows: number;
  /** Row counts of the last batches (at most 32) in id order; chunks of larger batches are left out. */
  rowCounts: number[];
  /** The last batches one by one, at most 32, in id order. */
  recent: readonly BatchStatistics[];
  /** By name, in order of first sight. */
  fields: Map<string, BaselineField>;
}

export interface BaselineField {
  /** Of a brief field nothing is known of its values: no distinct values, no registers, no quantiles. */
  detail: Detail;
  /** The first definite type, kept until a reset; 'null' or 'mixed' before that. */
  type: FieldType;
  /** Share of its non-null values that have this type: 0..1. NaN if no type is definite. */
  typeShare: number;
  /** Rows behind the averages, each batch weighted by 2^(-age / 10 batches). */
  weightedRows: number;
  /** Weighted share of rows that have the field, nulls included: 0..1. */
  presence: number;
  /** Weighted share of rows that are null or lack the field: 0..1. */
  nullRate: number;
  /** Weighted share of empty strings among non-null strings, and the weighted strings behind it (0: no rate). */
  emptyRate: number;
  weightedTexts: number;
  /** Weighted mean of a batch's distinct values per value: 0..1. NaN before the first value. */
  distinctRatio: number;
  /** Analysed non-null values of a usual batch: the median of the last batches that had any. */
  usualValues: number;
  /** Analysed strings in all batches. */
  texts: number;
  /** Distinct strings of a usual batch (median of the last batches), and its strings. */
  usualDistinctTexts: number;
  usualTexts: number;
  /** Salted hashes of every string seen, or null when there were more than MAX_ENUM in all. */
  known: BigUint64Array | null;
  /** Approximate distinct values ever seen (HyperLogLog, standard error 4.6%). */
  approxDistinct: number;
  /** Registers of every value ever seen, see `distinct.ts`; do not write to them. */
  registers: Uint8Array;
  /** Quantile of the numbers at p in 0..1 (weighted mixture of batches); NaN without numbers. `quantiles.ts` states the rank error. */
  quantile(p: number): number;
}
