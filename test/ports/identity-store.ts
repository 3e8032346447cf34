/** What every IdentityStore does. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { IdentityStore, SignInStore } from '../../src/stores/ports.ts';
import type { InitialKey, SqlIdentities } from '../../src/stores/sql/identities.ts';

type Identities = IdentityStore &
  Pick<SqlIdentities, 'ensureKey' | 'ensureFirstKey' | 'ensureEmail' | 'hasKey' | 'accountCalled'>;

export interface OpenIdentities {
  store: Identities;
  /** Another connection to the same. */
  other: Identities;
  signIn: Pick<SignInStore, 'ensureAccount'>;
  close(): Promise<void>;
}

const SHA = 'ab'.repeat(32);
const grant = (given: Partial<InitialKey> = {}): InitialKey => ({
  account: 'owner',
  email: null,
  plan: 'developer',
  keySha256: SHA,
  keyPrefix: 'sluice_live_abcd',
  name: 'bootstrap',
  at: 1_790_000_000_000,
  ...given,
});

/** `open`: two connections to one and the same empty store. */
export function identityStoreContract(name: string, open: () => Promise<OpenIdentities>): void {
  describe(`${name} as an IdentityStore`, () => {
    let opened: OpenIdentities;
    let store: Identities;
    let other: Identities;

    beforeEach(async () => {
      opened = await open();
      ({ store, other } = opened);
    });
    afterEach(() => opened.close());

    test('an account is found by its id and by its name', async () => {
      await store.ensureKey(grant());
      const { account } = (await store.ownerOfKey(SHA))!;
      expect(await store.accountCalled('owner')).toBe(account.id);
      expect(await store.accountCalled(account.id)).toBe(account.id);
      expect(await store.accountCalled('nobody')).toBeNull();
    });

    test('an unknown key belongs to no account', async () => {
      expect(await store.ownerOfKey(SHA)).toBeNull();
      expect(await store.hasKey('owner')).toBe(false);
    });

    test('an ensured key belongs to its account, which has a salt of 32 bytes', async () => {
      await store.ensureKey(grant());
      const { account } = (await store.ownerOfKey(SHA))!;
      expect(account).toMatchObject({ name: 'owner', plan: 'developer' });
      expect(account.salt).toHaveLength(32);
      expect(await store.hasKey('owner')).toBe(true);
      expect(await store.ownerOfKey(SHA.toUpperCase())).toBeNull();
    });

    test('ensuring a key again changes nothing', async () => {
      await store.ensureKey(grant());
      const before = await store.ownerOfKey(SHA);
      await store.ensureKey(grant({ at: 5 }));
      expect(await store.ownerOfKey(SHA)).toEqual(before);
    });

    test('another key is added, salt and id stay, and the last plan applies', async () => {
      await store.ensureKey(grant());
      const { account: before } = (await store.ownerOfKey(SHA))!;
      const other = 'cd'.repeat(32);
      await store.ensureKey(grant({ keySha256: other, plan: 'growth' }));
      const expected = { ...before, plan: 'growth' as const };
      expect((await store.ownerOfKey(other))!.account).toEqual(expected);
      expect((await store.ownerOfKey(SHA))!.account).toEqual(expected);
    });

    test('a key of another account stays there', async () => {
      await store.ensureKey(grant({ account: 'first' }));
      await store.ensureKey(grant({ account: 'owner', plan: 'scale' }));
      expect(await store.ownerOfKey(SHA)).toMatchObject({ account: { name: 'first', plan: 'scale' } });
      expect(await store.hasKey('owner')).toBe(false);
    });

    test('an address belongs to one account: for another one neither key nor address is added', async () => {
      const email = 'ann@corp.com';
      const others = { account: 'b', keySha256: 'cd'.repeat(32) };
      expect(await store.ensureKey(grant({ account: 'a', email }))).toBe(true);
      expect(await store.ensureKey(grant({ account: 'a', email }))).toBe(true);
      expect(await store.ensureKey(grant({ ...others, email }))).toBe(false);
      expect(await store.ownerOfKey(others.keySha256)).toBeNull();
      expect(await store.ensureKey(grant({ ...others, email: 'bob@corp.com' }))).toBe(true);
    });

    test('an account can get an address later, unless it belongs to another account', async () => {
      await store.ensureKey(grant({ account: 'a' }));
      await store.ensureKey(grant({ account: 'b', keySha256: 'cd'.repeat(32) }));
      expect(await store.ensureEmail('a', 'ann@corp.com')).toBe(true);
      expect(await store.ensureEmail('a', 'ann@corp.com')).toBe(true);
      expect(await store.ensureEmail('b', 'ann@corp.com')).toBe(false);
      expect(await store.ensureEmail('a', 'new@corp.com')).toBe(true);
      expect(await store.ensureEmail('b', 'ann@corp.com')).toBe(true);
      expect(await store.ensureEmail('nobody', 'ann@corp.com')).toBe(true);
    });

    test('concurrent calls with the same key and address result in one account', async () => {
      const email = 'ann@corp.com';
      const given = Array.from({ length: 12 }, (_, i) => (i % 2 ? store : other).ensureKey(grant({ email })));
      expect(await Promise.all(given)).toEqual(Array(12).fill(true));
      expect(await store.ownerOfKey(SHA)).toMatchObject({ account: { name: 'owner' } });
    });

    test('of concurrent first keys of an account one is added', async () => {
      const given = Array.from({ length: 12 }, (_, i) =>
        (i % 2 ? store : other).ensureFirstKey(grant({ keySha256: i.toString(16).padStart(64, '0') })),
      );
      expect((await Promise.all(given)).filter(added => added !== null)).toEqual([true]);
      expect(await store.ensureFirstKey(grant())).toBeNull();
      expect(await store.ownerOfKey(SHA)).toBeNull();
    });

    test('a first key is not added with an address of another account', async () => {
      await store.ensureKey(grant({ account: 'a', email: 'ann@corp.com' }));
      const other = grant({ account: 'b', email: 'ann@corp.com', keySha256: 'cd'.repeat(32) });
      expect(await store.ensureFirstKey(other)).toBe(false);
      expect(await store.hasKey('b')).toBe(false);
    });

    test('an address belongs to one account, whether by sign-in or by configuration', async () => {
      await store.ensureKey(grant());
      for (let round = 0; round < 10; round++) {
        const email = `ann${round}@corp.com`;
        const [given, id] = await Promise.all([
          other.ensureEmail('owner', email),
          opened.signIn.ensureAccount(email, 1),
        ]);
        const { account } = (await store.ownerOfKey(SHA))!;
        expect(id === account.id).toBe(given);
      }
    });

    test('of concurrent accounts with one address one gets it', async () => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      for (const [i, account] of names.entries())
        await store.ensureKey(grant({ account, keySha256: `${i}`.repeat(64) }));
      const given = names.map((name, i) => (i % 2 ? store : other).ensureEmail(name, 'ann@corp.com'));
      expect((await Promise.all(given)).filter(Boolean)).toHaveLength(1);
    });

    test('two accounts have different ids and salts', async () => {
      await store.ensureKey(grant({ account: 'a' }));
      await store.ensureKey(grant({ account: 'b', keySha256: 'cd'.repeat(32) }));
      const [a, b] = [await store.ownerOfKey(SHA), await store.ownerOfKey('cd'.repeat(32))];
      expect(a!.account.id).not.toBe(b!.account.id);
      expect(a!.account.salt).not.toEqual(b!.account.salt);
    });
  });
}
