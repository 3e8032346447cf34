import { expect, test } from 'bun:test';
import { Rejection } from '../../src/terms/errors.ts';
import { RateLimiter } from '../../src/stores/rates.ts';
import { timedStore } from '../../src/metrics/timed-stores.ts';

class Parent {
  async inherited(): Promise<string> {
    return 'inherited';
  }
}

class Store extends Parent {
  #held = 'held';

  async read(more: string): Promise<string> {
    return this.#held + more + (await this.inherited());
  }

  now(): number {
    return 7;
  }

  async away(): Promise<never> {
    throw new Rejection('SERVICE_UNAVAILABLE', 'away');
  }

  broken(): never {
    throw new TypeError('broken');
  }
}

function timed() {
  const noted: [operation: string, failed: boolean][] = [];
  const ofStore = (store: string, operation: string) => (ms: number, failed: boolean) => {
    expect(ms).toBeGreaterThanOrEqual(0);
    noted.push([`${store}.${operation}`, failed]);
  };
  return { store: timedStore(new Store(), 'things', { ofStore }), noted };
}

test('a timed store gives the same results, and each operation is recorded once', async () => {
  const { store, noted } = timed();
  expect(await store.read('+')).toBe('held+inherited');
  expect(store.now()).toBe(7);
  expect(await store.inherited()).toBe('inherited');
  expect(store).toBeInstanceOf(Store);
  expect(noted).toEqual([
    ['things.read', false],
    ['things.now', false],
    ['things.inherited', false],
  ]);
});

test('a failure is recorded and rethrown unchanged', async () => {
  const { store, noted } = timed();
  expect(store.away()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await store.away().catch(() => {});
  expect(() => store.broken()).toThrow(TypeError);
  expect(noted.at(-1)).toEqual(['things.broken', true]);
  expect(noted.every(([, failed]) => failed)).toBe(true);
});

test('a synchronous store stays synchronous', () => {
  const rates = timedStore(new RateLimiter(), 'rates', { ofStore: () => () => {} });
  expect(rates.take('a', { requestsPerSecond: 1, burst: 1 }, 0)).toMatchObject({ allowed: true });
});
