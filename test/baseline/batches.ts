/** Generated batch states, and the engine's measures in plain TypeScript. */
import fc from 'fast-check';
import { MAX_ENUM, MAX_INSPECTED, MAX_ROWS, QUANTILES, REGISTERS } from '../../assembly/abi.ts';
import { packRegisters } from '../../src/baseline/distinct.ts';
import type { BatchState, FieldState } from '../../src/baseline/state.ts';
import { type NumericMeasures, VALUE_TYPES, type ValueType } from '../../src/profile/profile.ts';
import { typePlace } from '../../src/statistics/counts.ts';
import { nothingMeasured, summarise } from '../../src/statistics/measure.ts';
import type { NumberSummary } from '../../src/statistics/measurement.ts';
import { MEASUREMENTS, PLACE } from '../../src/statistics/registry.ts';

/** Registers of the distinct-count sketch over hashes, as the engine makes them. */
export function registersOf(hashes: Iterable<bigint>): Uint8Array {
  const registers = new Uint8Array(REGISTERS);
  for (const hash of hashes) {
    const index = Number(hash >> 55n);
    const rest = (hash & ((1n << 55n) - 1n)).toString(2).padStart(55, '0');
    const zeros = rest.indexOf('1');
    registers[index] = Math.max(registers[index]!, (zeros < 0 ? 55 : zeros) + 1);
  }
  return registers;
}

/** A well-mixed 64-bit hash of a number (splitmix64, Steele et al. 2014). */
export function hashOf(value: number): bigint {
  let z = BigInt.asUintN(64, (BigInt(value) + 1n) * 0x9e3779b97f4a7c15n);
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/** The type 7 quantile of sorted numbers. */
export function quantile7(sorted: readonly number[], p: number): number {
  const h = (sorted.length - 1) * p;
  const low = sorted[Math.floor(h)]!;
  return low + (h - Math.floor(h)) * (sorted[Math.ceil(h)]! - low);
}

export function measuresOf(numbers: readonly number[]): NumericMeasures {
  const sorted = numbers.toSorted((a, b) => a - b);
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const m2 = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  const quantiles = Float64Array.from({ length: QUANTILES }, (_, i) =>
    quantile7(sorted, i / (QUANTILES - 1)),
  );
  return { count: numbers.length, mean, m2, quantiles, outliers: { count: 0, min: NaN, max: NaN } };
}

export function summaryOf(numbers: readonly number[]): NumberSummary | null {
  if (numbers.length === 0) return null;
  const { mean, m2, quantiles } = measuresOf(numbers);
  return { mean, m2, points: quantiles };
}

const NO_COUNTS = { number: 0, boolean: 0, object: 0, array: 0, string: 0 };

/** What is told of a field, by the names of the registry. */
export type FieldFacts = Partial<Record<keyof typeof PLACE, number>> &
  Partial<Pick<FieldState, 'sketch' | 'listed' | 'summary'>> & {
    counts?: Record<ValueType, number>;
    /** Whether only the groups `rows` and `numbers` are known, as in version 1. */
    onlyCharged?: boolean;
  };

const isPlace = (name: string): name is keyof typeof PLACE => name in PLACE;

/** A field of all-null rows, except for what is given. Without texts unless `inspected_texts` is. */
export function fieldState(given: FieldFacts = {}): FieldState {
  const { counts = NO_COUNTS, summary = null } = given;
  const numbers = nothingMeasured();
  for (const { group, place, width } of MEASUREMENTS) {
    const isZero = group === 'rows' || (group === 'cells' && !given.onlyCharged);
    if (isZero || (group === 'texts' && given.inspected_texts !== undefined))
      numbers.fill(0, place, place + width);
  }
  VALUE_TYPES.forEach((type, i) => {
    numbers[typePlace(i)] = counts[type];
  });
  if (!given.onlyCharged) numbers[PLACE.inspected] = given.values ?? 0;
  for (const [name, value] of Object.entries(given)) {
    if (isPlace(name) && typeof value === 'number') numbers[PLACE[name]] = value;
  }
  summarise(numbers, summary);
  return {
    numbers,
    sketch: given.sketch ?? packRegisters(new Uint8Array(REGISTERS)),
    listed: given.listed === undefined ? new BigUint64Array() : given.listed,
    summary,
  };
}

/** A field whose measurements all have their largest size. */
export const LARGEST = fieldState({
  present: MAX_ROWS,
  nulls: MAX_ROWS,
  counts: { number: MAX_ROWS, boolean: MAX_ROWS, object: MAX_ROWS, array: MAX_ROWS, string: MAX_ROWS },
  empties: MAX_ROWS,
  values: MAX_ROWS,
  distinct: MAX_ROWS,
  texts: MAX_ROWS,
  distinct_texts: MAX_ROWS,
  finite: MAX_ROWS,
  outliers: MAX_ROWS,
  sketch: packRegisters(new Uint8Array(REGISTERS).fill(56)),
  listed: BigUint64Array.from({ length: MAX_ENUM }, (_, i) => hashOf(i)).sort(),
  summary: summaryOf([1, 2, 3])!,
});
for (const { group, place, width } of MEASUREMENTS) {
  const isOptional = group !== 'rows' && group !== 'numbers';
  if (isOptional) LARGEST.numbers.fill(MAX_INSPECTED * 64, place, place + width);
}

/** The field with other measurements. */
export function withNumbers(
  field: FieldState,
  changes: Partial<Record<keyof typeof PLACE, number>>,
): FieldState {
  const numbers = field.numbers.slice();
  for (const [name, value] of Object.entries(changes)) if (isPlace(name)) numbers[PLACE[name]] = value;
  return { ...field, numbers };
}

/** A field of numbers in every row. */
export function numberField(numbers: readonly number[]): FieldState {
  const distinct = new Set(numbers).size;
  return fieldState({
    present: numbers.length,
    counts: { ...NO_COUNTS, number: numbers.length },
    values: numbers.length,
    distinct,
    finite: numbers.length,
    summary: summaryOf(numbers),
  });
}

/** A field of strings in every row: each number stands for a string. */
export function textField(texts: readonly number[]): FieldState {
  const hashes = [...new Set(texts)].map(hashOf);
  return fieldState({
    present: texts.length,
    counts: { ...NO_COUNTS, string: texts.length },
    values: texts.length,
    distinct: hashes.length,
    texts: texts.length,
    distinct_texts: hashes.length,
    sketch: packRegisters(registersOf(hashes)),
    listed: hashes.length > MAX_ENUM ? null : BigUint64Array.from(hashes).sort(),
  });
}

export function batchState(
  id: string,
  rows: number,
  fields: Record<string, FieldState> | Map<string, FieldState>,
  given: Partial<BatchState> = {},
): BatchState {
  const map = fields instanceof Map ? fields : new Map(Object.entries(fields));
  const facts = {
    at: 1_790_000_000_000,
    chunk: false,
    duplicateRows: Number.NaN,
    provisional: false,
    verdict: 'PASS',
    health: 1,
  } as const;
  return { id, rows, ...facts, fields: map, ...given };
}

const count = fc.nat(10_000);
const share = fc.float({ min: 0, max: 1, noNaN: true });
/** Any value that a measurement can have. */
const anyValue = { count, f32: share, u32: fc.nat(2 ** 24 - 1) };
/** All measurements, of which whole groups may be unknown. */
const anyNumbers: fc.Arbitrary<Float32Array> = fc
  .tuple(
    fc.tuple(...MEASUREMENTS.flatMap(({ storage, width }) => Array(width).fill(anyValue[storage]))),
    fc.boolean(),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([values, hasCells, hasTexts, hasHistory]) => {
    const numbers = Float32Array.from(values as number[]);
    const has = {
      rows: true,
      numbers: false,
      cells: hasCells,
      texts: hasCells && hasTexts,
      history: hasCells && hasHistory,
    };
    for (const { group, place, width } of MEASUREMENTS) {
      if (!has[group]) numbers.fill(Number.NaN, place, place + width);
    }
    return numbers;
  });
const hashes = fc
  .uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: MAX_ENUM })
  .map(list => BigUint64Array.from(list).sort());
