import { expect, test } from 'bun:test';
import { Rejection } from '../../src/terms/errors.ts';
import { retryInBackground } from '../../src/time/background-retry.ts';
import { eventually } from '../servers/process.ts';

const away = () => new Rejection('SERVICE_UNAVAILABLE', 'away');

test('an operation of an unavailable store fails at once, and is retried until the store is back', async () => {
  let tries = 0;
  const run = async () => {
    if (++tries < 3) throw away();
  };
  await expect(retryInBackground(run)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(tries).toBe(1);
  await eventually(async () => expect(tries).toBe(3));
});

test('an operation without an answer does not block the caller', async () => {
  await retryInBackground(() => new Promise(() => {}));
});

test('a bug, or an operation that must not be repeated, is tried once', async () => {
  let tries = 0;
  const failing = (error: Error) => async () => {
    tries++;
    throw error;
  };
  await expect(retryInBackground(failing(new TypeError('bug')))).rejects.toThrow('bug');
  await expect(retryInBackground(failing(away()), () => false)).rejects.toThrow('away');
  let again = 0;
  await retryInBackground(async () => {
    if (++again < 2) throw away();
  }).catch(() => {});
  await eventually(async () => expect(again).toBe(2));
  expect(tries).toBe(2);
});
