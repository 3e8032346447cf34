import { describe, expect, test } from 'bun:test';
import type { Message } from '../../src/stream/port.ts';
import { MessageHeaders } from '../../src/stream/headers.ts';
import { Windows } from '../../src/stream/windows.ts';

const message = (offset: number, bytes = 9): Message => ({
  offset,
  next: offset + 1,
  key: null,
  value: new Uint8Array(bytes),
  headers: MessageHeaders.NONE,
  timestamp: 0n,
  fault: null,
});

/** Adds messages that were read up to the offset `next`. */
const add = (cut: Windows, added: readonly Message[], next = added.at(-1)!.next) => cut.add(added, next);

const messages = (from: number, count: number, bytes?: number) =>
  Array.from({ length: count }, (_, i) => message(from + i, bytes));

describe('a window', () => {
  let now = 0;
  const windows = (limits: Partial<{ rows: number; bytes: number; ms: number }> = {}) =>
    new Windows({ rows: 10, bytes: 1000, ms: 500, ...limits }, () => now);
  const offsets = (window: readonly Message[]) => window.map(({ offset }) => offset);

  test('ends at its number of rows, and what is left is the next one', () => {
    const cut = windows();
    add(cut, messages(0, 9));
    expect(cut.ready).toBe(0);
    add(cut, messages(9, 3));
    expect(cut.ready).toBe(10);
    expect(offsets(cut.take(cut.ready))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(cut.ready).toBe(0);
    expect(cut.first).toBe(10);
  });

  test('ends before the message that would exceed its bytes', () => {
    const cut = windows({ bytes: 50 });
    add(cut, messages(0, 5));
    expect(cut.ready).toBe(5);
    const other = windows({ bytes: 49 });
    add(other, messages(0, 5));
    expect(other.ready).toBe(4);
  });

  test('has a message that is longer than all of its bytes alone', () => {
    const cut = windows({ bytes: 50 });
    add(cut, [message(0), message(1, 500), message(2)]);
    expect(cut.take(cut.ready)).toHaveLength(1);
    expect(offsets(cut.take(cut.ready))).toEqual([1]);
  });

  test('ends when its time is over, counted from its first message', () => {
    now = 1000;
    const cut = windows();
    expect(cut.dueInMs).toBeNull();
    add(cut, messages(0, 2));
    now = 1499;
    add(cut, messages(2, 1));
    expect([cut.ready, cut.dueInMs]).toEqual([0, 1]);
    now = 1500;
    expect(cut.ready).toBe(3);
    cut.take(2);
    expect([cut.ready, cut.dueInMs]).toEqual([0, 499]);
  });

  test('that was promised ends where it was promised, whatever has come and however long it takes', () => {
    now = 0;
    const cut = windows();
    cut.promise(4);
    add(cut, messages(0, 3));
    now = 60_000;
    expect([cut.ready, cut.dueInMs]).toEqual([0, null]);
    add(cut, messages(3, 20));
    expect(offsets(cut.take(cut.ready))).toEqual([0, 1, 2, 3, 4]);
    expect(cut.ready).toBe(10);
  });

  test('that was promised ends before the first later message if its last one was deleted since', () => {
    const cut = windows();
    cut.promise(4);
    add(cut, [message(0), message(2)]);
    expect(cut.ready).toBe(0);
    add(cut, [message(7)]);
    expect(cut.ready).toBe(2);
  });

  test('that was promised ends where nothing comes after it, if its last one was deleted since', () => {
    now = 0;
    const cut = windows();
    cut.promise(4);
    add(cut, messages(0, 3), 4);
    expect(cut.ready).toBe(0);
    add(cut, [], 5);
    expect(cut.ready).toBe(3);
  });

  test('that was promised is dropped if all of its messages were deleted since', () => {
    now = 0;
    const cut = windows();
    cut.promise(4);
    add(cut, messages(7, 2));
    expect([cut.ready, cut.dueInMs]).toEqual([0, 500]);
    now = 500;
    expect(cut.ready).toBe(2);
  });

  test('that was promised is not over where an earlier reading was', () => {
    const cut = windows();
    add(cut, messages(0, 9));
    cut.clear();
    cut.promise(4);
    add(cut, messages(0, 3));
    expect(cut.ready).toBe(0);
  });

  test('is followed by another one at most: then there is enough', () => {
    const cut = windows();
    add(cut, messages(0, 19));
    expect(cut.isFull).toBe(false);
    add(cut, messages(19, 1));
    expect(cut.isFull).toBe(true);
  });
});
