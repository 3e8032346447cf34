/** What every UsageStore does. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { UsageStore } from '../../src/stores/ports.ts';

export interface UsageFixture {
  store: UsageStore;
  /** Writes a job of so many rows, through another connection. */
  complete(account: string, periodStart: number, rows: number): Promise<void>;
  close(): Promise<void>;
}

export function usageStoreContract(name: string, open: () => Promise<UsageFixture>): void {
  describe(`${name} as a UsageStore`, () => {
    let fixture: UsageFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.close());

    test('without answered requests the usage is zero', async () => {
      expect(await fixture.store.usage('a', 7)).toEqual({ rows: 0, requests: 0 });
    });

    test('usage is separate for each account and period', async () => {
      for (const rows of [3, 0, 10_000]) await fixture.complete('a', 7, rows);
      await fixture.complete('a', 8, 5);
      await fixture.complete('b', 7, 1);
      expect(await fixture.store.usage('a', 7)).toEqual({ rows: 10_003, requests: 3 });
      expect(await fixture.store.usage('a', 8)).toEqual({ rows: 5, requests: 1 });
      expect(await fixture.store.usage('b', 7)).toEqual({ rows: 1, requests: 1 });
    });
  });
}
