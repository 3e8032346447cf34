/** What every SignInStore does. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Claim, Code, CodeLimits, IdentityStore, Session, SignInStore } from '../../src/stores/ports.ts';

export interface OpenSignIn {
  /** Two connections to one and the same empty store. */
  store: SignInStore;
  other: SignInStore;
  identities: IdentityStore;
  /** Makes an account without an address that has the key, and gives its id. */
  owner(keySha256: string): Promise<string>;
  /** Adds one of these to the account. */
  give(account: string, what: NonNullable<Claim['holds']>): Promise<unknown>;
  close(): Promise<void>;
}

const NOW = 1_790_000_000_000;
const ANN = 'ann@corp.com';
const BOB = 'bob@corp.com';
const FREE: CodeLimits = { since: 0, perEmail: 1000, perClient: 1000 };
const LIMITS: CodeLimits = { since: NOW - 1000, perEmail: 2, perClient: 3 };
let made = 0;
const code = (given: Partial<Code> = {}): Code => ({
  id: `code_${++made}`,
  email: ANN,
  client: '192.0.2.1',
  sha256: `${made}`.padStart(64, '0'),
  createdAt: NOW,
  expiresAt: NOW + 600_000,
  ...given,
});

const ids = (codes: readonly { id: string }[]): string[] => codes.map(({ id }) => id).sort();

