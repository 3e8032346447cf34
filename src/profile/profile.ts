/** What the columns of one batch look like: numbers only, made from the engine's records, read by `judge` and `baseline`. */

import { type Outside, VALUE_TYPES, type ValueType } from '../engine/queries.ts';

export { type Outside, VALUE_TYPES, type ValueType };

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
  /** By `Trait`; 0 where there is nothing to count. */
  traits: Float64Array;
}

/**
 * What batches of a source have in common though no row does. But for CONTENT and TRUES they are of the cells that are
 * looked at, at most LOOKED of the analysed ones. The order is that of the engine's `Column`.
 */
export enum Trait {
  /** 24 bits that tell the content over all rows, whatever their order. */
  CONTENT,
  /** Non-null cells; the share of their most frequent value. */
  LOOKED,
  TOP,
  /** Neighbours, both not null; equal ones; rising ones, of numbers or texts. */
  NEIGHBOURS,
  SAMES,
  RISES,
  /** The column before, by its name (0: none), and how values go with its: see `Column`. */
  BESIDE,
  PAIRED,
  PAIRS,
  COMPARED,
  AGREEING,
  /** BUCKETS counts, two in a number. */
  FIRST_MIX,
  LAST_MIX = FIRST_MIX + 7,
  /** Numbers; whole ones, zeros, ones below zero; multiples of ten, of a tenth, of a hundredth. */
  LOOKED_NUMBERS,
  WHOLE,
  ZEROS,
  NEGATIVES,
  TENS,
  TENTHS,
  HUNDREDTHS,
  /** Texts; those that begin or end with white space; that have an ASCII digit, an ASCII upper-case letter, white space, a character beyond ASCII. */
  LOOKED_TEXTS,
  PADDED,
  WITH_DIGIT,
  WITH_UPPER,
  WITH_SPACE,
  WITH_WIDE,
  /** Distinct shapes of texts, and how often the most frequent one occurs (see `assembly/traits.ts`). */
  SHAPES,
  TOP_SHAPE,
  /** The mixes of shapes and of forms. */
  FIRST_SHAPE_MIX,
  LAST_SHAPE_MIX = FIRST_SHAPE_MIX + 7,
  FIRST_FORM_MIX,
  LAST_FORM_MIX = FIRST_FORM_MIX + 7,
  /** Characters of the texts' begins; digits, upper case, white space among them. */
  CHARACTERS,
  DIGITS,
  UPPERS,
  SPACES,
  /** Of the texts' lengths in characters: mean, and the sum of squared deviations from it. */
  LENGTH_MEAN,
  LENGTH_M2,
  /** True values over all rows. */
  TRUES,
  LENGTH,
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
