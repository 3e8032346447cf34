import { expect, test } from 'bun:test';
import { foldInTurns, fold, mergeInTurns, mergeState } from '../../src/baseline/merge.ts';
import { encodeRecord } from '../../src/baseline/encode.ts';
import { EMPTY_RECORD } from '../../src/baseline/record.ts';
import { Turns } from '../../src/baseline/turns.ts';
import { batchState, idOf, numberField } from './batches.ts';

/** A clock on which each look takes a millisecond, and the turns that were given. */
function counted(): { turns: Turns; given: () => number } {
  let ms = 0;
  let given = 0;
  const turns = new Turns(
    () => ms++,
    async () => {
      given++;
    },
  );
  return { turns, given: () => given };
}

test('others have a turn when the work has gone on for its time, and not before', async () => {
  let ms = 0;
  let given = 0;
  const turns = new Turns(
    () => ms,
    async () => {
      given++;
    },
  );
  const seen = [];
  for (const at of [0, 1, 2, 3, 4]) {
    ms = at;
    await turns.next();
    seen.push(given);
  }
  expect(seen).toEqual([0, 0, 1, 1, 2]);
});

test('a wide record is merged and folded in many turns, to the same bytes as in one', async () => {
  const fields = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, numberField([i, 1, 2])]));
  const states = Array.from({ length: 5 }, (_, i) => batchState(idOf(i), 3, fields));
  const { turns, given } = counted();
  const merged = await mergeInTurns(EMPTY_RECORD, states, turns);
  const afterMerge = given();
  const folded = await foldInTurns(merged, turns);
  expect(afterMerge).toBeGreaterThan(0);
  expect(given() - afterMerge).toBeGreaterThan(20);
  expect(encodeRecord(folded)).toEqual(encodeRecord(fold(states.reduce(mergeState, EMPTY_RECORD))));
});
