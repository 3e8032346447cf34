/**
 * The profile that a user would write in JavaScript over parsed rows: one loop for types, nulls, extremes, moments and
 * distinct values, then a sort for each number column. It is both a peer and the oracle: our profile must equal it.
 */
import { QUANTILES } from '../assembly/abi.ts';
import type { ValueType } from '../src/profile/profile.ts';
import type { Row } from './tables.ts';

const FENCE = 3;

export interface PlainField {
  present: number;
  nulls: number;
  empties: number;
  counts: Record<ValueType, number>;
  distinct: Set<unknown>;
  numbers: number[];
  min: number;
  max: number;
  mean: number;
  m2: number;
  /** Type 7, as many as in our profile; empty without numbers. */
  quantiles: number[];
  outliers: number;
}

export type PlainProfile = Map<string, PlainField>;

export function plainProfile(rows: readonly Row[]): PlainProfile {
  const fields: PlainProfile = new Map();
  for (const row of rows) {
    for (const name in row) {
      let field = fields.get(name);
      if (field === undefined) {
        field = emptyField();
        fields.set(name, field);
      }
      addValue(field, row[name]);
    }
  }
  for (const field of fields.values()) {
    field.nulls += rows.length - field.present;
    if (field.numbers.length > 0) measureNumbers(field);
  }
  return fields;
}

const emptyField = (): PlainField => ({
  present: 0,
  nulls: 0,
  empties: 0,
  counts: { number: 0, boolean: 0, object: 0, array: 0, string: 0 },
  distinct: new Set(),
  numbers: [],
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  mean: 0,
  m2: 0,
  quantiles: [],
  outliers: 0,
});

function addValue(field: PlainField, value: unknown): void {
  field.present++;
  switch (typeof value) {
    case 'number':
      addNumber(field, value);
      break;
    case 'string':
      field.counts.string++;
      if (value === '') field.empties++;
      field.distinct.add(value);
      break;
    case 'boolean':
      field.counts.boolean++;
      field.distinct.add(value);
      break;
    default:
      addObject(field, value);
  }
}

/** Mean and squared deviations by Welford (1962). */
function addNumber(field: PlainField, value: number): void {
  const count = ++field.counts.number;
  if (value < field.min) field.min = value;
  if (value > field.max) field.max = value;
  const deviation = value - field.mean;
  field.mean += deviation / count;
  field.m2 += deviation * (value - field.mean);
  field.numbers.push(value);
  field.distinct.add(value);
}

function addObject(field: PlainField, value: unknown): void {
  if (value === null) {
    field.nulls++;
    return;
  }
  field.counts[Array.isArray(value) ? 'array' : 'object']++;
  field.distinct.add(JSON.stringify(value));
}

function measureNumbers(field: PlainField): void {
  const sorted = Float64Array.from(field.numbers).sort();
  field.quantiles = Array.from({ length: QUANTILES }, (_, i) => quantileOf(sorted, i / (QUANTILES - 1)));
  const q1 = quantileOf(sorted, 0.25);
  const q3 = quantileOf(sorted, 0.75);
  const reach = FENCE * (q3 - q1);
  if (reach === 0) return;
  for (const value of sorted) if (value < q1 - reach || value > q3 + reach) field.outliers++;
}

/** Type 7 (Hyndman and Fan 1996). */
function quantileOf(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)]!;
  return low + (sorted[Math.ceil(at)]! - low) * (at - Math.floor(at));
}
