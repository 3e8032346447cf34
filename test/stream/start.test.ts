/** Where a partition goes on. */
import { describe, expect, test } from 'bun:test';
import { type Note, noteIn, noteOf } from '../../src/stream/note.ts';
import type { PartitionLog, Position } from '../../src/stream/port.ts';
import { startOf } from '../../src/stream/start.ts';

const LOG: PartitionLog = { topicId: 'new', partitions: 4, beginning: 100, end: 200 };
const NOTE: Note = { promised: null, topicId: 'new', partitions: 4 };
const at = (offset: number, note: Partial<Note> = {}): Position => ({
  offset,
  note: noteOf({ ...NOTE, ...note }),
});
const start = (
  positions: Record<number, Position>,
  from: 'earliest' | 'latest' = 'earliest',
  log = LOG,
  refused: number | null = null,
) =>
  startOf(
    2,
    new Map(Object.entries(positions).map(([key, value]) => [Number(key), value])),
    log,
    from,
    refused,
  );

describe('a partition with an offset', () => {
  test.each([100, 150, 199])('in its log goes on there, with what was promised: %d', offset => {
    const promised = { last: 199, told: true };
    expect(start({ 2: at(offset, { promised, partitions: 2 }) }, 'latest')).toEqual({
      offset,
      note: { promised, topicId: 'new', partitions: 2 },
      moved: null,
    });
  });

  test('at the end of its log goes on there', () => {
    expect(start({ 2: at(200) }, 'latest')).toEqual({ offset: 200, note: NOTE, moved: null });
  });

  test('drops a promise that ends behind the end of its log', () => {
    for (const told of [false, true])
      expect(start({ 2: at(150, { promised: { last: 200, told } }) })).toEqual({
        offset: 150,
        note: NOTE,
        moved: null,
      });
  });

  test('before its log goes on at the beginning, with what was promised if that is still there', () => {
    for (const [last, kept] of [
      [99, null],
      [100, { last: 100, told: false }],
    ] as const)
      expect(start({ 2: at(99, { promised: { last, told: false } }) }, 'latest')).toMatchObject({
        offset: 100,
        note: { promised: kept },
        moved: { kind: 'deleted', from: 99 },
      });
  });

  test.each([
    ['earliest', 100],
    ['latest', 200],
  ] as const)('after its log, or of another topic, goes on where `from` says: %s', (from, offset) => {
    const promised = { last: 300, told: false };
    expect(start({ 2: at(201, { promised }) }, from)).toMatchObject({
      offset,
      note: NOTE,
      moved: { kind: 'out_of_range', from: 201 },
    });
    expect(start({ 2: at(150, { promised, topicId: 'old' }) }, from)).toMatchObject({
      offset,
      note: NOTE,
      moved: { kind: 'recreated', from: 150 },
    });
  });

  test.each([
    ['earliest', 150, 100],
    ['earliest', 160, 100],
    ['latest', 150, 150],
  ] as const)(
    'that the broker refused goes on where nothing is left out, although the log has it again: %s, %d',
    (from, refused, offset) => {
      const promised = { last: 180, told: false };
      expect(start({ 2: at(150, { promised }) }, from, LOG, refused)).toMatchObject({
        offset,
        note: NOTE,
        moved: { kind: 'out_of_range', from: 150 },
      });
    },
  );

  test('goes on there if the broker refused an earlier one, and at the beginning if that is later', () => {
    expect(start({ 2: at(150) }, 'earliest', LOG, 149)).toMatchObject({ offset: 150, moved: null });
    expect(start({ 2: at(99) }, 'latest', LOG, 99)).toMatchObject({
      offset: 100,
      moved: { kind: 'deleted' },
    });
  });

  test('is of the same topic if one of the ids is not known', () => {
    expect(start({ 2: at(150, { topicId: null }) })).toMatchObject({ offset: 150, note: NOTE, moved: null });
    const old = { ...LOG, topicId: null };
    expect(start({ 2: at(150) }, 'earliest', old)).toMatchObject({ offset: 150, note: NOTE, moved: null });
  });
});

describe('a partition without an offset', () => {
  test('begins where `from` says if the group began with it', () => {
    expect(start({}, 'latest')).toMatchObject({ offset: 200, note: NOTE, moved: null });
    expect(start({ 0: at(1), 3: at(1) }, 'latest').offset).toBe(200);
    expect(start({}, 'earliest').offset).toBe(100);
  });

  test('begins at its beginning if it was added later', () => {
    expect(start({ 0: at(1, { partitions: 2 }) }, 'latest').offset).toBe(100);
    expect(start({ 0: at(1, { partitions: 3 }) }, 'latest').offset).toBe(200);
    expect(start({ 0: at(1, { partitions: 2, topicId: 'old' }) }, 'latest').offset).toBe(200);
  });
});

describe('a note', () => {
  const promised = { last: 9_007_199_254_740_991, told: false };
  test.each([
    { ...NOTE, promised: null },
    { ...NOTE, promised, topicId: null },
    { promised: { ...promised, told: true }, topicId: 'Zm9v-_', partitions: null },
  ])('is read as it was written: %p', note => {
    expect(noteIn(noteOf(note))).toEqual(note);
  });

  test('of the version before has a promise, and one of other programs nothing', () => {
    expect(noteIn('sluice1 12 told')).toEqual({
      promised: { last: 12, told: true },
      topicId: null,
      partitions: null,
    });
    for (const other of ['', 'sluice1 x', 'sluice2', 'sluice2 a b 1', 'hello'])
      expect(noteIn(other)).toEqual({ promised: null, topicId: null, partitions: null });
  });
});
