import { expect, test } from 'bun:test';
import fc from 'fast-check';
import './property/seed.ts';
import { fold, folding, merging, mergeState } from '../src/baseline/merge.ts';
import { decoding, encodeRecord, encoding } from '../src/baseline/encode-record.ts';
import { EMPTY_RECORD } from '../src/baseline/record.ts';
import {
  atOnce,
  CooperativeYield,
  filtering,
  mapping,
  slice,
  sorting,
  withPauses,
} from '../src/cooperative-yield.ts';
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
  const folded = await withPauses(folding(merged), yielding);
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

test('a slice ends after the piece that uses it up', () => {
  let ms = 0;
  const work = (function* () {
    for (const taken of [1, 0.5, 3, 1]) {
      ms += taken;
      yield;
    }
    return 'done';
  })();
  const ends = Array.from({ length: 3 }, () => [slice(work, () => ms, 2).done, ms]);
  expect(ends).toEqual([
    [false, 4.5],
    [true, 5.5],
    [true, 5.5],
  ]);
});

test('items that are sorted in pieces are in the order of a stable sort', () => {
  const items = fc.array(fc.tuple(fc.nat(20), fc.nat()), { maxLength: 2000, size: 'max' });
  fc.assert(
    fc.property(items, pairs => {
      const byFirst = ([a]: [number, number], [b]: [number, number]) => a - b;
      expect(atOnce(sorting(pairs, byFirst))).toEqual(pairs.toSorted(byFirst));
    }),
    { numRuns: 50 },
  );
});

test('a long list is gone through in pieces of a few hundred items, a short one in one', () => {
  const piecesOf = (work: Generator<void, unknown>): number => {
    let pieces = 1;
    while (!work.next().done) pieces++;
    return pieces;
  };
  const numbers = Array.from({ length: 10_000 }, (_, i) => (i * 7919) % 10_007);
  const isEven = (number: number) => number % 2 === 0;
  expect(atOnce(mapping(numbers, isEven))).toEqual(numbers.map(isEven));
  expect(atOnce(filtering(numbers, isEven))).toEqual(numbers.filter(isEven));
  for (const make of [
    (list: number[]) => mapping(list, isEven),
    (list: number[]) => filtering(list, isEven),
    (list: number[]) => sorting(list, (a, b) => a - b),
  ]) {
    expect(piecesOf(make(numbers))).toBeGreaterThan(30);
    expect(piecesOf(make(numbers.slice(0, 200)))).toBe(1);
  }
});
