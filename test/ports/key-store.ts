/** What every KeyStore does. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import type { IdentityStore, KeyStore } from '../../src/stores/ports.ts';

export interface KeyStores {
  one: KeyStore;
  other: KeyStore;
  identities: Pick<IdentityStore, 'ownerOfKey'>;
  /** Makes an account without keys and gives its id. */
  account(email: string): Promise<string>;
  close(): Promise<void>;
}

const AT = 1_790_000_000_000;
const LIMIT = 3;

/** A key's own values, all different for different numbers. */
const key = (number: number) => ({
  id: `key_${number}`,
  name: `Key ${number}`,
  prefix: `sluice_live_${number}`,
  sha256: number.toString(16).padStart(64, '0'),
  createdAt: AT + number,
});

/** The same as it is listed. */
const entry = (number: number, lastUsed: number | null = null) => {
  const { id, name, prefix, createdAt } = key(number);
  return { id, name, prefix, createdAt, lastUsed };
};

/** `open`: two connections to one and the same empty store. */
export function keyStoreContract(name: string, open: () => Promise<KeyStores>): void {
  describe(`${name} as a KeyStore`, () => {
    let stores: KeyStores;
    let one: KeyStore;
    let other: KeyStore;
    let ann: string;
    let bob: string;

    beforeEach(async () => {
      stores = await open();
      ({ one, other } = stores);
      [ann, bob] = [await stores.account('ann@corp.com'), await stores.account('bob@corp.com')];
    });
    afterEach(() => stores.close());

    test('an account without keys and an unknown account have an empty list', async () => {
      expect(await one.list(ann)).toEqual([]);
      expect(await one.list('nobody')).toEqual([]);
    });

    test('added keys are listed on all connections, oldest first, then by id', async () => {
      await one.add(ann, key(2), LIMIT);
      await one.add(ann, key(1), LIMIT);
      await one.add(ann, { ...key(3), id: 'key_0', createdAt: AT + 2 }, LIMIT);
      const ids = ['key_1', 'key_0', 'key_2'];
      expect((await one.list(ann)).map(({ id }) => id)).toEqual(ids);
      expect((await other.list(ann))[2]).toEqual(entry(2));
      expect(await one.list(bob)).toEqual([]);
    });

    test('an added key works at once', async () => {
      await one.add(bob, key(1), LIMIT);
      const owner = await stores.identities.ownerOfKey(key(1).sha256);
      expect(owner).toMatchObject({ account: { id: bob }, key: 'key_1' });
    });

    test('any name is returned unchanged', async () => {
      const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 });
      await fc.assert(
        fc.asyncProperty(names, async given => {
          await one.add(ann, { ...key(1), name: given }, LIMIT);
          expect((await other.list(ann))[0]!.name).toBe(given);
          await one.remove(ann, 'key_1');
        }),
        { numRuns: 30 },
      );
    });

    test('the limit applies to each account', async () => {
      for (let number = 1; number <= LIMIT; number++)
        expect(await one.add(ann, key(number), LIMIT)).toBe(true);
      expect(await other.add(ann, key(4), LIMIT)).toBe(false);
      expect(await one.list(ann)).toEqual([entry(1), entry(2), entry(3)]);
      expect(await one.add(bob, key(4), LIMIT)).toBe(true);
    });

    test('of concurrent keys as many are added as the limit allows', async () => {
      const asked = Array.from({ length: 20 }, (_, number) =>
        (number % 2 ? one : other).add(ann, key(number), LIMIT),
      );
      const added = (await Promise.all(asked)).filter(Boolean);
      expect(added).toHaveLength(LIMIT);
      expect(await one.list(ann)).toHaveLength(LIMIT);
    });

    test('a removed key is gone and makes room for another', async () => {
      for (const number of [1, 2, 3]) await one.add(ann, key(number), LIMIT);
      expect(await other.remove(ann, 'key_2')).toBe(key(2).sha256);
      expect(await one.list(ann)).toEqual([entry(1), entry(3)]);
      expect(await stores.identities.ownerOfKey(key(2).sha256)).toBeNull();
      expect(await one.add(ann, key(4), LIMIT)).toBe(true);
    });

    test("unknown ids, removed ids and other accounts' ids remove nothing", async () => {
      await one.add(ann, key(1), LIMIT);
      for (const id of ['key_2', '', 'KEY_1', "' OR 1=1 --", '__proto__'])
        expect(await one.remove(ann, id)).toBeNull();
      expect(await one.remove(bob, 'key_1')).toBeNull();
      expect(await one.list(ann)).toEqual([entry(1)]);
      expect(await one.remove(ann, 'key_1')).toBe(key(1).sha256);
      expect(await one.remove(ann, 'key_1')).toBeNull();
    });

    test('of concurrent removals of one key one succeeds', async () => {
      await one.add(ann, key(1), LIMIT);
      const removed = await Promise.all([one, other, one, other].map(store => store.remove(ann, 'key_1')));
      expect(removed.filter(sha256 => sha256 !== null)).toEqual([key(1).sha256]);
    });

    test('uses are recorded for their keys', async () => {
      for (const number of [1, 2]) await one.add(ann, key(number), LIMIT);
      await one.add(bob, key(3), LIMIT);
      await one.touch(
        new Map([
          ['key_3', AT + 30],
          ['key_1', AT + 10],
        ]),
      );
      expect(await other.list(ann)).toEqual([entry(1, AT + 10), entry(2)]);
      expect(await other.list(bob)).toEqual([entry(3, AT + 30)]);
    });

    test('the latest use counts, in any order of writes', async () => {
      await one.add(ann, key(1), LIMIT);
      const times = fc.array(fc.integer({ min: 0, max: 2 ** 45 }), { minLength: 1, maxLength: 5 });
      let latest = 0;
      await fc.assert(
        fc.asyncProperty(times, async ats => {
          for (const [i, at] of ats.entries()) await (i % 2 ? one : other).touch(new Map([['key_1', at]]));
          latest = Math.max(latest, ...ats);
          expect((await one.list(ann))[0]!.lastUsed).toBe(latest);
        }),
        { numRuns: 30 },
      );
    });

    test('a use of a deleted key is no error, and the others are recorded', async () => {
      await one.add(ann, key(1), LIMIT);
      await one.touch(
        new Map([
          ['key_0', AT],
          ['key_1', AT],
          ['key_2', AT],
        ]),
      );
      expect(await one.list(ann)).toEqual([entry(1, AT)]);
      await one.touch(new Map());
    });
  });
}
