/** A profile in the words of the API: what a person wants to know of each field. */
import { QUANTILES } from '../../assembly/abi.ts';
import type { FieldProfile, NumericMeasures, Profile, ValueLook, ValueType } from './profile.ts';

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

/** Those of the 33 kept order statistics that a person reads. */
const PROBABILITIES = [0.03125, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 0.96875];
const PLACES = PROBABILITIES.map(
  probability => [String(probability), probability * (QUANTILES - 1)] as const,
);

const TOP_VALUES = 10;

/** `look` must still have the batch that `profile` is of. */
export function describe(profile: Profile, look: ValueLook): ProfileDescription {
  const fields: Record<string, FieldDescription> = Object.create(null);
  for (const field of profile.fields) fields[field.name] = describeField(field, profile.rows, look);
  return { fields };
}

function describeField(field: FieldProfile, rows: number, look: ValueLook): FieldDescription {
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

const topValues = (column: number, look: ValueLook): TopValue[] =>
  look.topTexts(column, TOP_VALUES).map(({ text: value, count }) => ({ value, count }));

function describeNumbers(column: number, numeric: NumericMeasures, look: ValueLook): NumbersDescription {
  const { count, mean, m2, quantiles } = numeric;
  const [min, max] = [quantiles[0]!, quantiles[QUANTILES - 1]!];
  const deviation = Math.sqrt(m2 / count);
  return {
    count,
    min,
    max,
    mean,
    standard_deviation: Number.isFinite(deviation) ? deviation : null,
    quantiles: Object.fromEntries(PLACES.map(([name, place]) => [name, quantiles[place]!])),
    histogram: { low: min, high: max, counts: look.histogram(column, min, max) },
  };
}
