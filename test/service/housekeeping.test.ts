import { expect, test } from 'bun:test';
import pino from 'pino';
import { runTasks, startHousekeeping, type Task } from '../../src/service/housekeeping.ts';

const silent = pino({ level: 'silent' });

/** A task with so much to do in each step, and what it did. */
function taskOf(...steps: number[]): Task & { calls: number } {
  const task = { name: 'task', calls: 0, deleteSome: async () => steps[task.calls++] ?? 0 };
  return task;
}

test('a task is called until nothing is left', async () => {
  const [much, nothing] = [taskOf(10, 10, 3), taskOf()];
  await runTasks([much, nothing], silent);
  expect([much.calls, nothing.calls]).toEqual([4, 1]);
});

test('a long task lets other work run in between', async () => {
  let others = 0;
  const seen: number[] = [];
  const busy: Task = {
    name: 'busy',
    deleteSome: async () => {
      seen.push(others);
      setImmediate(() => others++);
      return seen.length < 4 ? 1 : 0;
    },
  };
  await runTasks([busy], silent);
  expect(seen).toEqual([0, 1, 2, 3]);
});

test('a failed task is logged by name, and the next one runs', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const failing: Task = { name: 'failing', deleteSome: () => Promise.reject(new Error('locked')) };
  const next = taskOf();
  await runTasks([failing, next], log);
  expect(next.calls).toBe(1);
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { task: 'failing', err: { message: 'locked' }, msg: 'housekeeping failed' },
  ]);
});

test('the first round starts at once, and more follow until it is stopped', async () => {
  const thrice = Promise.withResolvers<void>();
  let rounds = 0;
  const task: Task = {
    name: 'task',
    deleteSome: async () => {
      if (++rounds === 3) thrice.resolve();
      return 0;
    },
  };
  const stop = startHousekeeping([task], 1, silent);
  expect(rounds).toBe(1);
  await thrice.promise;
  stop();
});

test('a long round is not started twice', async () => {
  const end = Promise.withResolvers<number>();
  const beats = Promise.withResolvers<void>();
  let begun = 0;
  const deleteSome = () => {
    begun++;
    return end.promise;
  };
  const stop = startHousekeeping([{ name: 'long', deleteSome }], 1, silent);
  let count = 0;
  const beat = setInterval(() => ++count === 5 && beats.resolve(), 1);
  await beats.promise;
  expect(begun).toBe(1);
  clearInterval(beat);
  stop();
  end.resolve(0);
});
