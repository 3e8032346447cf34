/** Describes a profile as the API shows it. */
import { Column, QUANTILES } from '../../assembly/abi.ts';
import type { ValueQueries } from '../engine/queries.ts';
import { type Semantics, semanticsOf } from '../semantics/semantic-type.ts';
import { type DatesDescription, describeDates } from './describe-dates.ts';
import { describeStatistics } from './describe-statistics.ts';
import type { FieldProfile, NumericMeasures, Profile, ValueType } from './profile.ts';

export interface ProfileDescription {
  fields: Record<string, FieldDescription>;
}

export interface FieldDescription {
  /** The type that an Arrow or Parquet body declares, as pyarrow writes it. */
  physical_type?: string;
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
  /** Over all rows; absent without booleans. */
  booleans?: { true: number; false: number };
  /** Analysed non-null values, and how many of them differ. */
  values: number;
  distinct: number;
  /** Of the analysed finite numbers; absent without one. */
  numbers?: NumbersDescription;
  /** Absent unless at least half of the texts are dates, or the numbers are times of our age. */
  dates?: DatesDescription;
  /** Of a field that is likely to be personal data. */
  semantic_type?: Semantics;
  /** Statistics of the registry that have an `inProfile`, by id. Absent without one. */
  statistics?: Record<string, number>;
  /** The most frequent of the analysed strings, if few of them differ: see `hasTopValues`. Each is cut at 64 characters. */
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
  /** Population standard deviation; null if its square is beyond the range of a double. */
  standard_deviation: number | null;
  /** Type 7, by probability. */
  quantiles: Record<string, number>;
  histogram: Histogram;
}

/** `counts` of equal intervals from `low`, the smallest number, to `high`, the largest. Each includes its lower bound; the last one also its upper bound. */
export interface Histogram {
  low: number;
  high: number;
  counts: number[];
}

/**
 * The order statistics that people read, out of the 33 that are kept at steps of 1/32. Written out: a loop took ten times
 * as long.
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

/** `queries` must still hold the batch of the `profile`. */
export function describe(profile: Profile, queries: ValueQueries): ProfileDescription {
  const fields: Record<string, FieldDescription> = Object.create(null);
  for (const field of profile.fields) {
    fields[field.name] = describeField(field, profile.rows, queries);
  }
  return { fields };
}

function describeField(field: FieldProfile, rows: number, queries: ValueQueries): FieldDescription {
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
  if (field.physicalType !== null) description.physical_type = field.physicalType;
  if (counts.boolean > 0) description.booleans = queries.booleans(column);
  if (measured.numeric) description.numbers = describeNumbers(column, measured.numeric, queries);
  const dates = describeDates(field, queries);
  if (dates) description.dates = dates;
  const semantics = describeSemantics(field);
  if (semantics) description.semantic_type = semantics;
  const statistics = describeStatistics(field, rows);
  if (statistics) description.statistics = statistics;
  if (hasTopValues(field)) description.top_values = topValues(column, queries);
  return description;
}

/** Fields of numbers and texts only. */
function describeSemantics({ name, counts, empties, measured, meanings }: FieldProfile): Semantics | null {
  const { record, distinct } = measured;
  const [emails, texts] = [record[Column.EMAILS]!, record[Column.INSPECTED_TEXTS]!];
  const values = counts.number + counts.string - empties;
  return semanticsOf({
    name,
    values,
    distinct,
    emails: texts === 0 ? 0 : (emails / texts) * counts.string,
    meanings,
  });
}

/** At most 50 distinct values, and fewer than there are strings: identifiers have no most frequent value. */
const hasTopValues = ({ measured: { listed, texts, distinctTexts } }: FieldProfile): boolean =>
  listed !== null && distinctTexts < texts;

const topValues = (column: number, queries: ValueQueries): TopValue[] =>
  queries.topTexts(column, TOP_VALUES).map(({ text: value, count }) => ({ value, count }));

function describeNumbers(
  column: number,
  numeric: NumericMeasures,
  queries: ValueQueries,
): NumbersDescription {
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
    histogram: { low: min, high: max, counts: queries.histogram(column, min, max) },
  };
}