const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e150, max: 1e150 }), {
  maxLength: 20,
});

/** Any state of a field, of counts that need not agree with each other. */
export const anyFieldState: fc.Arbitrary<FieldState> = fc
  .record({
    numbers: anyNumbers,
    sketch: fc
      .array(fc.nat(1000), { maxLength: 1500 })
      .map(list => packRegisters(registersOf(list.map(hashOf)))),
    listed: fc.option(hashes),
    values: numbers,
  })
  .map(({ numbers, sketch, listed, values }) => {
    const summary = summaryOf(values);
    numbers[PLACE.finite] = values.length;
    numbers[PLACE.outliers] = Math.min(values.length, numbers[PLACE.outliers]!);
    summarise(numbers, summary);
    return { numbers, sketch, listed, summary };
  });

const fieldName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', '', 'a', 'b', 'c', '\ud800', '\ud801', '\ufeff', '\0'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);

/** Any batch with the given id. */
export const anyBatch = (id: string): fc.Arbitrary<BatchState> =>
  fc.record({
    id: fc.constant(id),
    at: fc.nat(2 ** 41),
    chunk: fc.boolean(),
    provisional: fc.constant(false),
    verdict: fc.constantFrom('PASS' as const, 'WARN' as const),
    health: fc.double({ min: 0, max: 1, noNaN: true }),
    rows: fc.integer({ min: 1, max: 10_000 }),
    duplicateRows: fc.oneof(fc.nat(9999), fc.constant(Number.NaN)),
    fields: fc.array(fc.tuple(fieldName, anyFieldState), { maxLength: 6 }).map(list => new Map(list)),
  });

export const idOf = (index: number): string => `req_${String(index).padStart(26, '0')}`;

/** Any batches, with ascending ids. */
export const anyBatches = (maxLength: number): fc.Arbitrary<BatchState[]> =>
  fc.nat(maxLength).chain(length => fc.tuple(...Array.from({ length }, (_, i) => anyBatch(idOf(i)))));
