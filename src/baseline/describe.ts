/** Describes a baseline as the API shows it. */
import type { FieldType } from '../profile/profile.ts';
import type { Baseline, BaselineField } from './baseline.ts';
import { BRIEF } from './detail.ts';
import { isLowCardinality } from './low-cardinality.ts';

export interface BaselineDescription {
  /** Batches and rows behind it. */
  batches: number;
  rows: number;
  /** Made by a batch that was BLOCK, and replaced by the first batch that is not. */
  provisional: boolean;
  /** By name, in order of first sight. */
  fields: Record<string, FieldDescription>;
}

/** Rates are 0..1: averages in which a batch's weight halves every 10 batches. Null if nothing is known. */
export interface FieldDescription {
  type: FieldType;
  /** Share of rows that have the field, nulls included. */
  presence: number | null;
  /** Share of rows without a value: null or absent. */
  null_rate: number | null;
  /** Share of empty strings among the strings. */
  empty_rate: number | null;
  /** Distinct values per value of a batch. */
  distinct_ratio: number | null;
  /** Distinct values ever seen, rounded; standard error 4.6%. Null if the baseline keeps no values of the field. */
  approx_distinct: number | null;
  /** Known values, if an unknown one would be reported as `new_enum_value`; else null. */
  low_cardinality: number | null;
  /** Quantiles of the numbers by probability; absent without numbers. `quantiles.ts` states their rank error. */
  quantiles?: Record<string, number>;
}

/** From the minimum to the maximum. Finer steps would be within the rank error. */
const PROBABILITIES = [0, 0.125, 0.25, 0.5, 0.75, 0.875, 1];

/** In pieces: thousands of fields take 200 ms. */
export function describeBaseline({ batches, rows, provisional, fields }: Baseline): BaselineDescription {
  const described: Record<string, FieldDescription> = Object.create(null);
  for (const [name, field] of fields) {
    described[name] = describeField(field);
  }
  return { batches, rows, provisional, fields: described };
}

function describeField(field: BaselineField): FieldDescription {
  const quantiles = quantilesOf(field);
  return {
    type: field.type,
    presence: known(field.presence),
    null_rate: known(field.nullRate),
    empty_rate: field.weightedTexts > 0 ? known(field.emptyRate) : null,
    distinct_ratio: known(field.distinctRatio),
    approx_distinct: field.detail === BRIEF ? null : known(Math.round(field.approxDistinct)),
    low_cardinality: isLowCardinality(field) ? field.known.length : null,
    ...(quantiles && { quantiles }),
  };
}

function quantilesOf(field: BaselineField): Record<string, number> | null {
  const entries = PROBABILITIES.map(p => [String(p), field.quantile(p)] as const);
  return entries.every(([, value]) => Number.isFinite(value)) ? Object.fromEntries(entries) : null;
}

/** JSON has no NaN and no infinity. */
const known = (value: number): number | null => (Number.isFinite(value) ? value : null);
