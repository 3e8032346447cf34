/** What every SignInStore does. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Code, Session, SignInStore } from '../../src/stores/ports.ts';

export interface OpenSignIn {
  store: SignInStore;
  close(): Promise<void>;
}

const NOW = 1_790_000_000_000;
let made = 0;
const code = (given: Partial<Code> = {}): Code => ({
  id: `code_${++made}`,
  email: 'ann@corp.com',
  client: '192.0.2.1',
  sha256: `${made}`.padStart(64, '0'),
  createdAt: NOW,
  expiresAt: NOW + 600_000,
  ...given,
});

/** `open`: a connection to an empty store. */
export function signInStoreContract(name: string, open: () => Promise<OpenSignIn>): void {
  describe(`${name} as a SignInStore`, () => {
    let opened: OpenSignIn;
    let store: SignInStore;

    beforeEach(async () => {
      opened = await open();
      ({ store } = opened);
    });
    afterEach(() => opened.close());

    const session = async (given: Partial<Session> = {}): Promise<Session> => ({
      sha256: 'ab'.repeat(32),
      account: await store.ensureAccount('ann@corp.com', NOW),
      createdAt: NOW,
      expiresAt: NOW + 1000,
      ...given,
    });

    describe('sweeping', () => {
      test('forgets codes that were asked for before a time, and no later one', async () => {
        for (const createdAt of [NOW - 2, NOW - 1, NOW]) await store.addCode(code({ createdAt }));
        expect(await store.sweep(NOW, NOW, 10)).toBe(2);
        expect(await store.sweep(NOW, NOW, 10)).toBe(0);
        expect(await store.tryCodes('ann@corp.com', NOW, 5)).toHaveLength(1);
      });

      test('forgets sessions that have ended, and no other', async () => {
        await store.openSession(await session({ sha256: 'a', expiresAt: NOW }));
        await store.openSession(await session({ sha256: 'b', expiresAt: NOW + 1 }));
        expect(await store.sweep(NOW, NOW, 10)).toBe(1);
        expect(await store.closeSession('a')).toBe(false);
        expect(await store.closeSession('b')).toBe(true);
      });

      test('forgets at most as many of each as it is told', async () => {
        for (let i = 0; i < 5; i++) await store.addCode(code({ createdAt: NOW - 1 }));
        expect(await store.sweep(NOW, NOW, 2)).toBe(2);
        expect(await store.sweep(NOW, NOW, 3)).toBe(3);
      });
    });
  });
}
