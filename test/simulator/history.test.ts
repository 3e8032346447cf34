import { expect, test } from 'bun:test';
import { accept, isLinearizable, learn, type Operation, see } from './history.ts';

const operation = (
  called: number,
  answered: number,
  apply: Operation['apply'],
  mayBeMissing = false,
): Operation => ({
  name: '',
  called,
  answered,
  mayBeMissing,
  apply,
});
const NEVER = Number.POSITIVE_INFINITY;
const seen = (...batches: number[]) => see(new Map(batches.map(batch => [batch, 'learned'])));

test('operations at the same time may happen in either order', () => {
  const both = [operation(0, 10, learn(1)), operation(0, 10, learn(2))];
  expect(isLinearizable([...both, operation(1, 9, seen(1))], new Map())).toBe(true);
  expect(isLinearizable([...both, operation(1, 9, seen(2))], new Map())).toBe(true);
  expect(isLinearizable([...both, operation(1, 9, seen(1)), operation(1, 9, seen(2))], new Map())).toBe(
    false,
  );
});

test('what was answered before another call is seen by it', () => {
  expect(isLinearizable([operation(0, 1, learn(1)), operation(2, 3, seen())], new Map())).toBe(false);
  expect(isLinearizable([operation(0, 2, learn(1)), operation(1, 3, seen())], new Map())).toBe(true);
});

test('an operation without an answer may happen late, or not at all', () => {
  const unheard = operation(0, NEVER, learn(1), true);
  expect(isLinearizable([unheard, operation(5, 6, seen()), operation(7, 8, seen(1))], new Map())).toBe(true);
  expect(isLinearizable([unheard, operation(5, 6, seen())], new Map())).toBe(true);
  expect(isLinearizable([unheard, operation(5, 6, seen(1)), operation(7, 8, seen())], new Map())).toBe(false);
});

test('a batch is learned once, and becomes the normal once', () => {
  expect(isLinearizable([operation(0, 1, learn(1)), operation(2, 3, learn(1))], new Map())).toBe(false);
  const twice = [operation(0, 9, accept(1, true)), operation(0, 9, accept(1, true))];
  expect(isLinearizable(twice, new Map())).toBe(false);
});
