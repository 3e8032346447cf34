/** A baseline in the words of the API: what a person wants to know of each field. */
import type { FieldType } from '../profile/profile.ts';
import type { Baseline, BaselineField } from './baseline.ts';
import { isLowCardinality } from './low-cardinality.ts';

export interface BaselineDescription {
  /** Batches and rows behind it. */
  batches: number;
  rows: number;
  /** Made by a batch that was BLOCK, and replaced by the first that is not. */
  provisional: boolean;
  /** By name, in order of first sight. */
  fields: Record<string, FieldDescription>;
}

/** Rates are 0..1, averages in which a batch's weight halves every 10 batches; null where nothing is known. */
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
  /** Distinct values ever seen, whole; standard error 4.6%. */
  approx_distinct: number | null;
  /** Values that are known, where an unknown one would be reported as `new_enum_value`; null where it would not. */
  low_cardinality: number | null;
  /** By probability, of the numbers; absent without one. Their rank error stands in `quantiles.ts`. */
  quantiles?: Record<string, number>;
}

/** From the minimum to the maximum. Finer steps would be within the rank error. */
const PROBABILITIES = [0, 0.125, 0.25, 0.5, 0.75, 0.875, 1];

/** `slice` does each field's work when there is time for it: thousands of them take a fifth of a second. */
export async function describeBaseline(
  { batches, rows, provisional, fields }: Baseline,
  slice: <T>(work: () => T) => Promise<T>,
): Promise<BaselineDescription> {
  const described: Record<string, FieldDescription> = Object.create(null);
  for (const [name, field] of fields) {
    described[name] = await slice(() => describeField(field));
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
    approx_distinct: known(Math.round(field.approxDistinct)),
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
