import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { Column, MAX_ROWS, REGISTERS } from '../../assembly/abi.ts';
import type { BatchFacts } from '../../src/baseline/batch-facts.ts';
import { encodeRecord } from '../../src/baseline/encode-record.ts';
import {
  fieldCost,
  MAX_RECORD_BYTES,
  MAX_TRACKED,
  RECORD_COST,
  untracked,
} from '../../src/baseline/limits.ts';
import { byId, fold, settle } from '../../src/baseline/merge.ts';
import { baselineOf } from '../../src/baseline/merged.ts';
import type { BatchState } from '../../src/baseline/state.ts';
import { stateOf } from '../../src/baseline/state-of-batch.ts';
import type { FieldProfile, Profile } from '../../src/profile/profile.ts';
import { PLACE } from '../../src/statistics/registry.ts';
import { batchState, fieldState, idOf, LARGEST, measuresOf } from './batches.ts';

const settled = (...states: BatchState[]) => settle(null, states.toSorted(byId))!;
const names = (count: number, length = 10): string[] =>
  Array.from({ length: count }, (_, i) => String(i).padStart(length, '_'));
const batchOf = (id: number, fieldNames: string[], field = fieldState()): BatchState =>
  batchState(idOf(id), MAX_ROWS, new Map(fieldNames.map(name => [name, field])));

describe('limits', () => {
  test('a record is never larger than what its fields are charged', () => {
    const longId = (i: number): string => '\u4e00'.repeat(60) + String(i).padStart(4, '0');
    const states = Array.from({ length: 33 }, (_, i) => ({
      ...batchOf(i, ['a', '', '\ud800'.repeat(50), 'é'.repeat(100)], LARGEST),
      id: longId(i),
    }));
    const { record } = settled(...states);
    const size = encodeRecord(fold(record)).length;
    let charge = RECORD_COST;
    for (const [name, { detail }] of record.fields) charge += fieldCost(name, detail);
    expect(size).toBeLessThanOrEqual(charge);
    // .. and the charge is not far from what it can be.
    expect(size).toBeGreaterThan(0.8 * charge);
  });

  test('a name too long to be tracked leaves room for the others', () => {
    const long = 'x'.repeat(MAX_RECORD_BYTES);
    const { record } = settled(batchOf(0, [long, 'a']));
    expect([...record.fields.keys()]).toEqual(['a']);
    expect(untracked(null, [long, 'a'])).toEqual([long]);
  });

  test('`untracked` names exactly the fields that are not tracked', () => {
    const anyNames = fc.uniqueArray(
      fc
        .tuple(fc.nat(30), fc.integer({ min: 1, max: 1_000_000 }))
        .map(([name, length]) => String(name).padStart(length, 'x')),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(anyNames, anyNames, (first, second) => {
        const before = settled(batchOf(0, first));
        expect(untracked(null, first)).toEqual(first.filter(name => !before.record.fields.has(name)));
        const said = untracked(baselineOf(before), second);
        const after = settled(batchOf(0, first), batchOf(1, second)).record;
        expect(said).toEqual(second.filter(name => !after.fields.has(name)));
      }),
      { numRuns: 30 },
    );
  });

  test('the limits of the rules', () => {
    expect([MAX_TRACKED, MAX_RECORD_BYTES]).toEqual([4000, 4 * 1024 * 1024]);
  });
});

const FACTS: BatchFacts = {
  id: 'req_1',
  at: 5,
  chunk: true,
  provisional: true,
  verdict: 'BLOCK',
  health: 0.25,
};

/** Two numbers, and in the other columns each its own index. */
const RECORD = Float64Array.from({ length: Column.LENGTH }, (_, column) => column);
RECORD.fill(0, Column.NULLS, Column.VALUES);
RECORD[Column.NUMBERS] = RECORD[Column.VALUES] = RECORD[Column.DISTINCT] = RECORD[Column.FINITE] = 2;
RECORD[Column.TRUES] = 0;
RECORD[Column.OUTLIERS] = 1;

const profileField = (name: string, quantiles = measuresOf([1, 2]).quantiles): FieldProfile => ({
  name,
  physicalType: null,
  signs: {},
  meanings: {},
  column: 0,
  present: 2,
  nulls: 0,
  counts: { number: 2, boolean: 0, object: 0, array: 0, string: 0 },
  empties: 0,
  typedTexts: 0,
  measured: {
    values: 2,
    distinct: 2,
    texts: 0,
    distinctTexts: 0,
    registers: new Uint8Array(REGISTERS),
    listed: [
      { hash: 9n, count: 1 },
      { hash: 3n, count: 1 },
    ],
    numeric: { ...measuresOf([1, 2]), quantiles, outliers: { count: 1, min: 2, max: 2 } },
    record: RECORD.slice(),
  },
});
const profileOf = (...fields: FieldProfile[]): Profile => ({
  rows: 2,
  analysedRows: 2,
  fields,
  repeatedNames: [],
  duplicateRows: 0,
  ragged: { count: 0, firstLine: 0 },
  endsEarly: false,
  signs: [],
});

