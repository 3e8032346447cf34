/** What every RateStore does. Each implementation runs this suite on itself; a store may go by a clock of its own. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Rate, RateDecision, RateStore } from '../../src/stores/ports.ts';
import { eventually } from '../servers/process.ts';

/** Two connections to one store. */
export interface RatePair {
  one: RateStore;
  other: RateStore;
  close(): Promise<void>;
}

/** An hour between two requests: nothing comes back while the test runs. */
const SLOW: Rate = { requestsPerSecond: 1 / 3600, burst: 5 };
/** A request every 100 ms. */
const STEADY: Rate = { requestsPerSecond: 10, burst: 10 };
/** A request every tenth of a millisecond: everything comes back. */
const FAST: Rate = { requestsPerSecond: 10_000, burst: 1 };

export function rateStoreContract(name: string, open: () => Promise<RatePair>): void {
  describe(`${name} as a RateStore`, () => {
    let pair: RatePair;
    beforeEach(async () => {
      pair = await open();
    });
    afterEach(() => pair.close());

    const take = async (account: string, rate = SLOW, store = pair.one): Promise<RateDecision> =>
      store.take(account, rate, Date.now());

    test('one burst is allowed across all connections, with the remaining requests', async () => {
      const decisions = [];
      for (let i = 0; i < 7; i++) decisions.push(await take('a', SLOW, i % 2 ? pair.one : pair.other));
      expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false, false]);
      expect(decisions.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1, 0, 0, 0]);
    });

    test('of concurrent requests exactly one burst is allowed', async () => {
      const asked = Array.from({ length: 40 }, (_, i) => take('a', SLOW, i % 2 ? pair.one : pair.other));
      const decisions = await Promise.all(asked);
      expect(decisions.filter(({ allowed }) => allowed).length).toBe(5);
    });

    test('a rejected request gets the time to wait and does not count', async () => {
      for (let i = 0; i < 5; i++) await take('a');
      const [first, second] = [await take('a'), await take('a')];
      for (const { allowed, waitSeconds, resetSeconds } of [first, second]) {
        expect(allowed).toBe(false);
        expect(waitSeconds).toBeGreaterThan(3590);
        expect(waitSeconds).toBeLessThanOrEqual(3600);
        expect(resetSeconds).toBeGreaterThan(5 * 3590);
        expect(resetSeconds).toBeLessThanOrEqual(5 * 3600);
      }
    });

    test('capacity returns with time', async () => {
      expect((await take('a', FAST)).allowed).toBe(true);
      while (!(await take('a', FAST)).allowed) await Bun.sleep(1);
      expect((await take('a', FAST)).waitSeconds).toBeLessThanOrEqual(1);
    });

    test('a clock that is set back by an hour locks nobody out', async () => {
      const hourAhead = Date.now() + 3_600_000;
      for (let i = 0; i < 20; i++) await pair.one.take('a', STEADY, hourAhead);
      await eventually(async () => expect(await take('a', STEADY)).toMatchObject({ allowed: true }));
    });

    test('accounts have separate rates', async () => {
      for (let i = 0; i < 6; i++) await take('a');
      expect((await take('b')).allowed).toBe(true);
      expect((await take('__proto__')).allowed).toBe(true);
    });
  });
}
