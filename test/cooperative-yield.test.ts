import { expect, test } from 'bun:test';
import { foldYielding, fold, merging, mergeState } from '../src/baseline/merge.ts';
import { decoding, encodeRecord, encoding } from '../src/baseline/encode-record.ts';
import { EMPTY_RECORD } from '../src/baseline/record.ts';
import { CooperativeYield, withPauses } from '../src/cooperative-yield.ts';
import { batchState, idOf, numberField } from './baseline/batches.ts';

/** A clock that moves on by a millisecond each time it is read, and how often others were let through. */
function counted(): { yielding: CooperativeYield; given: () => number } {
  let ms = 0;
  let given = 0;
  const yielding = new CooperativeYield(
    () => ms++,
    async () => {
      given++;
    },
  );
  return { yielding, given: () => given };
}

test('yields when the slice is used up, and not before', async () => {
  let ms = 0;
  let given = 0;
  const yielding = new CooperativeYield(
    () => ms,
    async () => {
      given++;
    },
  );
  const seen = [];
  for (const at of [0, 1, 2, 3, 4]) {
    ms = at;
    await yielding.yieldIfDue();
    seen.push(given);
  }
  expect(seen).toEqual([0, 0, 1, 1, 2]);
});

test('a wide record that is merged, folded, encoded and decoded with pauses has the same bytes as without', async () => {
  const fields = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, numberField([i, 1, 2])]));
  const states = Array.from({ length: 5 }, (_, i) => batchState(idOf(i), 3, fields));
  const { yielding, given } = counted();
  const merged = await withPauses(merging(EMPTY_RECORD, states), yielding);
  const afterMerge = given();
  const folded = await foldYielding(merged, yielding);
  expect(afterMerge).toBeGreaterThan(0);
  expect(given() - afterMerge).toBeGreaterThan(20);
  const afterFold = given();
  const bytes = await withPauses(encoding(folded), yielding);
  expect(bytes).toEqual(encodeRecord(fold(states.reduce(mergeState, EMPTY_RECORD))));
  const afterEncoding = given();
  const decoded = await withPauses(decoding(bytes), yielding);
  expect(encodeRecord(decoded)).toEqual(bytes);
  expect([afterEncoding - afterFold > 20, given() - afterEncoding > 20]).toEqual([true, true]);
});