test('the batch that replaces a provisional baseline has all the room', () => {
  const all = names(MAX_TRACKED);
  const full = baselineOf(settle(null, [{ ...batchOf(0, all), provisional: true }])!);
  expect(untracked(full, ['fresh'])).toEqual([]);
  expect(untracked({ ...full, provisional: false }, ['fresh'])).toEqual(['fresh']);
});

describe('the state of a batch', () => {
  test('holds what the profile and the verdict say', () => {
    const state = stateOf(profileOf(profileField('__proto__')), FACTS, null, new Map());
    expect(state).toMatchObject({ ...FACTS, rows: 2 });
    expect([...state.fields.keys()]).toEqual(['__proto__']);
    const field = state.fields.get('__proto__')!;
    const at = (place: number) => field.numbers[place];
    expect([at(PLACE.present), at(PLACE.values), at(PLACE.distinct)]).toEqual([2, 2, 2]);
    expect([at(PLACE.nulls), at(PLACE.finite), at(PLACE.outliers)]).toEqual([0, 2, 1]);
    expect([at(PLACE.mean), at(PLACE.standard_deviation), at(PLACE.maximum)]).toEqual([1.5, 0.5, 2]);
    expect([...field.listed!]).toEqual([3n, 9n]);
    expect(field.summary).toMatchObject({ mean: 1.5, m2: 0.5 });
  });

  test('has every measurement, and NaN for those of texts without a text', () => {
    const profile = profileOf(profileField('a'), profileField('b'));
    profile.fields[1]!.measured.record[Column.INSPECTED_TEXTS] = 0;
    const { fields } = stateOf(
      profile,
      FACTS,
      null,
      new Map([['a', { fresh: 3, unseen: Number.NaN, far: Number.NaN }]]),
    );
    const at = (name: string, place: number) => fields.get(name)!.numbers[place]!;
    expect(at('a', PLACE.new_values)).toBe(3);
    expect(at('a', PLACE.unseen)).toBeNaN();
    expect(at('b', PLACE.new_values)).toBeNaN();
    expect(at('a', PLACE.padded)).toBe(Column.PADDED);
    expect(at('b', PLACE.padded)).toBeNaN();
    const deviation = Math.sqrt(Column.LENGTH_M2 / Column.INSPECTED_TEXTS);
    expect(at('a', PLACE.length_standard_deviation)).toBeCloseTo(deviation, 6);
    expect(at('b', PLACE.length_standard_deviation)).toBeNaN();
    expect(at('b', PLACE.value_buckets)).toBe(Column.FIRST_VALUE_BUCKET);
    expect(at('b', PLACE.value_buckets + 7)).toBe(Column.LAST_VALUE_BUCKET);
    expect(at('b', PLACE.agreeing)).toBe(Column.AGREEING);
  });

  test('does not change when the engine reuses its memory', () => {
    const profile = profileOf(profileField('a'));
    const state = stateOf(profile, FACTS, null, new Map());
    profile.fields[0]!.measured.numeric!.quantiles.fill(0);
    profile.fields[0]!.measured.registers.fill(7);
    expect(state.fields.get('a')!.summary!.points[32]).toBe(2);
    expect(state.fields.get('a')!.sketch).toHaveLength(0);
  });

  test('leaves out fields that will not be tracked', () => {
    const long = 'x'.repeat(MAX_RECORD_BYTES);
    const state = stateOf(profileOf(profileField(long), profileField('a')), FACTS, null, new Map());
    expect([...state.fields.keys()]).toEqual(['a']);
  });

  test('keeps no numbers of a field whose quantiles are not all finite', () => {
    const overflowed = measuresOf([1, 2]).quantiles.with(3, Number.POSITIVE_INFINITY);
    const state = stateOf(profileOf(profileField('a', overflowed)), FACTS, null, new Map());
    const { summary, numbers } = state.fields.get('a')!;
    expect(summary).toBeNull();
    expect([numbers[PLACE.finite], numbers[PLACE.outliers]]).toEqual([0, 0]);
    expect(numbers[PLACE.mean]).toBeNaN();
  });
});
