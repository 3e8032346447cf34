import { expect, test } from 'bun:test';
import { Loop, Pace } from '../../src/intake/pace.ts';

const LARGE = 100_000;

/** A loop whose turns begin when they are told to, and whose clock is moved by work alone. */
function loopByHand() {
  let clock = 0;
  const turns: (() => void)[] = [];
  const loop = new Loop(
    () => clock,
    go => turns.push(go),
  );
  const done: string[] = [];
  const work = (name: string, ms: number, bytes = LARGE, error?: Error) =>
    new Pace(loop).slice(() => {
      clock += ms;
      done.push(name);
      if (error) throw error;
    }, bytes);
  const turn = async () => {
    for (const go of turns.splice(0)) go();
    await Bun.sleep(0);
  };
  return { done, work, turn };
}

test('pieces of work share a turn of the loop until its time is used up, then each has its own', async () => {
  const { done, work, turn } = loopByHand();
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

test('who waits is not overtaken', async () => {
  const { done, work, turn } = loopByHand();
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

test('work that fails has used its time, and others go on', async () => {
  const { done, work, turn } = loopByHand();
  const failing = await work('a', 2, LARGE, new Error('broken')).catch(error => error.message);
  work('b', 0.1);
  expect(done).toEqual(['a']);
  await turn();
  expect(done).toEqual(['a', 'b']);
  expect(failing).toBe('broken');
});

test('a small batch does not wait, and adds to the time of the turn', async () => {
  const { done, work, turn } = loopByHand();
  await work('large', 0.5);
  await work('small', 0.6, 100);
  work('large again', 0.1);
  await work('small again', 0.1, 100);
  expect(done).toEqual(['large', 'small', 'small again']);
  await turn();
  expect(done.at(-1)).toBe('large again');
});

test('a batch is no longer small when its pieces are many', async () => {
  const loop = new Loop(
    () => 0,
    () => {},
  );
  loop.worked(2);
  const pace = new Pace(loop);
  let pieces = 0;
  for (let piece = 0; piece < 100; piece++) pace.slice(() => pieces++, 1000);
  expect(pieces).toBe(16);
});

test('another request has its turn between two pieces of work', async () => {
  const order: string[] = [];
  const pace = new Pace(new Loop(() => performance.now()));
  setImmediate(() => order.push('another request'));
  await pace.slice(() => {
    Bun.sleepSync(2);
    order.push('first piece');
  }, LARGE);
  await pace.slice(() => order.push('second piece'));
  expect(order).toEqual(['first piece', 'another request', 'second piece']);
});
