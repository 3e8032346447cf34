import { expect, test } from 'bun:test';
import { Turns } from '../../../src/http/wire/turns.ts';

/** Turns that the test begins. */
function manual() {
  const due: (() => void)[] = [];
  const turns = new Turns(run => void due.push(run));
  const next = () => {
    for (const run of due.splice(0)) run();
  };
  return { turns, next };
}

test('eight connections go on at once in a turn, and the ninth in the next one', () => {
  const { turns, next } = manual();
  const ran: number[] = [];
  for (let i = 1; i <= 9; i++) turns.run(() => ran.push(i));
  expect(ran).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  next();
  expect(ran).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('those that wait go first, three in a turn, in their order', () => {
  const { turns, next } = manual();
  const ran: number[] = [];
  for (let i = 1; i <= 7; i++) turns.later(() => ran.push(i));
  turns.run(() => ran.push(8));
  expect(ran).toEqual([]);
  for (const count of [3, 6, 8, 8]) {
    next();
    expect(ran).toHaveLength(count);
  }
  expect(ran).toEqual(Array.from({ length: 8 }, (_, i) => i + 1));
});

test('what a connection leaves is for a turn after this one', () => {
  const { turns, next } = manual();
  let runs = 0;
  const again = (): void => {
    runs++;
    turns.later(again);
  };
  turns.run(again);
  for (let i = 1; i < 5; i++) {
    expect(runs).toBe(i);
    next();
  }
});

test('an exception of one connection does not stop the others', () => {
  const { turns, next } = manual();
  let ran = false;
  turns.later(() => {
    throw new Error('of one');
  });
  turns.later(() => {
    ran = true;
  });
  expect(next).toThrow('of one');
  next();
  expect(ran).toBe(true);
});
