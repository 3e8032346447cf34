import { describe, expect, test } from 'bun:test';
import { SECRET_BYTES, secretSha256, tokenFrom } from '../../src/account/keys.ts';
import { Authentication, ofAccount } from '../../src/http/authentication.ts';
import { SqlSignIn } from '../../src/stores/sql/sign-in.ts';
import { AskedIdentities, KEY, newStores, SCALE_KEY } from './service.ts';

const UNKNOWN = `sluice_live_${'u0'.repeat(16)}`;
const TOKEN = tokenFrom(new Uint8Array(SECRET_BYTES).fill(9));

function authenticationAt(start: number) {
  const clock = { now: start };
  const { rows, database } = newStores();
  const identities = new AskedIdentities(database);
  const authentication = new Authentication(identities, () => clock.now);
  const signIn = new SqlSignIn(database);
  const withKey = (key: string) => authentication.identityOf(new Headers({ 'X-API-Key': key }));
  const withToken = (token: string) =>
    authentication.identityOf(new Headers({ Authorization: `Bearer ${token}` }));
  return { clock, rows, identities, authentication, signIn, withKey, withToken };
}

describe('a key', () => {
  test('is cached after a lookup', async () => {
    const { identities, withKey } = authenticationAt(0);
    expect(await withKey(KEY)).toMatchObject({ account: { id: 'owner' }, key: 'key_owner' });
    expect((await withKey(KEY)).account.id).toBe('owner');
    expect(identities.asked.length).toBe(1);
  });

  test('deleted by another replica stops working within five seconds', async () => {
    const { clock, rows, withKey } = authenticationAt(0);
    await withKey(KEY);
    await rows('DELETE FROM keys');
    clock.now = 4_999;
    await expect(withKey(KEY)).rejects.toThrow('No account has this API key');
  });

  test('deleted by another replica stops working although the clock is set back', async () => {
    const { clock, rows, withKey } = authenticationAt(3_600_000);
    await withKey(KEY);
    await rows('DELETE FROM keys');
    clock.now = 0;
    await expect(withKey(KEY)).rejects.toThrow('No account has this API key');
  });

  test('deleted by this replica stops working at once', async () => {
    const { rows, authentication, withKey } = authenticationAt(0);
    await withKey(KEY);
    await rows('DELETE FROM keys');
    authentication.forget(secretSha256(KEY));
    await expect(withKey(KEY)).rejects.toThrow('No account has this API key');
  });

  test('is looked up again after a change of its account, here or elsewhere, and no other is', async () => {
    const { rows, identities, authentication, withKey, withToken, signIn } = authenticationAt(0);
    const session = { sha256: secretSha256(TOKEN), account: 'owner', createdAt: 0, expiresAt: 9_000 };
    await signIn.openSession(session);
    const plans = async () => [(await withKey(KEY)).account.plan, (await withToken(TOKEN)).account.plan];
    for (const [plan, change] of [
      ['growth', () => authentication.forgetAccount('owner')],
      ['scale', () => authentication.receive('account:owner')],
    ] as const) {
      const before = await plans();
      await withKey(SCALE_KEY);
      const asked = identities.asked.length;
      await rows(`UPDATE accounts SET plan = '${plan}'`);
      expect(await plans()).toEqual(before);
      change();
      expect(await plans()).toEqual([plan, plan]);
      await withKey(SCALE_KEY);
      expect(identities.asked.length).toBe(asked + 1);
    }
  });

  test('deleted during its lookup is not cached', async () => {
    const { rows, identities, authentication, withKey } = authenticationAt(0);
    const look = identities.ownerOfKey.bind(identities);
    identities.ownerOfKey = async sha256 => {
      const found = await look(sha256);
      await rows('DELETE FROM keys');
      authentication.forget(sha256);
      return found;
    };
    await withKey(KEY);
    await expect(withKey(KEY)).rejects.toThrow('No account has this API key');
  });

  test('of a changed account is looked up again, and keys of other accounts are not', async () => {
    const { rows, identities, authentication, withKey } = authenticationAt(0);
    for (const key of [KEY, SCALE_KEY]) await withKey(key);
    await rows("UPDATE accounts SET paid_plan = 'growth', paid_from = 1, paid_to = 2 WHERE id = 'owner'");
    authentication.receive(ofAccount('owner'));
    for (const key of [KEY, SCALE_KEY]) await withKey(key);
    expect(identities.asked).toEqual([KEY, SCALE_KEY, KEY].map(secretSha256));
    expect((await withKey(KEY)).account).toMatchObject({
      plan: 'growth',
      paidPeriod: { start: 1, end: 2 },
    });
  });

  test('that was unknown works as soon as it is created', async () => {
    const { rows, withKey } = authenticationAt(0);
    await expect(withKey(UNKNOWN)).rejects.toThrow();
    await rows(`UPDATE keys SET sha256 = '${secretSha256(UNKNOWN)}' WHERE account = 'owner'`);
    expect((await withKey(UNKNOWN)).account.id).toBe('owner');
  });

  test('takes precedence over a token', async () => {
    const { authentication } = authenticationAt(0);
    const headers = new Headers({ 'X-API-Key': KEY, Authorization: 'Bearer nonsense' });
    expect((await authentication.identityOf(headers)).key).toBe('key_owner');
  });
});

describe('a session token', () => {
  test('works until its session ends, to the millisecond', async () => {
    const { clock, signIn, withToken } = authenticationAt(0);
    const sha256 = secretSha256(TOKEN);
    await signIn.openSession({ sha256, account: 'owner', createdAt: 0, expiresAt: 1000 });
    expect(await withToken(TOKEN)).toMatchObject({ account: { id: 'owner' }, key: null });
    clock.now = 999;
    expect((await withToken(TOKEN)).account.id).toBe('owner');
    clock.now = 1000;
    await expect(withToken(TOKEN)).rejects.toThrow('This session has ended');
  });

  test.each(['', 'Basic abc', 'Bearer', `Bearer ${TOKEN} x`, `Bearer ${TOKEN}x`])(
    'cannot be %p',
    async authorization => {
      const { authentication } = authenticationAt(0);
      const headers = new Headers({ Authorization: authorization });
      await expect(authentication.identityOf(headers)).rejects.toMatchObject({ code: 'AUTH_INVALID' });
    },
  );
});
