import { describe, expect, test } from 'bun:test';
import { encodeRecord } from '../../src/baseline/encode-record.ts';
import { fold } from '../../src/baseline/merge.ts';
import { type Content, NOTHING, withStates } from '../../src/baseline/source-content.ts';
import { batchState, idOf, numberField } from './batches.ts';

const FIELDS = 10;
const BATCHES = 30;

const state = (index: number) => {
  const names = Array.from({ length: FIELDS }, (_, i) => `f${i}`);
  return batchState(idOf(index), 3, new Map(names.map(name => [name, numberField([index, 1, 2])])));
};

/** How many states were merged to get from one content to the next. */
const merged = (before: Content, after: Content): number =>
  after.steps.filter(step => !before.steps.includes(step)).length;

describe('merging a source', () => {
  const all = Array.from({ length: BATCHES }, (_, i) => state(2 * i));
  const content = withStates(NOTHING, all);

  test('a state that is newer than all others is merged alone', () => {
    expect(merged(content, withStates(content, [state(2 * BATCHES)]))).toBe(1);
  });

  test('a state that comes late is merged with those after it, and not with all before it', () => {
    const late = state(2 * BATCHES - 5);
    const after = withStates(content, [late]);
    expect(merged(content, after)).toBe(3);
    const ordered = withStates(NOTHING, [...all, late]);
    expect(encodeRecord(fold(after.settled!.record))).toEqual(encodeRecord(fold(ordered.settled!.record)));
  });

  test('one that comes before all kept steps is merged from the start', () => {
    const after = withStates(content, [state(1)]);
    expect(merged(content, after)).toBe(after.steps.length);
    expect(after.baseline?.batches).toBe(BATCHES + 1);
  });
});
