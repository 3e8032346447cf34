import { expect, test } from 'bun:test';
import { readConfig } from '../../src/config/config.ts';
import { prepare } from '../../src/service/service.ts';
import type { Stores } from '../../src/stores/open.ts';
import { answered, notNow } from '../../src/stores/unavailable.ts';

const config = readConfig({});
/** Stores that are made ready by what is given, and named by nothing else. */
const stores = (ready: () => Promise<void>) => ({ prepare: ready }) as Stores;
const silence = () => answered(new Promise<void>(() => {}), 1);

test('the start retries a store that does not answer', async () => {
  let asked = 0;
  await prepare(
    stores(async () => {
      if (++asked < 3) await silence();
    }),
    config,
  );
  expect(asked).toBe(3);
});

test('an error of a store ends the start at once with its message', async () => {
  let asked = 0;
  const full = async () => {
    asked++;
    throw Object.assign(notNow(), { cause: new Error('the disk is full') });
  };
  await expect(prepare(stores(full), config)).rejects.toThrow(
    /^DATA_DIR, DATABASE_URL or REDIS_URL cannot be used: the disk is full$/,
  );
  expect(asked).toBe(1);
});

test('a store that never answers ends the start with an error', async () => {
  await expect(prepare(stores(silence), config, 10)).rejects.toThrow(/cannot be used: no answer in time$/);
});
