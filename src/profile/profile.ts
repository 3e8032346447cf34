/** What the columns of one batch look like, in numbers: made from the engine's records, read by rules and the baseline. */

import { type Outside, VALUE_TYPES, type ValueType } from '../engine/queries.ts';
import type { Meanings } from '../semantics/semantic-type.ts';
import type { SignCounts } from '../signs/sign.ts';
import type { Sign } from '../table/sign.ts';

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
  /** CSV records whose cell count is not the header's; `firstLine` counts from 1, `firstCells` are those of the first one. */
  ragged: { count: number; firstLine: number; firstCells?: number };
  /** CSV: whether the last record has fewer cells than the header and no end of line. */
  endsEarly: boolean;
  /** Rows that repeat an earlier row, over all rows. */
  duplicateRows: number;
  /** What may be wrong with how the text was cut into a table. */
  signs: readonly Sign[];
}

export interface FieldProfile {
  name: string;
  /** The type that an Arrow or Parquet body declares; null in texts. */
  physicalType: string | null;
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
  /** CSV: texts that look like numbers or booleans, over all rows; part of `counts.string`. 0 in other formats. */
  typedTexts: number;
  /** Cells that may be damaged, over all rows. */
  signs: SignCounts;
  /** About how many values, over all rows, mean what. */
  meanings: Meanings;
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
