import { expect, mock, test } from 'bun:test';
import { Rejection, compensate, OutcomeUnknown } from '../../src/terms/errors.ts';

const failed = new Rejection('SERVICE_UNAVAILABLE', 'the disk is full');

test('compensate undoes a step and ignores errors of the undo', async () => {
  const undo = mock(() => Promise.reject(failed));
  await compensate(failed, undo);
  expect(undo).toHaveBeenCalledTimes(1);
});

test('compensate waits for an unknown outcome, and undoes only what did not happen', async () => {
  const written = mock(() => Promise.resolve());
  await compensate(new OutcomeUnknown('no answer', Promise.resolve(true)), written);
  const { promise: undone, resolve } = Promise.withResolvers<void>();
  await compensate(new OutcomeUnknown('no answer', Promise.resolve(false)), async () => resolve());
  await undone;
  expect(written).not.toHaveBeenCalled();
});
