/** A profile in the words of the API: what a person wants to know of each field. */
import { QUANTILES } from '../../assembly/abi.ts';
import type { ValueQueries } from '../engine/queries.ts';
import type { FieldProfile, NumericMeasures, Profile, ValueType } from './profile.ts';

export interface ProfileDescription {
  fields: Record<string, FieldDescription>;
}

export interface FieldDescription {
  /** Rows that have the field, nulls included. */
  present: number;
  /** Rows without a value: null or absent. */
  nulls: number;
  /** Share of rows without a value: 0..1. */
  null_rate: number;
  /** Empty strings. */
  empties: number;
  /** Non-null values by type. */
  types: Record<ValueType, number>;
  /** Of a field with booleans, over all rows. */
  booleans?: { true: number; false: number };
  /** Analysed non-null values, and how many of them differ. */
  values: number;
  distinct: number;
  /** Over the analysed finite numbers; absent without one. */
  numbers?: NumbersDescription;
  /** The most frequent of the analysed strings, where these are of few values: see `hasTopValues`. Each is cut at 64 characters. */
  top_values?: TopValue[];
}

export interface TopValue {
  value: string;
  count: number;
}

export interface NumbersDescription {
  count: number;
  min: number;
  max: number;
  mean: number;
  /** Of the numbers themselves, divided by their count; null when its square is beyond a double. */
  standard_deviation: number | null;
  /** Type 7, by probability. */
  quantiles: Record<string, number>;
  histogram: Histogram;
}

/** `counts` of equal intervals between `low` and `high`, the smallest and the largest number; each holds its lower bound, the last one its upper too. */
export interface Histogram {
  low: number;
  high: number;
  counts: number[];
}

/**
 * Those of the 33 kept order statistics that a person reads, each by its place in 32nds. Written out, because a loop over
 * the places took ten times as long.
 */
const quantilesIn = (kept: Float64Array): Record<string, number> => ({
  '0.03125': kept[1]!,
  '0.125': kept[4]!,
  '0.25': kept[8]!,
  '0.375': kept[12]!,
  '0.5': kept[16]!,
  '0.625': kept[20]!,
  '0.75': kept[24]!,
  '0.875': kept[28]!,
  '0.96875': kept[31]!,
});

const TOP_VALUES = 10;

/** `look` must still have the batch that `profile` is of. */
export function describe(profile: Profile, look: ValueQueries): ProfileDescription {
  const fields: Record<string, FieldDescription> = Object.create(null);
  for (const field of profile.fields) fields[field.name] = describeField(field, profile.rows, look);
  return { fields };
}

function describeField(field: FieldProfile, rows: number, look: ValueQueries): FieldDescription {
  const { column, present, nulls, empties, counts, measured } = field;
  const description: FieldDescription = {
    present,
    nulls,
    null_rate: nulls / rows,
    empties,
    types: counts,
    values: measured.values,
    distinct: measured.distinct,
  };
  if (counts.boolean > 0) description.booleans = look.booleans(column);
  if (measured.numeric) description.numbers = describeNumbers(column, measured.numeric, look);
  if (hasTopValues(field)) description.top_values = topValues(column, look);
  return description;
}

/** At most 50 values that differ, and fewer than there are strings: identifiers have no top. */
const hasTopValues = ({ measured: { listed, texts, distinctTexts } }: FieldProfile): boolean =>
  listed !== null && distinctTexts < texts;

const topValues = (column: number, look: ValueQueries): TopValue[] =>
  look.topTexts(column, TOP_VALUES).map(({ text: value, count }) => ({ value, count }));

function describeNumbers(column: number, numeric: NumericMeasures, look: ValueQueries): NumbersDescription {
  const { count, mean, m2, quantiles } = numeric;
  const [min, max] = [quantiles[0]!, quantiles[QUANTILES - 1]!];
  const deviation = Math.sqrt(m2 / count);
  return {
    count,
    min,
    max,
    mean,
    standard_deviation: Number.isFinite(deviation) ? deviation : null,
    quantiles: quantilesIn(quantiles),
    histogram: { low: min, high: max, counts: look.histogram(column, min, max) },
  };
}
