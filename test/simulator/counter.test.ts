/** The model of RedisAllowance keeps the contract of all stores of allowances. */
import { expect, test } from 'bun:test';
import { allowanceStoreContract } from '../ports/allowance-store.ts';
import { Counter } from './counter.ts';

const EMPTY = { usage: async () => ({ rows: 0, requests: 0 }) };
const direct = { call: async <T>(_: string, run: () => T | Promise<T>): Promise<T> => run() };

allowanceStoreContract('the simulated counter', async () => {
  const counter = new Counter(EMPTY);
  return { one: counter.connected(direct), other: counter.connected(direct), close: async () => {} };
});

test('a reservation without an answer is called off, before or after it runs', async () => {
  for (const runsFirst of [true, false]) {
    const counter = new Counter(EMPTY);
    const late: (() => unknown)[] = [];
    const lossy = {
      call: async <T>(name: string, run: () => T | Promise<T>): Promise<T> => {
        if (name !== 'counter.reserve') return run();
        if (runsFirst) await run();
        else late.push(run);
        throw new Error('no answer');
      },
    };
    await expect(counter.connected(lossy).reserve('a', 1, 5, 10)).rejects.toThrow('no answer');
    await Bun.sleep(1);
    for (const run of late) await run();
    expect(await counter.connected(direct).counted('a', 1)).toBe(0);
  }
});
