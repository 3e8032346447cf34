/** What the columns of one batch look like, in numbers: made from the engine's records, read by rules and the baseline. */

import type { Like } from '../../assembly/abi.ts';

/** The types a non-null value can have. The order settles ties between equally frequent types. */
export const VALUE_TYPES = ['number', 'boolean', 'object', 'array', 'string'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];
export type FieldType = ValueType | 'null' | 'mixed';

export interface Profile {
  /** Rows received. */
  rows: number;
  /** Rows whose values were measured: all of them, or the sample. */
  analysedRows: number;
  fields: FieldProfile[];
  /** Names repeated within a row or a header, in order of first sight. */
  repeatedNames: string[];
  /** CSV records whose cell count is not the header's; `firstLine` counts from 1. */
  ragged: { count: number; firstLine: number };
}

export interface FieldProfile {
  name: string;
  /** The engine's column, for queries. */
  column: number;
  /** Rows that have the field, nulls included. */
  present: number;
  /** Rows without a value: null or absent. */
  nulls: number;
  /** Non-null values by type, over all rows. */
  counts: Record<ValueType, number>;
  /** Empty strings, over all rows; part of `counts.string`. */
  empties: number;
  /** Over the analysed rows. */
  measured: Measures;
}

export interface Measures {
  /** Non-null values and how many of them differ (exact). */
  values: number;
  distinct: number;
  /** Strings, the empty one included, and how many of them differ (exact). */
  texts: number;
  distinctTexts: number;
  /** HyperLogLog registers over the non-null values, `REGISTERS` bytes. */
  registers: Uint8Array;
  /** The distinct strings and how often each occurs, when there are at most `MAX_ENUM`; else null. Hashes are salted. */
  listed: ListedText[] | null;
  /** Null without a finite number. */
  numeric: NumericMeasures | null;
  /** The engine's record of the column, see `Column`. */
  record: Float64Array;
}

export interface ListedText {
  hash: bigint;
  count: number;
}

export interface NumericMeasures {
  /** Finite numbers. */
  count: number;
  mean: number;
  /** Sum of squared deviations from the mean. */
  m2: number;
  /** `QUANTILES` order statistics at i / 32, type 7: [0] minimum, [8] Q1, [16] median, [24] Q3, [32] maximum. */
  quantiles: Float64Array;
  /** Outside Q1 - 3 IQR .. Q3 + 3 IQR; a count of 0 when the IQR is 0. */
  outliers: Outside;
}

/** Numbers outside a pair of fences. `min` and `max` are NaN when `count` is 0. */
export interface Outside {
  count: number;
  min: number;
  max: number;
}

/** Questions about single values of the batch, answered by the engine while it still holds the body. */
export interface SecondLook {
  /** Analysed finite numbers of a column below `low` or above `high`. */
  outside(column: number, low: number, high: number): Outside;
  /** Analysed strings of a column whose salted hash is not in `known` (sorted or not): in how many rows, and up to `limit` distinct ones in order of first sight. */
  unseen(column: number, known: BigUint64Array, limit: number): { rows: number; values: string[] };
  /** Of the cells looked at for traits the non-null ones whose value raises one of the `REGISTERS` registers: values that were not among those which made these. */
  fresh(column: number, registers: Uint8Array): number;
  /** The first non-null value over all rows whose type is not `expected`; undefined without one. A number beyond the range of a double comes as its text. */
  example(column: number, expected: ValueType): unknown;
}

/**
 * Which rows: their indexes, ascending, the first `limit` of them. Asked of columns that have a finding, while the engine still holds the body. The
 * first four are over all rows, the others over the analysed ones.
 */
export interface RowLook {
  /** Null in the column, or without it. */
  without(column: number, limit: number): Uint16Array;
  /** With a value of another type. */
  mistyped(column: number, expected: ValueType, limit: number): Uint16Array;
  /** With the empty string. */
  empty(column: number, limit: number): Uint16Array;
  /** CSV: with more or fewer cells than the header. */
  ragged(limit: number): Uint16Array;
  /** With a finite number below `low` or above `high`. */
  outside(column: number, low: number, high: number, limit: number): Uint16Array;
  /** With a string whose salted hash is not in `known`. */
  unseen(column: number, known: BigUint64Array, limit: number): Uint16Array;
  /** With a value that raises one of the `REGISTERS` registers. */
  fresh(column: number, registers: Uint8Array, limit: number): Uint16Array;
  /** With a value that an earlier row has. */
  repeated(column: number, limit: number): Uint16Array;
  /** With a number or a text (whichever `like` is of) that is like that; where not `has`, with one that is not. */
  like(column: number, like: Like, has: boolean, limit: number): Uint16Array;
  /** CSV: the lines on which the first `rows` rows begin, from 1; LF, CRLF and CR each end one, inside quotes too. Null of other formats. */
  lines(rows: number): Uint32Array | null;
}

/** What a description shows of a column beyond its measures, asked while the engine still holds the body. */
export interface ValueLook {
  /** True and false values, over all rows. */
  booleans(column: number): { true: number; false: number };
  /** Analysed finite numbers, all of them in `low` .. `high`, by HISTOGRAM_BINS equal intervals between these. */
  histogram(column: number, low: number, high: number): number[];
  /** Of a column whose texts are listed the most frequent ones, those that came first before others, at most `limit`, each cut at 64 characters. */
  topTexts(column: number, limit: number): { text: string; count: number }[];
}
