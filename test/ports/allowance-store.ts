/** What every AllowanceStore does. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import type { AllowanceStore } from '../../src/stores/ports.ts';

export interface AllowancePair {
  one: AllowanceStore;
  other: AllowanceStore;
  close(): Promise<void>;
}

const MAY = Date.UTC(2027, 4);
const JUNE = Date.UTC(2027, 5);

/** `open`: two connections to one and the same empty store. */
export function allowanceStoreContract(name: string, open: () => Promise<AllowancePair>): void {
  describe(`${name} as a AllowanceStore`, () => {
    let pair: AllowancePair;
    let one: AllowanceStore;
    let other: AllowanceStore;

    beforeEach(async () => {
      pair = await open();
      ({ one, other } = pair);
    });
    afterEach(() => pair.close());

    /** The rows left after it; null when they did not fit. */
    const reserve = async (store: AllowanceStore, ...asked: [string, number, number, number]) =>
      (await store.reserve(...asked))?.left ?? null;

    test('a reservation returns the remaining rows across all connections', async () => {
      expect(await reserve(one, 'a', MAY, 30, 100)).toBe(70);
      expect(await reserve(other, 'a', MAY, 70, 100)).toBe(0);
      expect(await reserve(one, 'a', MAY, 0, 100)).toBe(0);
    });

    test('rows beyond the allowance are not added at all', async () => {
      expect(await reserve(one, 'a', MAY, 101, 100)).toBeNull();
      expect(await reserve(one, 'a', MAY, 60, 100)).toBe(40);
      expect(await reserve(one, 'a', MAY, 41, 100)).toBeNull();
      expect(await reserve(one, 'a', MAY, 40, 100)).toBe(0);
      expect(await reserve(one, 'a', MAY, 1, 100)).toBeNull();
    });

    test('an allowance lowered below the count allows no rows', async () => {
      await reserve(one, 'a', MAY, 60, 100);
      expect(await reserve(one, 'a', MAY, 1, 50)).toBeNull();
      expect(await reserve(one, 'a', MAY, 1, 61)).toBe(0);
    });

    test('accounts and periods have separate counts', async () => {
      await reserve(one, 'a', MAY, 100, 100);
      expect(await reserve(one, 'a', JUNE, 1, 100)).toBe(99);
      expect(await reserve(one, 'b', MAY, 1, 100)).toBe(99);
    });

    test('released rows can be reserved again', async () => {
      const { count } = (await one.reserve('a', MAY, 100, 100))!;
      await other.release('a', MAY, 40, count);
      expect(await reserve(one, 'a', MAY, 41, 100)).toBeNull();
      expect(await reserve(one, 'a', MAY, 40, 100)).toBe(0);
    });

    test('releasing more than was reserved never allows extra rows', async () => {
      const { count } = (await one.reserve('a', JUNE, 1, 1))!;
      await one.release('a', MAY, 50, count);
      const inMay = (await one.reserve('a', MAY, 10, 100))!;
      await one.release('a', MAY, 50, inMay.count);
      expect(await reserve(one, 'a', MAY, 101, 100)).toBeNull();
      expect(await reserve(one, 'a', MAY, 100, 100)).toBe(0);
    });

    test('of concurrent reservations exactly those that fit succeed', async () => {
      const amounts = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 30 });
      let period = MAY;
      await fc.assert(
        fc.asyncProperty(amounts, async rows => {
          period++;
          const asked = rows.map((amount, i) => reserve(i % 2 ? one : other, 'a', period, amount, 200));
          const left = await Promise.all(asked);
          const granted = rows.filter((_, i) => left[i] !== null);
          const sum = granted.reduce((total, amount) => total + amount, 0);
          expect(sum).toBeLessThanOrEqual(200);
          for (const [i, amount] of rows.entries())
            if (left[i] === null) expect(sum + amount).toBeGreaterThan(200);
          expect(await reserve(one, 'a', period, 0, 200)).toBe(200 - sum);
        }),
        { numRuns: 30 },
      );
    });
  });
}
