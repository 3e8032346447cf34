import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqlAccounts } from '../../../src/stores/sql/accounts.ts';
import { openSql } from '../../../src/stores/sql/database.ts';
import { SqlUsage } from '../../../src/stores/sql/usage.ts';
import { accountStoreContract } from '../../contract/account-store.ts';
import { usageStoreContract } from '../../contract/usage-store.ts';

const folders: string[] = [];
const newPath = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
  folders.push(folder);
  return join(folder, 'sluice.sqlite');
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const GRANT = {
  account: 'owner',
  plan: 'developer',
  keySha256: 'ab'.repeat(32),
  keyPrefix: 'sluice_live_abcd',
  name: 'bootstrap',
  at: 1,
} as const;

usageStoreContract('SQLite', async () => {
  const path = newPath();
  const [one, other] = [openSql(path), openSql(path)];
  return {
    one: new SqlUsage(one),
    other: new SqlUsage(other),
    close: async () => {
      one.$client.close();
      other.$client.close();
    },
  };
});

accountStoreContract('SQLite', async () => {
  const database = openSql(newPath());
  return { store: new SqlAccounts(database), close: async () => database.$client.close() };
});

describe('the SQL database', () => {
  test('what was written is there when the file is opened again', async () => {
    const path = newPath();
    const first = openSql(path);
    await new SqlAccounts(first).ensureKey(GRANT);
    const account = await new SqlAccounts(first).accountOfKey(GRANT.keySha256);
    first.$client.close();
    const second = openSql(path);
    expect(await new SqlAccounts(second).accountOfKey(GRANT.keySha256)).toEqual(account);
    second.$client.close();
  });

  test('processes that start together make one database, and never grant more than the allowance', async () => {
    const path = newPath();
    const script = join(import.meta.dir, 'reserve-all.ts');
    const children = [1, 2, 3].map(() =>
      Bun.spawn([process.execPath, script, path], { stdout: 'pipe', stderr: 'inherit' }),
    );
    const granted = await Promise.all(children.map(child => new Response(child.stdout).text()));
    expect(granted.map(Number).reduce((sum, rows) => sum + rows, 0)).toBe(300);
    const database = openSql(path);
    expect(database.$client.query('SELECT count(*) AS n FROM accounts').get()).toEqual({ n: 1 });
    database.$client.close();
  });

  test('while another process holds the lock, counting and granting keys are unavailable', async () => {
    const path = newPath();
    const database = openSql(path, 0);
    const holder = new Database(path);
    holder.exec('BEGIN IMMEDIATE');
    const unavailable = { code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '1' } };
    await expect(new SqlUsage(database).reserve('a', 0, 1, 10)).rejects.toMatchObject(unavailable);
    await expect(new SqlUsage(database).release('a', 0, 1)).rejects.toMatchObject(unavailable);
    await expect(new SqlAccounts(database).ensureKey(GRANT)).rejects.toMatchObject(unavailable);
    expect(await new SqlAccounts(database).accountOfKey(GRANT.keySha256)).toBeNull();
    holder.exec('ROLLBACK');
    holder.close();
    expect(await new SqlUsage(database).reserve('a', 0, 1, 10)).toBe(9);
    database.$client.close();
  });
});
