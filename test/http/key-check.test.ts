import { describe, expect, test } from 'bun:test';
import { KeyCheck } from '../../src/http/key-check.ts';
import { KEY, ListedAccounts } from './service.ts';

const UNKNOWN = `sluice_live_${'u0'.repeat(16)}`;

function checkAt(start: number) {
  const clock = { now: start };
  const accounts = new ListedAccounts();
  return { clock, accounts, keys: new KeyCheck(accounts, () => clock.now) };
}

describe('a key', () => {
  test('that was just looked up is not looked up again', async () => {
    const { accounts, keys } = checkAt(0);
    expect((await keys.accountOf(KEY)).id).toBe('owner');
    expect((await keys.accountOf(KEY)).id).toBe('owner');
    expect(accounts.asked.length).toBe(1);
  });

  test('that was deleted stops working within ten seconds', async () => {
    const { clock, accounts, keys } = checkAt(0);
    await keys.accountOf(KEY);
    accounts.byHash.clear();
    clock.now = 10_000;
    await expect(keys.accountOf(KEY)).rejects.toThrow('No account has this API key');
  });

  test('that nobody had works as soon as somebody has it', async () => {
    const { accounts, keys } = checkAt(0);
    const [account] = accounts.byHash.values();
    await expect(keys.accountOf(UNKNOWN)).rejects.toThrow();
    accounts.byHash.set(new Bun.CryptoHasher('sha256').update(UNKNOWN).digest('hex'), account!);
    expect(await keys.accountOf(UNKNOWN)).toBe(account!);
  });
});
