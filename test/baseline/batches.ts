/** Generated batch states, and the engine's measures in plain TypeScript. */
import fc from 'fast-check';
import { MAX_ENUM, QUANTILES, REGISTERS } from '../../assembly/abi.ts';
import { packRegisters } from '../../src/baseline/distinct.ts';
import type { BatchState, FieldState, NumericState } from '../../src/baseline/state.ts';
import { FIRST_TRAIT, Statistic, TRAITS } from '../../src/baseline/statistics.ts';
import type { NumericMeasures } from '../../src/profile/profile.ts';

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

export function numericOf(numbers: readonly number[]): NumericState | null {
  if (numbers.length === 0) return null;
  const { count, mean, m2, quantiles } = measuresOf(numbers);
  return { count, mean, m2, outliers: 0, points: quantiles };
}

/** Of a field without texts, but for what is given. */
function traitsOf({ looked = 0, top = 0, fresh = Number.NaN }): Float32Array {
  const traits = new Float32Array(TRAITS);
  traits.fill(Number.NaN, Statistic.LOOKED_TEXTS - FIRST_TRAIT, Statistic.TRUES - FIRST_TRAIT);
  traits[Statistic.LOOKED - FIRST_TRAIT] = looked;
  traits[Statistic.TOP - FIRST_TRAIT] = top;
  traits[Statistic.FRESH - FIRST_TRAIT] = fresh;
  return traits;
}

const NO_COUNTS = { number: 0, boolean: 0, object: 0, array: 0, string: 0 };

/** A field of all-null rows, but for what is given. */
export function fieldState(given: Partial<FieldState> = {}): FieldState {
  return {
    present: 0,
    nulls: 0,
    counts: { ...NO_COUNTS },
    empties: 0,
    values: 0,
    distinct: 0,
    texts: 0,
    distinctTexts: 0,
    sketch: packRegisters(new Uint8Array(REGISTERS)),
    listed: new BigUint64Array(),
    numeric: null,
    traits: traitsOf({ looked: given.values ?? 0 }),
    ...given,
  };
}

/** A field of numbers in every row. */
export function numberField(numbers: readonly number[]): FieldState {
  const distinct = new Set(numbers).size;
  return fieldState({
    present: numbers.length,
    counts: { ...NO_COUNTS, number: numbers.length },
    values: numbers.length,
    distinct,
    numeric: numericOf(numbers),
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
    distinctTexts: hashes.length,
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
    provisional: false,
    verdict: 'PASS',
    health: 1,
  } as const;
  return { id, rows, ...facts, fields: map, ...given };
}

const count = fc.nat(10_000);
const share = fc.float({ min: 0, max: 1, noNaN: true });
const TEXT_TRAITS = Statistic.LENGTH_MEAN - Statistic.LOOKED_TEXTS;
/** LOOKED, and all between TOP and the texts'. */
const COUNTED_TRAITS = 1 + Statistic.LOOKED_TEXTS - Statistic.NEIGHBOURS;
const anyTraits: fc.Arbitrary<Float32Array | null> = fc.option(
  fc
    .record({
      content: fc.nat(2 ** 24 - 1),
      top: share,
      numbers: fc.array(count, { minLength: COUNTED_TRAITS, maxLength: COUNTED_TRAITS }),
      texts: fc.option(fc.array(count, { minLength: TEXT_TRAITS, maxLength: TEXT_TRAITS })),
      lengths: fc.tuple(share, share),
      trues: count,
      fresh: fc.option(count, { nil: Number.NaN }),
    })
    .map(({ content, top, numbers, texts, lengths, trues, fresh }) => {
      const [looked, ...kinds] = numbers;
      const ofTexts = texts ? [...texts, ...lengths] : Array<number>(TEXT_TRAITS + 2).fill(Number.NaN);
      return Float32Array.of(content, looked!, top, ...kinds, ...ofTexts, trues, fresh);
    }),
);
const hashes = fc
  .uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: MAX_ENUM })
  .map(list => BigUint64Array.from(list).sort());
const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e150, max: 1e150 }), {
  maxLength: 20,
});

/** Any state of a field, of counts that need not agree with each other. */
export const anyFieldState: fc.Arbitrary<FieldState> = fc.record({
  present: count,
  nulls: count,
  counts: fc.record({ number: count, boolean: count, object: count, array: count, string: count }),
  empties: count,
  values: count,
  distinct: count,
  texts: count,
  distinctTexts: count,
  sketch: fc
    .array(fc.nat(1000), { maxLength: 1500 })
    .map(list => packRegisters(registersOf(list.map(hashOf)))),
  listed: fc.option(hashes),
  numeric: numbers.map(numericOf),
  traits: anyTraits,
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
    fields: fc.array(fc.tuple(fieldName, anyFieldState), { maxLength: 6 }).map(list => new Map(list)),
  });

export const idOf = (index: number): string => `req_${String(index).padStart(26, '0')}`;

/** Any batches, with ascending ids. */
export const anyBatches = (maxLength: number): fc.Arbitrary<BatchState[]> =>
  fc.nat(maxLength).chain(length => fc.tuple(...Array.from({ length }, (_, i) => anyBatch(idOf(i)))));
