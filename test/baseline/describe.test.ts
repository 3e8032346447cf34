import '../property/seed.ts';
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { settle } from '../../src/baseline/merge.ts';
import { baselineOf } from '../../src/baseline/merged.ts';
import type { BatchState, FieldState } from '../../src/baseline/state.ts';
import { type BaselineDescription, describeBaseline } from '../../src/baseline/describe.ts';
import { anyBatches, batchState, fieldState, idOf, numberField, textField, withNumbers } from './batches.ts';

const described = (...states: BatchState[]): BaselineDescription =>
  describeBaseline(baselineOf(settle(null, states)!));

const fieldIn = (rows: number, field: FieldState) =>
  described(batchState(idOf(1), rows, { field })).fields.field!;

const upTo = (count: number, step = (index: number) => index): number[] =>
  Array.from({ length: count }, (_, index) => step(index));

describe('what a baseline knows', () => {
  test('counts batches and rows, and says whether it is provisional', async () => {
    const field = numberField([1, 2]);
    const [first, second] = [batchState(idOf(1), 2, { field }), batchState(idOf(2), 2, { field })];
    expect(await described(first, second)).toMatchObject({ batches: 2, rows: 4, provisional: false });
    expect(await described({ ...first, provisional: true })).toMatchObject({ batches: 1, provisional: true });
  });

  test('has quantiles of numbers', async () => {
    expect(await fieldIn(101, numberField(upTo(101)))).toMatchObject({
      type: 'number',
      presence: 1,
      null_rate: 0,
      empty_rate: null,
      distinct_ratio: 1,
      low_cardinality: null,
      quantiles: { 0: 0, 0.125: 12.5, 0.25: 25, 0.5: 50, 0.75: 75, 0.875: 87.5, 1: 100 },
    });
  });

  test('shows the number of known categories, and null for other texts', async () => {
    const categories = await fieldIn(200, textField(upTo(200, index => index % 4)));
    expect(categories).toMatchObject({ type: 'string', empty_rate: 0, low_cardinality: 4 });
    expect(categories).not.toHaveProperty('quantiles');
    expect((await fieldIn(200, textField(upTo(200)))).low_cardinality).toBeNull();
    // Four of eight values may be all there are, or not.
    expect((await fieldIn(8, textField(upTo(8, index => index % 4)))).low_cardinality).toBeNull();
  });

  test('has rates that are shares of the rows, or of the texts', async () => {
    const texts = withNumbers(textField(upTo(8)), { present: 9, nulls: 2, empties: 2 });
    expect(await fieldIn(10, texts)).toMatchObject({ presence: 0.9, null_rate: 0.2, empty_rate: 0.25 });
  });

  test('says nothing more of a field that was always null', async () => {
    expect(await fieldIn(3, fieldState({ present: 3, nulls: 3 }))).toEqual({
      type: 'null',
      presence: 1,
      null_rate: 1,
      empty_rate: null,
      distinct_ratio: null,
      approx_distinct: 0,
      low_cardinality: null,
    });
  });

  test('counts distinct values over all batches, within the error of the sketch', async () => {
    const states = upTo(5).map(batch =>
      batchState(idOf(batch), 400, { field: textField(upTo(400, index => 400 * batch + index)) }),
    );
    const { approx_distinct } = (await described(...states)).fields.field!;
    expect(Number.isInteger(approx_distinct)).toBe(true);
    expect(Math.abs(approx_distinct! - 2000)).toBeLessThan(2000 * 3 * 0.046);
  });

  test('has only numbers that JSON has, and every field under its own name', async () => {
    await fc.assert(
      fc.asyncProperty(anyBatches(4), async states => {
        fc.pre(states.length > 0);
        const description = await described(...states);
        const names = new Set(states.flatMap(state => [...state.fields.keys()]));
        expect(new Set(Object.keys(description.fields))).toEqual(names);
        expect(allNumbers(description).every(Number.isFinite)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

function allNumbers(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(allNumbers) : [];
}