export function signInStoreContract(name: string, open: () => Promise<OpenSignIn>): void {
  describe(`${name} as a SignInStore`, () => {
    let opened: OpenSignIn;
    let store: SignInStore;
    let other: SignInStore;

    beforeEach(async () => {
      opened = await open();
      ({ store, other } = opened);
    });
    afterEach(() => opened.close());

    const session = async (given: Partial<Session> = {}): Promise<Session> => ({
      sha256: 'ab'.repeat(32),
      account: await store.ensureAccount(ANN, NOW),
      createdAt: NOW,
      expiresAt: NOW + 1000,
      ...given,
    });

    const add = async (given: Partial<Code> = {}, limits = FREE): Promise<Code> => {
      const added = code(given);
      await store.addCode(added, limits);
      return added;
    };

    describe('asking', () => {
      test('codes of one address and client are stored until one of the limits is reached', async () => {
        expect(await store.addCode(code(), LIMITS)).toBe(true);
        expect(await other.addCode(code(), LIMITS)).toBe(true);
        expect(await store.addCode(code(), LIMITS)).toBe(false);
        expect(await store.addCode(code({ email: BOB }), LIMITS)).toBeNull();
      });

      test('a code beyond the limit of its address cannot be tried, and does not count toward the limit', async () => {
        const early = [
          await add({ createdAt: NOW - 999 }, LIMITS),
          await add({ createdAt: NOW - 500 }, LIMITS),
        ];
        await add({ createdAt: NOW - 400 }, LIMITS);
        expect(ids(await store.tryCodes(ANN, NOW, 5))).toEqual(ids(early));
        const later = { ...LIMITS, since: NOW - 999 };
        expect(await store.addCode(code({ client: 'x' }), later)).toBe(true);
        expect(await store.addCode(code({ client: 'x' }), later)).toBe(false);
      });

      test('requests without a code count like the others', async () => {
        for (const kept of [true, true, false])
          expect(await store.addCode(code({ sha256: null }), LIMITS)).toBe(kept);
        expect(await store.addCode(code({ sha256: null }), LIMITS)).toBeNull();
      });

      test('addresses and clients have separate counts', async () => {
        await add({}, LIMITS);
        await add({}, LIMITS);
        expect(await store.addCode(code({ email: BOB, client: 'x' }), LIMITS)).toBe(true);
        expect(await store.addCode(code({ client: 'x' }), LIMITS)).toBe(false);
      });

      test('returns the times of the requests of a client, oldest first, whatever their result', async () => {
        const times = [NOW - 1, NOW - 1000, NOW, NOW - 999];
        for (const createdAt of times) await add({ createdAt }, { ...FREE, perEmail: 2 });
        await add({ client: 'x' });
        expect(await store.asksOf('192.0.2.1', NOW - 1000)).toEqual([NOW - 999, NOW - 1, NOW]);
        expect(await store.asksOf('nobody', 0)).toEqual([]);
      });

      test('of concurrent codes exactly as many are stored as the limits allow', async () => {
        const asked = Array.from({ length: 16 }, (_, i) =>
          (i % 2 ? store : other).addCode(code(), { ...FREE, perEmail: 5, perClient: 12 }),
        );
        const kept = await Promise.all(asked);
        const count = (what: boolean | null) => kept.filter(each => each === what).length;
        expect([count(true), count(false), count(null)]).toEqual([5, 7, 4]);
        expect(await store.tryCodes(ANN, NOW, 5)).toHaveLength(5);
      });
    });

    describe('trying', () => {
      test('returns only the live codes of the address', async () => {
        const live = [await add(), await add({ expiresAt: NOW + 1, sha256: null })];
        await add({ expiresAt: NOW });
        await add({ email: BOB });
        const found = await store.tryCodes(ANN, NOW, 5);
        expect(ids(found)).toEqual(ids(live));
        expect(new Map(found.map(({ id, sha256 }) => [id, sha256]))).toEqual(
          new Map(live.map(({ id, sha256 }) => [id, sha256])),
        );
        expect(await store.tryCodes('carl@corp.com', NOW, 5)).toEqual([]);
      });

      test('a code is returned for its maximum number of attempts, also for concurrent ones', async () => {
        const first = await add();
        expect(ids(await store.tryCodes(ANN, NOW, 5))).toEqual([first.id]);
        const second = await add();
        const tries = await Promise.all(
          Array.from({ length: 16 }, (_, i) => (i % 2 ? store : other).tryCodes(ANN, NOW, 5)),
        );
        const tried = (id: string) => tries.flat().filter(each => each.id === id).length;
        expect([tried(first.id), tried(second.id)]).toEqual([4, 5]);
      });

      test('addresses have separate attempts', async () => {
        await add();
        const bobs = await add({ email: BOB });
        for (let i = 0; i < 6; i++) await store.tryCodes(ANN, NOW, 5);
        expect(ids(await store.tryCodes(BOB, NOW, 5))).toEqual([bobs.id]);
      });
    });

    describe('taking', () => {
      test('a code is used once, together with all others of its address', async () => {
        const [one, two] = [await add(), await add()];
        const bobs = await add({ email: BOB });
        const taken = await Promise.all(
          [one, two, one, two].map(({ id }, i) => (i < 2 ? store : other).takeCode(id, NOW)),
        );
        expect(taken.filter(Boolean)).toHaveLength(1);
        expect(await store.takeCode(one.id, NOW)).toBe(false);
        expect(await store.tryCodes(ANN, NOW, 5)).toEqual([]);
        expect(ids(await store.tryCodes(BOB, NOW, 5))).toEqual([bobs.id]);
      });

      test('used codes still count toward the limits', async () => {
        const { id } = await add({}, LIMITS);
        await add({}, LIMITS);
        await store.takeCode(id, NOW);
        expect(await store.addCode(code(), LIMITS)).toBe(false);
      });

      test('an unknown id changes nothing', async () => {
        expect(await store.takeCode('code_none', NOW)).toBe(false);
      });
    });

    describe('accounts', () => {
      test('an address has no account until one is created, and then keeps it', async () => {
        expect(await store.accountOfEmail(ANN)).toBeNull();
        const id = await store.ensureAccount(ANN, NOW);
        expect(await other.ensureAccount(ANN, NOW + 1)).toBe(id);
        expect(await store.accountOfEmail(ANN)).toBe(id);
        expect(await store.accountOfEmail(BOB)).toBeNull();
      });

      test('concurrent calls create one account for each address', async () => {
        const made = await Promise.all(
          [ANN, BOB, ANN, BOB].map((email, i) => (i < 2 ? store : other).ensureAccount(email, NOW)),
        );
        expect(made[0]).toBe(made[2]!);
        expect(made[1]).toBe(made[3]!);
        expect(made[0]).not.toBe(made[1]!);
      });
    });

    describe('claims', () => {
      const KEY = 'ef'.repeat(32);
      const TOKEN = 'ab'.repeat(32);
      let owner: string;
      let ann: string;
      let claimed: Claim;

      beforeEach(async () => {
        owner = await opened.owner(KEY);
        ann = await store.ensureAccount(ANN, NOW);
        claimed = (await store.claim(ann, KEY))!;
      });

      const move = (by: SignInStore = store, asking = ann, email = ANN) =>
        by.moveAddress(asking, email, claimed.account, KEY);

      test('a claim says whose the key is, and what the account that asks has', async () => {
        expect(claimed).toEqual({ account: owner, hasAddress: false, email: ANN, holds: null });
        expect(await store.claim(ann, 'cd'.repeat(32))).toBeNull();
        expect(await store.claim(owner, KEY)).toMatchObject({ account: owner, email: null, holds: 'keys' });
      });

      test('address and sessions move', async () => {
        await store.openSession(await session({ sha256: TOKEN }));
        expect(await move(other)).toBe(true);
        expect(await store.accountOfEmail(ANN)).toBe(owner);
        expect((await opened.identities.ownerOfSession(TOKEN, NOW))!.account.id).toBe(owner);
        expect(await store.claim(await store.ensureAccount(BOB, NOW), KEY)).toMatchObject({
          hasAddress: true,
        });
        expect(await move()).toBe(false);
      });

      test.each(['jobs', 'keys', 'channels', 'batches', 'payments'] as const)(
        'an account with %s keeps its address',
        async what => {
          await opened.give(ann, what);
          expect((await store.claim(ann, KEY))!.holds).toBe(what);
          expect(await move()).toBe(false);
          expect(await store.accountOfEmail(ANN)).toBe(ann);
        },
      );

      const whatLeftHas = async (id: string) => (await store.claim(id, KEY))!.holds;

      test.each(['jobs', 'keys', 'channels'] as const)(
        'an account that was left gets no %s any more: the request is to be sent again',
        async what => {
          expect(await move()).toBe(true);
          await expect(opened.give(ann, what)).rejects.toMatchObject({
            code: 'SERVICE_UNAVAILABLE',
            headers: { 'Retry-After': '1' },
            message: expect.stringContaining('send the request again'),
          });
          expect(await whatLeftHas(ann)).toBeNull();
        },
      );

      test('an account that was left gets no sessions and no payments any more', async () => {
        const late = await session();
        expect(await move()).toBe(true);
        await expect(store.openSession(late)).rejects.toThrow('send the request again');
        expect(await opened.give(ann, 'payments')).toBe(false);
      });

      test.each(['jobs', 'keys', 'channels', 'batches', 'payments'] as const)(
        '%s that are added while the address moves are added before, and it stays, or are refused',
        async what => {
          for (let round = 0; round < 12; round++) {
            const email = `${what}${round}@corp.com`;
            const id = await store.ensureAccount(email, NOW);
            const keySha256 = `${round}`.padStart(64, 'e');
            const free = await opened.owner(keySha256);
            const adding = () => opened.give(id, what).catch(() => false);
            const moving = () => other.moveAddress(id, email, free, keySha256);
            const both = round % 2 ? [adding(), moving()] : [moving(), adding()].reverse();
            const [isAdded, isMoved] = await Promise.all(both);
            expect([isAdded, isMoved]).toContain(true);
            expect(isAdded && isMoved).toBe(false);
            expect(await whatLeftHas(id)).toBe(isAdded ? what : null);
          }
        },
      );

      test('an address that meanwhile belongs to another account, and a key that was deleted, move nothing', async () => {
        expect(await move(store, ann, BOB)).toBe(false);
        expect(await store.moveAddress(ann, ANN, claimed.account, 'cd'.repeat(32))).toBe(false);
        expect(await store.accountOfEmail(ANN)).toBe(ann);
      });

      test('of concurrent claims of one account one succeeds, and the other addresses stay', async () => {
        const people = await Promise.all(
          Array.from({ length: 8 }, async (_, i) => {
            const email = `person${i}@corp.com`;
            return { email, id: await store.ensureAccount(email, NOW) };
          }),
        );
        const moved = await Promise.all(
          people.map(({ email, id }, i) => move(i % 2 ? store : other, id, email)),
        );
        expect(moved.filter(Boolean)).toHaveLength(1);
        const accounts = await Promise.all(people.map(({ email }) => store.accountOfEmail(email)));
        expect(accounts).toEqual(people.map(({ id }, i) => (moved[i] ? owner : id)));
      });
    });

    describe('sessions', () => {
      test('are closed once', async () => {
        await store.openSession(await session());
        expect(await other.closeSession('ab'.repeat(32))).toBe(true);
        expect(await store.closeSession('ab'.repeat(32))).toBe(false);
      });

      test('are listed by account, newest first, without closed and expired ones', async () => {
        const account = await store.ensureAccount(BOB, NOW);
        await store.openSession(await session({ sha256: 'a', createdAt: NOW }));
        await store.openSession(await session({ sha256: 'b', createdAt: NOW + 1, expiresAt: NOW + 5 }));
        await store.openSession(await session({ sha256: 'c' }));
        await store.openSession(await session({ sha256: 'd', account }));
        await store.closeSession('c');
        const ann = await store.ensureAccount(ANN, NOW);
        const [b, a] = await other.sessions(ann, NOW + 4);
        expect([b, a]).toEqual([
          { sha256: 'b', createdAt: NOW + 1, expiresAt: NOW + 5 },
          { sha256: 'a', createdAt: NOW, expiresAt: NOW + 1000 },
        ]);
        expect(await store.sessions(ann, NOW + 5)).toEqual([a!]);
        expect((await store.sessions(account, NOW)).map(({ sha256 }) => sha256)).toEqual(['d']);
      });

      test('an unknown session is not closed', async () => {
        await store.openSession(await session());
        expect(await store.closeSession('cd'.repeat(32))).toBe(false);
        expect(await store.closeSession('ab'.repeat(32))).toBe(true);
      });
    });

    describe('sweeping', () => {
      test('deletes codes requested before a time, and no later one', async () => {
        for (const createdAt of [NOW - 2, NOW - 1, NOW]) await store.addCode(code({ createdAt }), FREE);
        expect(await store.sweep(NOW, NOW, 10)).toBe(2);
        expect(await store.sweep(NOW, NOW, 10)).toBe(0);
        expect(await store.tryCodes(ANN, NOW, 5)).toHaveLength(1);
      });

      test('deletes expired sessions, and no others', async () => {
        await store.openSession(await session({ sha256: 'a', expiresAt: NOW }));
        await store.openSession(await session({ sha256: 'b', expiresAt: NOW + 1 }));
        expect(await store.sweep(NOW, NOW, 10)).toBe(1);
        expect(await store.closeSession('a')).toBe(false);
        expect(await store.closeSession('b')).toBe(true);
      });

      test('deletes at most `limit` of each', async () => {
        for (let i = 0; i < 5; i++) await store.addCode(code({ createdAt: NOW - 1 }), FREE);
        expect(await store.sweep(NOW, NOW, 2)).toBe(2);
        expect(await store.sweep(NOW, NOW, 3)).toBe(3);
      });
    });
  });
}
