import { expect, test } from 'bun:test';
import { NotDone, Rejection, takeBack, Unsure } from '../src/errors.ts';

const failed = new Rejection('SERVICE_UNAVAILABLE', 'the disk is full');

/** An undo that fails so often before it is done, and how often it was asked. */
function undoAfter(failures: number, failure: Rejection) {
  const done = Promise.withResolvers<void>();
  const counter = { asked: 0 };
  const undo = async () => {
    counter.asked++;
    if (counter.asked <= failures) throw failure;
    done.resolve();
  };
  return { undo, counter, done: done.promise };
}

test('what a store could not take back is taken back once it can, and the request waits for the first try only', async () => {
  const late = undoAfter(2, new NotDone('full'));
  await takeBack(failed, late.undo);
  expect(late.counter.asked).toBe(1);
  await late.done;
  expect(late.counter.asked).toBe(3);
});

test('a store that may have taken it back is not asked again', async () => {
  const [maybe, sure] = [undoAfter(2, failed), undoAfter(2, new NotDone('full'))];
  await takeBack(failed, maybe.undo);
  await takeBack(failed, sure.undo);
  await sure.done;
  expect(maybe.counter.asked).toBe(1);
});

test('what is known only later not to have happened is taken back until that is done', async () => {
  const [written, unwritten] = [undoAfter(0, failed), undoAfter(1, new NotDone('full'))];
  await takeBack(new Unsure('no answer', Promise.resolve(true)), written.undo);
  await takeBack(new Unsure('no answer', Promise.resolve(false)), unwritten.undo);
  await unwritten.done;
  expect([written.counter.asked, unwritten.counter.asked]).toEqual([0, 2]);
});
