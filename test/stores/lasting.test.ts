import { expect, test } from 'bun:test';
import { Rejection } from '../../src/errors.ts';
import { lasting } from '../../src/stores/lasting.ts';
import { eventually } from '../servers/process.ts';

const away = () => new Rejection('SERVICE_UNAVAILABLE', 'away');

test('what its store refuses is heard of at once, and done when the store is back', async () => {
  let tries = 0;
  const run = async () => {
    if (++tries < 3) throw away();
  };
  await expect(lasting(run)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(tries).toBe(1);
  await eventually(async () => expect(tries).toBe(3));
});

test('what has no answer keeps nobody waiting', async () => {
  await lasting(() => new Promise(() => {}));
});

test('a bug, and what may not be repeated, is tried once', async () => {
  let tries = 0;
  const failing = (error: Error) => async () => {
    tries++;
    throw error;
  };
  await expect(lasting(failing(new TypeError('bug')))).rejects.toThrow('bug');
  await expect(lasting(failing(away()), () => false)).rejects.toThrow('away');
  let again = 0;
  await lasting(async () => {
    if (++again < 2) throw away();
  }).catch(() => {});
  await eventually(async () => expect(again).toBe(2));
  expect(tries).toBe(2);
});
