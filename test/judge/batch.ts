/** Profiles, second looks and baselines of plain rows, made by slow and obvious code. */
import { Column, MAX_ENUM, QUANTILES, REGISTERS } from '../../assembly/abi.ts';
import { NO_ROWS } from '../../bench/no-rows.ts';
import { FULL } from '../../src/baseline/detail.ts';
import type { Baseline, BaselineField } from '../../src/baseline/baseline.ts';
import { stateOf } from '../../src/baseline/state-of-batch.ts';
import type { ColumnQueries } from '../../src/engine/queries.ts';
import { type Assessment, assess } from '../../src/judge/assess.ts';
import { parseOptions } from '../../src/options/options.ts';
import { dominantType, shareOfType } from '../../src/profile/field-type.ts';
import { fitHistory } from '../../src/rules/learned/history.ts';
import { RULES } from '../../src/rules/rules.ts';
import { type Judgement, judgementOf } from './judgement.ts';
import type {
  FieldProfile,
  Measures,
  NumericMeasures,
  Outside,
  Profile,
  ValueType,
} from '../../src/profile/profile.ts';

export type { Judgement };
export type Row = Record<string, unknown>;

/** One row for each value of a single column. */
export const column = (name: string, values: readonly unknown[]): Row[] =>
  values.map(value => ({ [name]: value }));

export const times = <Value>(count: number, value: Value): Value[] => Array<Value>(count).fill(value);

/** `count` values that differ from each other. */
export const distinct = (count: number, prefix = 'v'): string[] =>
  Array.from({ length: count }, (_, index) => prefix + index);

/** `count` values of which `different` differ, as evenly as can be. */
export const cycle = (count: number, different: number, prefix = 'v'): string[] =>
  Array.from({ length: count }, (_, index) => prefix + (index % different));

/** `part` times one value among `whole`, filled up with another. */
export const mix = (part: number, value: unknown, whole: number, other: unknown): unknown[] => [
  ...times(part, value),
  ...times(whole - part, other),
];

export function profileOf(rows: readonly Row[], changes: Partial<Profile> = {}): Profile {
  const names = namesOf(rows);
  return {
    rows: rows.length,
    analysedRows: rows.length,
    fields: names.map((name, index) => fieldOf(rows, name, index)),
    repeatedNames: [],
    duplicateRows: 0,
    ragged: { count: 0, firstLine: 0 },
    endsEarly: false,
    signs: [],
    ...changes,
  };
}

const namesOf = (rows: readonly Row[]): string[] => [...new Set(rows.flatMap(row => Object.keys(row)))];

const isThere = (value: unknown): boolean => value !== null && value !== undefined;

export function typeOf(value: unknown): ValueType {
  if (Array.isArray(value)) return 'array';
  return typeof value as ValueType;
}

function fieldOf(rows: readonly Row[], name: string, index: number): FieldProfile {
  const values = rows.map(row => row[name]).filter(isThere);
  const counts = { number: 0, boolean: 0, object: 0, array: 0, string: 0 };
  for (const value of values) counts[typeOf(value)] += 1;
  return {
    name,
    physicalType: null,
    signs: {},
    meanings: {},
    column: index,
    present: rows.filter(row => Object.hasOwn(row, name)).length,
    nulls: rows.length - values.length,
    counts,
    empties: values.filter(value => value === '').length,
    typedTexts: 0,
    measured: measure(values),
  };
}

function measure(values: readonly unknown[]): Measures {
  const texts = values.filter(value => typeof value === 'string');
  const frequency = Map.groupBy(texts, text => text);
  const listed = [...frequency].map(([text, same]) => ({ hash: hash(text), count: same.length }));
  return {
    values: values.length,
    distinct: new Set(values.map(value => JSON.stringify(value))).size,
    texts: texts.length,
    distinctTexts: frequency.size,
    registers: new Uint8Array(REGISTERS),
    listed: listed.length <= MAX_ENUM ? listed : null,
    numeric: measureNumbers(finite(values)),
    record: new Float64Array(Column.LENGTH),
  };
}

const finite = (values: readonly unknown[]): number[] =>
  values.filter((value): value is number => Number.isFinite(value)).sort((a, b) => a - b);

/** Type 7 (Hyndman and Fan 1996) of sorted numbers. */
function quantile(sorted: readonly number[], p: number): number {
  const at = (sorted.length - 1) * p;
  const low = sorted[Math.floor(at)]!;
  return low + (at - Math.floor(at)) * (sorted[Math.ceil(at)]! - low);
}

