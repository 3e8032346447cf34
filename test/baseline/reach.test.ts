import { describe, expect, test } from 'bun:test';
import { mergeState } from '../../src/baseline/merge.ts';
import { baselineOf } from '../../src/baseline/merged.ts';
import { countNewValues } from '../../src/baseline/new-values.ts';
import { reachOf } from '../../src/baseline/reach.ts';
import { EMPTY_RECORD } from '../../src/baseline/record.ts';
import type { BatchState } from '../../src/baseline/state.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';
import { batchState, fieldState, idOf, numberField } from './batches.ts';

const baselineAfter = (states: readonly BatchState[]) =>
  baselineOf({ record: states.reduce(mergeState, EMPTY_RECORD), provisional: false });

/** A batch for each pair: its smallest and its largest number. */
const batches = (...ends: readonly (readonly number[])[]): BatchState[] =>
  ends.map((numbers, i) => batchState(idOf(i), 2, { x: numberField(numbers) }));

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('the reach of numbers', () => {
  test('is what they span, and as much again on either side', () => {
    const known = batches([10, 14], [12, 20], [11, 15]);
    expect(reachOf(baselineAfter(known), 'x')).toEqual({ low: 0, high: 30 });
  });

  test('is not known of two batches, of equal numbers, of other fields and of texts', () => {
    expect(reachOf(baselineAfter(batches([10, 14], [12, 20])), 'x')).toBeNull();
    expect(reachOf(baselineAfter(batches(...times(3, [7, 7]))), 'x')).toBeNull();
    expect(reachOf(baselineAfter(batches(...times(3, [7, 8]))), 'y')).toBeNull();
    const empty = times(3, fieldState()).map((x, i) => batchState(idOf(i), 2, { x }));
    expect(reachOf(baselineAfter(empty), 'x')).toBeNull();
  });

  test('one batch of ten may lie further away', () => {
    const usual = times(9, [10, 20]);
    expect(reachOf(baselineAfter(batches([10, 999], ...usual)), 'x')).toEqual({ low: 0, high: 30 });
    const more = reachOf(baselineAfter(batches([10, 999], [10, 500], ...usual)), 'x');
    expect(more).toEqual({ low: -480, high: 990 });
  });

  test('alarmed batches are left out until somebody accepts them', () => {
    const alarmed = { ...batches([10, 20], [10, 20], [10, 20], [10, 99])[3]!, verdict: 'WARN' as const };
    const states = [...batches(...times(3, [10, 20])), alarmed];
    const baseline = baselineAfter(states);
    expect(reachOf(baseline, 'x')).toEqual({ low: 0, high: 30 });
    const recent = baseline.recent.map(batch => ({ ...batch, accepted: true }));
    expect(reachOf({ ...baseline, recent }, 'x')).toEqual({ low: -79, high: 188 });
  });
});

describe('numbers beyond the reach are counted', () => {
  const baseline = baselineAfter(batches([10, 14], [12, 20], [11, 15]));
  const counted = (rows: readonly object[], of: typeof baseline | null = baseline) => {
    const { profile } = screenBytes(ENGINE, new TextEncoder().encode(JSON.stringify({ source: 's', rows })));
    return countNewValues(profile!, ENGINE.queries, of).get('x')?.far;
  };

  test('on both sides', () => {
    expect(counted([{ x: -1 }, { x: 31 }, { x: 500 }, { x: 0 }, { x: 30 }, { x: 15 }])).toBe(3);
    expect(counted([{ x: 0 }, { x: 30 }])).toBe(0);
  });

  test('where the field has numbers and the source has a past', () => {
    expect(counted([{ x: 'a' }])).toBeNaN();
    expect(counted([{ x: 31 }], baselineAfter(batches([10, 14])))).toBeNaN();
    expect(counted([{ x: 31 }], null)).toBeUndefined();
  });
});
