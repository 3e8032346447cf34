import { describe, expect, test } from 'bun:test';
import { encodeRecord } from '../../src/baseline/encode-record.ts';
import { fold } from '../../src/baseline/merge.ts';
import { NOTHING, withStates } from '../../src/baseline/source-content.ts';
import type { Pieces } from '../../src/cooperative-yield.ts';
import { batchState, idOf, numberField } from './batches.ts';

const FIELDS = 10;
const BATCHES = 30;

const state = (index: number) => {
  const names = Array.from({ length: FIELDS }, (_, i) => `f${i}`);
  return batchState(idOf(index), 3, new Map(names.map(name => [name, numberField([index, 1, 2])])));
};

/** The result, and how many fields were merged for it. */
function merged<T>(work: Pieces<T>): { value: T; fields: number } {
  for (let fields = 0; ; fields++) {
    const { done, value } = work.next();
    if (done) return { value, fields };
  }
}

describe('merging a source', () => {
  const all = Array.from({ length: BATCHES }, (_, i) => state(2 * i));
  const { value: content } = merged(withStates(NOTHING, all));

  test('a state that is newer than all others is merged alone', () => {
    expect(merged(withStates(content, [state(2 * BATCHES)])).fields).toBe(FIELDS);
  });

  test('a state that comes late is merged with those after it, and not with all before it', () => {
    const late = state(2 * BATCHES - 5);
    const { value, fields } = merged(withStates(content, [late]));
    expect(fields).toBe(3 * FIELDS);
    const ordered = [...all, late].sort((a, b) => (a.id < b.id ? -1 : 1));
    const { settled } = merged(withStates(NOTHING, ordered)).value;
    expect(encodeRecord(fold(value.settled!.record))).toEqual(encodeRecord(fold(settled!.record)));
  });

  test('one that comes before all kept steps is merged from the start', () => {
    const { value, fields } = merged(withStates(content, [state(1)]));
    expect(fields).toBe((BATCHES + 1) * FIELDS);
    expect(value.baseline?.batches).toBe(BATCHES + 1);
  });
});
