/** A profile in the words of the API: what a person wants to know of each field. */
import { QUANTILES } from '../../assembly/abi.ts';
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
  /** Analysed non-null values, and how many of them differ. */
  values: number;
  distinct: number;
  /** Over the analysed finite numbers; absent without one. */
  numbers?: NumbersDescription;
}

export interface NumbersDescription {
  count: number;
  min: number;
  max: number;
  mean: number;
  /** Of the numbers themselves, divided by their count. */
  standard_deviation: number;
  /** Type 7, by probability. */
  quantiles: Record<string, number>;
}

/** Those of the 33 kept order statistics that a person reads. */
const PROBABILITIES = [0.03125, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 0.96875];

export function describe(profile: Profile): ProfileDescription {
  const fields: Record<string, FieldDescription> = Object.create(null);
  for (const field of profile.fields) fields[field.name] = describeField(field, profile.rows);
  return { fields };
}

function describeField(field: FieldProfile, rows: number): FieldDescription {
  const { present, nulls, empties, counts, measured } = field;
  return {
    present,
    nulls,
    null_rate: nulls / rows,
    empties,
    types: counts,
    values: measured.values,
    distinct: measured.distinct,
    ...(measured.numeric && { numbers: describeNumbers(measured.numeric) }),
  };
}

function describeNumbers({ count, mean, m2, quantiles }: NumericMeasures): NumbersDescription {
  const at = (probability: number): number => quantiles[probability * (QUANTILES - 1)]!;
  return {
    count,
    min: at(0),
    max: at(1),
    mean,
    standard_deviation: Math.sqrt(m2 / count),
    quantiles: Object.fromEntries(PROBABILITIES.map(probability => [String(probability), at(probability)])),
  };
}
