import { expect, test } from 'bun:test';
import { CooperativeScheduler, CooperativeTask } from '../../src/intake/cooperative-scheduler.ts';

const LARGE = 100_000;

/** A scheduler whose turns begin on request, and whose clock advances only with work. */
function manualScheduler() {
  let clock = 0;
  const turns: (() => void)[] = [];
  const scheduler = new CooperativeScheduler(
    () => clock,
    go => turns.push(go),
  );
  const done: string[] = [];
  const work = (name: string, ms: number, bytes = LARGE, error?: Error) =>
    new CooperativeTask(scheduler).run(() => {
      clock += ms;
      done.push(name);
      if (error) throw error;
    }, bytes);
  /** Work of pieces that take so many ms each. */
  const pieces = (name: string, ...ms: number[]) =>
    new CooperativeTask(scheduler).runPieces(
      (function* () {
        for (const each of ms) {
          clock += each;
          done.push(name);
          yield;
        }
      })(),
    );
  const turn = async () => {
    for (const go of turns.splice(0)) go();
    await Bun.sleep(0);
  };
  return { done, work, pieces, turn };
}

test('pieces of work share a turn until its budget is used up, then each runs in its own turn', async () => {
  const { done, work, turn } = manualScheduler();
  await work('a', 0.4);
  await work('b', 0.7);
  const works = [work('c', 0.1), work('d', 0.1)];
  expect(done).toEqual(['a', 'b']);
  await turn();
  expect(done).toEqual(['a', 'b', 'c']);
  await turn();
  expect(done).toEqual(['a', 'b', 'c', 'd']);
  works.push(work('e', 0.1));
  expect(done).toEqual(['a', 'b', 'c', 'd', 'e']);
  await Promise.all(works);
});

test('work runs first come, first served', async () => {
  const { done, work, turn } = manualScheduler();
  await work('a', 2);
  work('b', 0.1);
  work('c', 0.1);
  await turn();
  work('d', 0.1);
  expect(done).toEqual(['a', 'b']);
  await turn();
  await turn();
  expect(done).toEqual(['a', 'b', 'c', 'd']);
});

test('between its slices a small batch that takes long waits for one other batch', async () => {
  const { done, work, pieces, turn } = manualScheduler();
  await work('a', 2);
  work('b', 2);
  work('c', 2);
  work('d', 2);
  pieces('small', 3, 3, 3);
  for (let i = 0; i < 5; i++) await turn();
  expect(done).toEqual(['a', 'small', 'b', 'small', 'c', 'small', 'd']);
});

test('failed work uses its time, and other work continues', async () => {
  const { done, work, turn } = manualScheduler();
  const failing = await work('a', 2, LARGE, new Error('broken')).catch(error => error.message);
  work('b', 0.1);
  expect(done).toEqual(['a']);
  await turn();
  expect(done).toEqual(['a', 'b']);
  expect(failing).toBe('broken');
});

test('a small batch does not wait, but uses the budget of the turn', async () => {
  const { done, work, turn } = manualScheduler();
  await work('large', 0.5);
  await work('small', 0.6, 100);
  work('large again', 0.1);
  await work('small again', 0.1, 100);
  expect(done).toEqual(['large', 'small', 'small again']);
  await turn();
  expect(done.at(-1)).toBe('large again');
});

test('many small pieces make a large batch', async () => {
  const scheduler = new CooperativeScheduler(
    () => 0,
    () => {},
  );
  scheduler.use(2);
  const task = new CooperativeTask(scheduler);
  let pieces = 0;
  for (let piece = 0; piece < 100; piece++) task.run(() => pieces++, 1000);
  expect(pieces).toBe(16);
});

test('another request runs between two pieces of work', async () => {
  const order: string[] = [];
  const task = new CooperativeTask(new CooperativeScheduler(() => performance.now()));
  setImmediate(() => order.push('another request'));
  await task.run(() => {
    Bun.sleepSync(2);
    order.push('first piece');
  }, LARGE);
  await task.run(() => order.push('second piece'));
  expect(order).toEqual(['first piece', 'another request', 'second piece']);
});

test('long work runs slice by slice, and takes turns with other work', async () => {
  const { done, pieces, turn } = manualScheduler();
  // However few bytes it has: the first slice shows that it is long.
  pieces('a', 1, 1, 1, 1);
  await turn();
  expect(done.join('')).toBe('aa');
  pieces('b', 2, 2);
  await turn();
  expect(done.join('')).toBe('aabaa');
  await turn();
  expect(done.join('')).toBe('aabaab');
});

test('short work in pieces takes no turn', async () => {
  const { done, pieces } = manualScheduler();
  await pieces('a', 0.1, 0.1, 0.1, 0.1);
  expect(done.join('')).toBe('aaaa');
});
