import { expect, test } from 'bun:test';
import pino from 'pino';
import { keepHouse, startHousekeeping, type Task } from '../src/housekeeping.ts';

const silent = pino({ level: 'silent' });

/** A task with so much to do in each step, and what it did. */
function taskOf(...steps: number[]): Task & { calls: number } {
  const task = { name: 'task', calls: 0, forgetSome: async () => steps[task.calls++] ?? 0 };
  return task;
}

test('a task is called until nothing is left', async () => {
  const [much, nothing] = [taskOf(10, 10, 3), taskOf()];
  await keepHouse([much, nothing], silent);
  expect([much.calls, nothing.calls]).toEqual([4, 1]);
});

test('a task with much to do lets others have their turn in between', async () => {
  let others = 0;
  const seen: number[] = [];
  const busy: Task = {
    name: 'busy',
    forgetSome: async () => {
      seen.push(others);
      setImmediate(() => others++);
      return seen.length < 4 ? 1 : 0;
    },
  };
  await keepHouse([busy], silent);
  expect(seen).toEqual([0, 1, 2, 3]);
});

test('a task that fails is named in the log and does not stop the next', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const failing: Task = { name: 'failing', forgetSome: () => Promise.reject(new Error('locked')) };
  const next = taskOf();
  await keepHouse([failing, next], log);
  expect(next.calls).toBe(1);
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { task: 'failing', err: { message: 'locked' }, msg: 'housekeeping failed' },
  ]);
});

test('the first round begins at once, and later ones follow until it is stopped', async () => {
  const thrice = Promise.withResolvers<void>();
  let rounds = 0;
  const task: Task = {
    name: 'task',
    forgetSome: async () => {
      if (++rounds === 3) thrice.resolve();
      return 0;
    },
  };
  const stop = startHousekeeping([task], 1, silent);
  expect(rounds).toBe(1);
  await thrice.promise;
  stop();
});

test('a round that takes long is not begun a second time', async () => {
  const end = Promise.withResolvers<number>();
  const beats = Promise.withResolvers<void>();
  let begun = 0;
  const forgetSome = () => {
    begun++;
    return end.promise;
  };
  const stop = startHousekeeping([{ name: 'long', forgetSome }], 1, silent);
  let count = 0;
  const beat = setInterval(() => ++count === 5 && beats.resolve(), 1);
  await beats.promise;
  expect(begun).toBe(1);
  clearInterval(beat);
  stop();
  end.resolve(0);
});