function measureNumbers(sorted: readonly number[]): NumericMeasures | null {
  if (sorted.length === 0) return null;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  const [q1, q3] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
  const reach = 3 * (q3 - q1);
  return {
    count: sorted.length,
    mean,
    m2: sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0),
    quantiles: Float64Array.from({ length: QUANTILES }, (_, i) => quantile(sorted, i / (QUANTILES - 1))),
    outliers: reach > 0 ? outside(sorted, q1 - reach, q3 + reach) : outside([], 0, 0),
  };
}

function outside(sorted: readonly number[], low: number, high: number): Outside {
  const far = sorted.filter(value => value < low || value > high);
  return { count: far.length, min: far[0] ?? Number.NaN, max: far.at(-1) ?? Number.NaN };
}

const hash = (text: string): bigint => BigInt(Bun.hash.wyhash(text));

export function lookAt(rows: readonly Row[]): ColumnQueries {
  const names = namesOf(rows);
  const values = (index: number) => rows.map(row => row[names[index]!]).filter(isThere);
  return {
    outside: (index, low, high) => outside(finite(values(index)), low, high),
    unseen(index, known, limit) {
      const fresh = values(index).filter(
        value => typeof value === 'string' && !known.includes(hash(value)),
      ) as string[];
      return { rows: fresh.length, values: [...new Set(fresh)].slice(0, limit) };
    },
    fresh: () => 0,
    example: (index, expected) => values(index).find(value => typeOf(value) !== expected),
    marked: () => [],
  };
}

/** What one batch of these rows leaves behind. */
export function baselineOf(rows: readonly Row[], changes: Partial<Baseline> = {}): Baseline {
  const fields = profileOf(rows).fields.map(field => [field.name, remember(field, rows)] as const);
  return {
    provisional: false,
    batches: 1,
    rows: rows.length,
    rowCounts: [rows.length],
    recent: [],
    fields: new Map(fields),
    ...changes,
  };
}

function remember(field: FieldProfile, rows: readonly Row[]): BaselineField {
  const { measured, counts } = field;
  const numbers = finite(rows.map(row => row[field.name]));
  return {
    detail: FULL,
    type: dominantType(field.counts),
    typeShare: shareOfType(dominantType(field.counts), field.counts),
    weightedRows: rows.length,
    presence: field.present / rows.length,
    nullRate: field.nulls / rows.length,
    emptyRate: counts.string === 0 ? 0 : field.empties / counts.string,
    weightedTexts: counts.string,
    distinctRatio: measured.distinct / measured.values,
    usualValues: measured.values,
    texts: measured.texts,
    usualDistinctTexts: measured.distinctTexts,
    usualTexts: measured.texts,
    known: measured.listed === null ? null : BigUint64Array.from(measured.listed, text => text.hash),
    approxDistinct: measured.distinct,
    registers: measured.registers,
    quantile: p => (numbers.length === 0 ? Number.NaN : quantile(numbers, p)),
  };
}

/** The same baseline with one field's statistics set. */
export function withField(baseline: Baseline, name: string, changes: Partial<BaselineField>): Baseline {
  const fields = new Map(baseline.fields);
  fields.set(name, { ...fields.get(name)!, ...changes });
  return { ...baseline, fields };
}

/** Judged as a request with these `options` would be, and shown as in a report. */
export const judged = (
  rows: readonly Row[],
  baseline: Baseline | null = null,
  options: unknown = undefined,
  changes: Partial<Profile> = {},
): Judgement => judgementOf(assessed(rows, baseline, options, changes), profileOf(rows, changes), baseline);

export function assessed(
  rows: readonly Row[],
  baseline: Baseline | null = null,
  options: unknown = undefined,
  changes: Partial<Profile> = {},
): Assessment {
  const profile = profileOf(rows, changes);
  const parsed = parseOptions(options);
  const facts = {
    id: 'b',
    at: 0,
    chunk: parsed.chunk,
    provisional: false,
    verdict: 'PASS',
    health: 1,
  } as const;
  const state = stateOf(profile, facts, baseline, new Map());
  const batch = { profile, queries: lookAt(rows), rowQueries: NO_ROWS, state };
  return assess(batch, { baseline, history: baseline && fitHistory(baseline) }, RULES, parsed);
}
