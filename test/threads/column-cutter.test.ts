/** Uploaded files of columns are cut in threads, a few at a time, and for a limited time. */
import { expect, test } from 'bun:test';
import { Format } from '../../assembly/abi.ts';
import { ColumnCutter, MAX_CUTTING_MS } from '../../src/threads/column-cutter.ts';
import type { Thread } from '../../src/threads/thread.ts';

const ORDER = { handle: 0, format: Format.PARQUET, maxBodyBytes: 1 };
const BODY = { bytes: new Uint8Array(), rows: 1, last: false };

/** Threads that take `ms` of the clock for each body and never come to an end, and how many there are. */
function counted(atOnce: number, ms = 0) {
  const threads = { started: 0, ended: 0 };
  let now = 0;
  const start = () => {
    threads.started++;
    const ask = async () => {
      await null;
      now += ms;
      return BODY;
    };
    return { opened: Promise.resolve(), ask, end: () => threads.ended++ } as unknown as Thread;
  };
  return { threads, cutter: new ColumnCutter(start, atOnce, () => now) };
}

test('as many files are cut at once as may be, and the next one begins when one ends', async () => {
  const { threads, cutter } = counted(2);
  const files = ['a', 'b', 'c', 'd'].map(account => cutter.bodies(account, ORDER));
  const first = files.map(file => file.next());
  await Promise.all(first.slice(0, 2));
  expect(threads).toEqual({ started: 2, ended: 0 });
  for (const [i, file] of files.entries()) {
    await first[i];
    await file.return(undefined);
  }
  expect(threads).toEqual({ started: 4, ended: 4 });
});

test('the files of one account are cut one after the other, and keep no other account waiting', async () => {
  const { threads, cutter } = counted(2);
  const mine = [1, 2, 3].map(() => cutter.bodies('a', ORDER));
  const first = mine.map(file => file.next());
  const theirs = cutter.bodies('b', ORDER);
  expect((await theirs.next()).done).toBe(false);
  expect(threads).toEqual({ started: 2, ended: 0 });
  await theirs.return(undefined);
  for (const [i, file] of mine.entries()) {
    await first[i];
    await file.return(undefined);
  }
  expect(threads).toEqual({ started: 4, ended: 4 });
});

test('a file that takes more than ten minutes to cut is refused, and its thread ends', async () => {
  expect(MAX_CUTTING_MS).toBe(600_000);
  const { threads, cutter } = counted(1, MAX_CUTTING_MS / 2);
  const file = cutter.bodies('a', ORDER);
  expect([(await file.next()).done, (await file.next()).done]).toEqual([false, false]);
  await expect(file.next()).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  expect(threads).toEqual({ started: 1, ended: 1 });
  // The next one has its turn.
  expect((await cutter.bodies('a', ORDER).next()).done).toBe(false);
});
