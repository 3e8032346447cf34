import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import type { Baseline, BaselineField } from '../../src/baseline/baseline.ts';
import { encodeRecord } from '../../src/baseline/encode-record.ts';
import { byId, fold, mergeState, settle } from '../../src/baseline/merge.ts';
import { baselineOf } from '../../src/baseline/merged.ts';
import { EMPTY_RECORD } from '../../src/baseline/record.ts';
import type { BatchState } from '../../src/baseline/state.ts';
import { anyBatches, batchState, fieldState, hashOf, idOf, numberField, textField } from './batches.ts';

const COUNTS = { number: 0, boolean: 0, object: 0, array: 0, string: 0 };

const baselineAfter = (...states: BatchState[]): Baseline => baselineOf(settle(null, states.toSorted(byId))!);
const bytesAfter = (states: BatchState[]): Uint8Array =>
  encodeRecord(fold(states.toSorted(byId).reduce(mergeState, EMPTY_RECORD)));
const fieldAfter = (...states: BatchState[]): BaselineField => baselineAfter(...states).fields.get('x')!;
const inOrder = (fields: (ReturnType<typeof fieldState> | null)[], rows = 100): BatchState[] =>
  fields.map((field, index) => batchState(idOf(index), rows, field ? { x: field } : {}));

describe('merge', () => {
  test('the order in which states arrive does not matter', () => {
    fc.assert(
      fc.property(
        anyBatches(12).chain(states =>
          fc.tuple(fc.constant(states), fc.shuffledSubarray(states, { minLength: states.length })),
        ),
        ([states, shuffled]) => {
          expect(bytesAfter(shuffled)).toEqual(bytesAfter(states));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('folding changes only the quantiles', () => {
    fc.assert(
      fc.property(anyBatches(12), states => {
        const record = states.reduce(mergeState, EMPTY_RECORD);
        const [before, after] = [record, fold(record)].map(r =>
          baselineOf({ record: r, provisional: false }),
        );
        for (const [name, field] of before!.fields) {
          const same = after!.fields.get(name)!;
          for (const key of [
            ...Object.keys(field),
            'usualValues',
            'usualTexts',
            'usualDistinctTexts',
            'approxDistinct',
          ]) {
            expect(same[key as keyof BaselineField]).toEqual(field[key as keyof BaselineField]);
          }
          // Adding 0 makes -0 and 0 one number.
          for (const p of [0, 1]) expect(same.quantile(p) + 0).toBe(field.quantile(p) + 0);
        }
        expect(after).toMatchObject({
          batches: before!.batches,
          rows: before!.rows,
          rowCounts: before!.rowCounts,
        });
      }),
      { numRuns: 50 },
    );
  });

  test('moments are those of all numbers together, each weighted by the age of its batch', () => {
    const numbers = fc.array(fc.double({ min: -1000, max: 1000, noNaN: true }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 25 }), batches => {
        const record = inOrder(batches.map(numberField)).reduce(mergeState, EMPTY_RECORD);
        const weighted = batches.flatMap((list, i) =>
          list.map(x => ({ x, w: 2 ** (-(batches.length - 1 - i) / 10) })),
        );
        const weight = weighted.reduce((sum, { w }) => sum + w, 0);
        const mean = weighted.reduce((sum, { x, w }) => sum + w * x, 0) / weight;
        const m2 = weighted.reduce((sum, { x, w }) => sum + w * (x - mean) ** 2, 0);
        const moments = record.fields.get('x')!.moments!;
        expect(moments.weight).toBeCloseTo(weight, 6);
        expect(moments.mean).toBeCloseTo(mean, 6);
        expect(Math.abs(moments.m2 - m2)).toBeLessThanOrEqual(1e-9 * m2 + 1e-6);
      }),
    );
  });

  test('rates are averages weighted by rows', () => {
    const nulls = (nulls: number, rows: number, id: number): BatchState =>
      batchState(idOf(id), rows, { x: fieldState({ present: rows, nulls }) });
    const { nullRate, weightedRows } = fieldAfter(nulls(0, 300, 0), nulls(100, 100, 1));
    const older = 300 * 2 ** -0.1;
    expect(weightedRows).toBeCloseTo(older + 100, 10);
    expect(nullRate).toBeCloseTo(100 / (older + 100), 10);
  });

  test("a batch's weight halves every 10 batches", () => {
    const all = fieldState({ present: 100, nulls: 100 });
    const none = fieldState({ present: 100, nulls: 0 });
    const after = (batches: number): number => {
      const field = fieldAfter(...inOrder([all, ...new Array(batches).fill(none)]));
      return field.nullRate * field.weightedRows;
    };
    expect(after(10)).toBeCloseTo(50, 10);
    expect(after(20)).toBeCloseTo(25, 10);
  });

  test('a batch without the field counts its rows as null and not present, from the first sight on', () => {
    const seen = fieldState({ present: 5, nulls: 95, counts: { ...COUNTS, string: 5 } });
    const field = fieldAfter(...inOrder([null, null, seen, null]));
    const older = 2 ** -0.1;
    expect(field.weightedRows).toBeCloseTo(100 * older + 100, 10);
    expect(field.presence).toBeCloseTo((5 * older) / (100 * older + 100), 10);
    expect(field.nullRate).toBeCloseTo((95 * older + 100) / (100 * older + 100), 10);
  });

  test('a removed field keeps what is known of it, so that it is reported until a reset', () => {
    const seen = fieldState({ present: 100, counts: { ...COUNTS, string: 100 } });
    const field = fieldAfter(...inOrder([seen, null, null]));
    expect(field.presence).toBe(1);
    expect(field.weightedRows).toBe(100);
  });

  test('the first definite type is kept', () => {
    const ofType = (counts: Partial<typeof COUNTS>) =>
      fieldState({ present: 100, counts: { ...COUNTS, ...counts } });
    const typeAfter = (...fields: ReturnType<typeof fieldState>[]) => fieldAfter(...inOrder(fields)).type;
    const mixed = ofType({ number: 1, string: 1 });
    expect(typeAfter(ofType({}))).toBe('null');
    expect(typeAfter(mixed)).toBe('mixed');
    expect(typeAfter(ofType({}), mixed, ofType({}))).toBe('mixed');
    expect(typeAfter(ofType({}), mixed, ofType({ number: 3, string: 2 }), ofType({ string: 5 }))).toBe(
      'number',
    );
  });

  test('adds new fields and new strings', () => {
    const states = [
      batchState(idOf(0), 2, { a: textField([1]) }),
      batchState(idOf(1), 2, { b: textField([1]), a: textField([2]) }),
    ];
    const { fields } = baselineAfter(...states);
    expect([...fields.keys()]).toEqual(['a', 'b']);
    expect([...fields.get('a')!.known!]).toEqual([hashOf(1), hashOf(2)].sort((a, b) => (a < b ? -1 : 1)));
  });

  test('strings are listed up to 50 distinct ones in all, and then never again', () => {
    const range = (from: number, to: number) =>
      textField(Array.from({ length: to - from }, (_, i) => from + i));
    expect(fieldAfter(...inOrder([range(0, 30), range(20, 50)])).known).toHaveLength(50);
    expect(fieldAfter(...inOrder([range(0, 30), range(20, 51)])).known).toBeNull();
    expect(fieldAfter(...inOrder([range(0, 51), range(0, 1)])).known).toBeNull();
  });

  test('usual counts are the median of the last batches that had any', () => {
    const sizes = [10, 30, 20, 40].map(size =>
      textField(Array.from({ length: size }, (_, i) => i % (size / 5))),
    );
    const field = fieldAfter(...inOrder([...sizes, null, fieldState({ present: 5, nulls: 5 })]));
    expect(field.usualValues).toBe(25);
    expect(field.usualTexts).toBe(25);
    expect(field.usualDistinctTexts).toBe(5);
    expect(field.texts).toBe(100);
  });

  test('batches older than the last 32 are no longer usual', () => {
    const sizes = [...new Array(40).fill(10), ...new Array(32).fill(90)];
    const states = sizes.map((size, i) =>
      batchState(idOf(i), size, { x: numberField(new Array(size).fill(1)) }),
    );
    expect(fieldAfter(...states).usualValues).toBe(90);
    expect(baselineAfter(...states).rowCounts).toEqual(new Array(32).fill(90));
    expect(baselineAfter(...states)).toMatchObject({ batches: 72, rows: 40 * 10 + 32 * 90 });
  });

  test('a chunk counts except for its number of rows', () => {
    const states = [1, 2, 3].map(id => batchState(idOf(id), id, {}, { chunk: id === 2 }));
    expect(baselineAfter(...states)).toMatchObject({ rowCounts: [1, 3], batches: 3, rows: 6 });
  });

  test('a field without values or strings has no rates of them', () => {
    const field = fieldAfter(...inOrder([fieldState({ present: 100, nulls: 100 })]));
    expect(field).toMatchObject({
      weightedTexts: 0,
      emptyRate: 0,
      usualValues: 0,
      usualTexts: 0,
      approxDistinct: 0,
    });
    expect(field.distinctRatio).toBeNaN();
    expect(field.quantile(0.5)).toBeNaN();
  });

  test('counts distinct values over all batches', () => {
    const ofRange = (from: number) => textField(Array.from({ length: 200 }, (_, i) => from + i));
    expect(
      Math.abs(fieldAfter(...inOrder([ofRange(0), ofRange(100), ofRange(0)])).approxDistinct / 300 - 1),
    ).toBeLessThan(0.138);
    expect(fieldAfter(...inOrder([ofRange(0), ofRange(100)])).distinctRatio).toBeCloseTo(1, 12);
  });

  test('a provisional batch counts only while there is nothing else, and of two the lower id', () => {
    const provisional = (id: number) => batchState(idOf(id), id, {}, { provisional: true, verdict: 'BLOCK' });
    const firm = batchState(idOf(9), 9, {});
    expect(baselineAfter(provisional(3), provisional(2))).toMatchObject({
      provisional: true,
      rows: 2,
      batches: 1,
    });
    expect(baselineAfter(provisional(3), firm, provisional(2))).toMatchObject({
      provisional: false,
      rows: 9,
    });
    const folded = settle(null, [firm])!.record;
    expect(settle(folded, [provisional(1)])).toEqual({ record: folded, provisional: false });
  });
});
