import { expect, mock, test } from 'bun:test';
import { Rejection, takeBack, Unsure } from '../src/errors.ts';

const failed = new Rejection('SERVICE_UNAVAILABLE', 'the disk is full');

test('what a request had done is taken back, and a store that cannot do it changes nothing about the answer', async () => {
  const undo = mock(() => Promise.reject(failed));
  await takeBack(failed, undo);
  expect(undo).toHaveBeenCalledTimes(1);
});

test('what may have happened is taken back once it is known that it did not', async () => {
  const written = mock(() => Promise.resolve());
  await takeBack(new Unsure('no answer', Promise.resolve(true)), written);
  const { promise: undone, resolve } = Promise.withResolvers<void>();
  await takeBack(new Unsure('no answer', Promise.resolve(false)), async () => resolve());
  await undone;
  expect(written).not.toHaveBeenCalled();
});
