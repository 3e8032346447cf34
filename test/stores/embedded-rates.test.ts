import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { EmbeddedRates } from '../../src/stores/embedded-rates.ts';
import { rateStoreContract } from '../contract/rate-store.ts';
import { foldersOfATest } from '../folders.ts';

const newFolder = foldersOfATest();
const newPath = () => join(newFolder(), 'rates.sqlite');

rateStoreContract('SQLite', async () => {
  const path = newPath();
  const [one, other] = [new EmbeddedRates(path), new EmbeddedRates(path)];
  return {
    one,
    other,
    close: async () => {
      one.close();
      other.close();
    },
  };
});

test('idle accounts are deleted, and active ones stay', async () => {
  const path = newPath();
  const rates = new EmbeddedRates(path);
  const rate = { requestsPerSecond: 1, burst: 2 };
  await rates.take('busy', rate, 1_000_000);
  await rates.take('busy', rate, 1_000_000);
  for (let i = 0; i < 5_000; i++) await rates.take(`client:${i}`, rate, i);
  for (let i = 0; i < 3_000; i++) await rates.take('idle', rate, 999_000);
  const names = new Database(path).query<{ account: string }, []>('SELECT account FROM rate').all();
  expect(names.map(({ account }) => account).sort()).toEqual(['busy', 'idle']);
  expect((await rates.take('busy', rate, 1_000_000)).allowed).toBe(false);
  rates.close();
});

test('while another process holds the lock, counting is unavailable', async () => {
  const path = newPath();
  const rates = new EmbeddedRates(path, 0);
  const holder = new Database(path);
  holder.exec('BEGIN IMMEDIATE');
  const taken = rates.take('a', { requestsPerSecond: 1, burst: 1 }, 0);
  await expect(taken).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  holder.close();
  expect((await rates.take('a', { requestsPerSecond: 1, burst: 1 }, 0)).allowed).toBe(true);
  rates.close();
});
