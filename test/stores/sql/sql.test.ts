import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type OutcomeUnknown, Rejection } from '../../../src/terms/errors.ts';
import { compressed } from '../../../src/stores/sql/compressed.ts';
import { MaybeCommitted, type SqlDatabase } from '../../../src/stores/sql/database.ts';
import { SqlIdempotency } from '../../../src/stores/sql/idempotency.ts';
import { HeldAllowance } from '../../../src/stores/sql/held-allowance.ts';
import { SqlIdentities } from '../../../src/stores/sql/identities.ts';
import { SqlKeys } from '../../../src/stores/sql/keys.ts';
import { openSql } from '../../../src/stores/sql/sqlite.ts';
import { SqlAllowance } from '../../../src/stores/sql/allowance.ts';
import { SqlSignIn } from '../../../src/stores/sql/sign-in.ts';
import { SqlJobs } from '../../../src/stores/sql/jobs.ts';
import { allowanceStoreContract } from '../../ports/allowance-store.ts';
import { completed, sqlContracts } from './contracts.ts';
import { foldersOfATest } from '../../folders.ts';

const newFolder = foldersOfATest();
const newPath = () => join(newFolder(), 'sluice.sqlite');

const GRANT = {
  account: 'owner',
  email: null,
  plan: 'developer',
  keySha256: 'ab'.repeat(32),
  keyPrefix: 'sluice_live_abcd',
  name: 'bootstrap',
  at: 1,
} as const;

sqlContracts('SQLite', async () => {
  const path = newPath();
  const [one, other] = [openSql(path), openSql(path)];
  const close = async () => {
    one.close();
    other.close();
  };
  return { one, other, close };
});

allowanceStoreContract('the allowance of a single process', async () => {
  const database = openSql(newPath());
  const held = new HeldAllowance(database);
  return { one: held, other: held, close: async () => database.close() };
});

describe('the allowance of a single process', () => {
  test('counts written rows once, by whichever connection, and forgets held ones with the process', async () => {
    const path = newPath();
    const [database, other] = [openSql(path), openSql(path)];
    const allowance = new HeldAllowance(database);
    const jobs = new SqlJobs(database, (...rows) => allowance.written(...rows));
    expect(await allowance.reserve('a', 7, 60, 100)).toMatchObject({ left: 40 });
    await jobs.complete(completed('a', 7, 60));
    expect(await allowance.counted('a', 7)).toBe(60);
    expect(await allowance.reserve('a', 7, 10, 100)).toMatchObject({ left: 30 });
    await new SqlJobs(other).complete(completed('a', 7, 25));
    expect(await allowance.reserve('a', 7, 6, 100)).toBeNull();
    expect(await allowance.reserve('a', 7, 5, 100)).toMatchObject({ left: 0 });
    expect(await new HeldAllowance(database).counted('a', 7)).toBe(85);
    for (const each of [database, other]) each.close();
  });

  test('reserves and releases while another process holds the lock: it writes nothing', async () => {
    const path = newPath();
    const database = openSql(path, 0);
    const holder = new Database(path);
    holder.exec('BEGIN IMMEDIATE');
    const allowance = new HeldAllowance(database);
    expect(await allowance.reserve('a', 7, 60, 100)).toMatchObject({ left: 40 });
    await allowance.release('a', 7, 60);
    expect(await allowance.counted('a', 7)).toBe(0);
    holder.close();
    database.close();
  });
});

describe('an address that signs in for the first time', () => {
  test('gets its own account on the developer plan, which owns the session', async () => {
    const database = openSql(newPath());
    const [signIn, identities] = [new SqlSignIn(database), new SqlIdentities(database)];
    const account = await signIn.ensureAccount('ann@corp.com', 1);
    await signIn.openSession({ sha256: 'ab', account, createdAt: 1, expiresAt: 10 });
    const { account: found } = (await identities.ownerOfSession('ab', 9))!;
    expect(found).toMatchObject({ id: account, plan: 'developer' });
    expect(found.salt).toHaveLength(32);
    expect(await identities.ownerOfSession('ab', 10)).toBeNull();
    database.close();
  });

  test('gets one even if an older account has that name', async () => {
    const database = openSql(newPath());
    await new SqlIdentities(database).ensureKey({ ...GRANT, account: 'ann@corp.com', email: 'new@corp.com' });
    const signIn = new SqlSignIn(database);
    const ann = await signIn.ensureAccount('ann@corp.com', 1);
    expect(ann).not.toBe(await signIn.ensureAccount('new@corp.com', 1));
    database.close();
  });
});

test('a wrong code for an address without a live code writes nothing, so it needs no lock', async () => {
  const path = newPath();
  const database = openSql(path, 0);
  const signIn = new SqlSignIn(database);
  const holder = new Database(path);
  holder.exec('BEGIN IMMEDIATE');
  expect(await signIn.tryCodes('ann@corp.com', 1, 5)).toEqual([]);
  holder.close();
  database.close();
});

describe('the SQL database', () => {
  test('data persists when the file is reopened', async () => {
    const path = newPath();
    const first = openSql(path);
    await new SqlIdentities(first).ensureKey(GRANT);
    const account = await new SqlIdentities(first).ownerOfKey(GRANT.keySha256);
    first.close();
    const second = openSql(path);
    expect(await new SqlIdentities(second).ownerOfKey(GRANT.keySha256)).toEqual(account);
    second.close();
  });

  test('processes that start together create one database and never exceed the allowance', async () => {
    const path = newPath();
    const script = join(import.meta.dir, 'reserve-all.ts');
    const children = [1, 2, 3].map(() =>
      Bun.spawn([process.execPath, script, path], { stdout: 'pipe', stderr: 'inherit' }),
    );
    const granted = await Promise.all(children.map(child => new Response(child.stdout).text()));
    expect(granted.map(Number).reduce((sum, rows) => sum + rows, 0)).toBe(300);
    const database = openSql(path);
    expect(new Database(path).query('SELECT count(*) AS n FROM accounts').get()).toEqual({ n: 1 });
    database.close();
  });

  test('processes that add keys to one account never exceed the limit', async () => {
    const path = newPath();
    const database = openSql(path);
    const account = await new SqlSignIn(database).ensureAccount('ann@corp.com', 0);
    const script = join(import.meta.dir, 'add-keys.ts');
    const children = [1, 2, 3].map(() =>
      Bun.spawn([process.execPath, script, path, account], { stdout: 'pipe', stderr: 'inherit' }),
    );
    const added = await Promise.all(children.map(child => new Response(child.stdout).text()));
    expect(added.map(Number).reduce((sum, keys) => sum + keys, 0)).toBe(100);
    expect(await new SqlKeys(database).list(account)).toHaveLength(100);
    database.close();
  });

  test('while another process holds the lock, counting rows and adding keys are unavailable', async () => {
    const path = newPath();
    const database = openSql(path, 0);
    const holder = new Database(path);
    holder.exec('BEGIN IMMEDIATE');
    const unavailable = { code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '1' } };
    await expect(new SqlAllowance(database).reserve('a', 0, 1, 10)).rejects.toMatchObject(unavailable);
    await expect(new SqlAllowance(database).release('a', 0, 1, '0')).rejects.toMatchObject(unavailable);
    await expect(new SqlIdentities(database).ensureKey(GRANT)).rejects.toMatchObject(unavailable);
    expect(await new SqlIdentities(database).ownerOfKey(GRANT.keySha256)).toBeNull();
    holder.exec('ROLLBACK');
    holder.close();
    expect(await new SqlAllowance(database).reserve('a', 0, 1, 10)).toMatchObject({ left: 9 });
    database.close();
  });
});

test('an answer that version 1.0 stored, with its own copy of the body, is replayed', async () => {
  const path = newPath();
  const database = openSql(path);
  const idempotency = new SqlIdempotency(database);
  const asked = (claim: string) => ({ requestSha256: 'ab'.repeat(32), claim, now: 0, expiresAt: 10 });
  await idempotency.claim('a', 'k', asked('c1'));
  const answer = { headers: { 'X-A': 'é' }, body: '{"a":1}' };
  const other = new Database(path);
  other.run('UPDATE idempotency SET answer = ?, expires_at = 1000', [compressed(answer)]);
  expect(await idempotency.claim('a', 'k', asked('c2'))).toMatchObject({ answer });
  other.close();
  database.close();
});

test.each([
  ['its own job', 0, true],
  ['the job of a request that took over its key', 1, false],
])('a commit without an answer, which finds %s', async (_, laterMs, isWritten) => {
  const database = openSql(newPath());
  const silent: SqlDatabase = {
    statement: build => database.statement(build),
    atomically: steps => database.atomically(steps),
    together: () => Promise.reject(new MaybeCommitted(new Rejection('SERVICE_UNAVAILABLE', 'no answer'))),
    alone: (...call) => database.alone(...call),
  };
  const completion = completed('a', 7, 60);
  const { job } = completion;
  await new SqlJobs(database).complete({
    ...completion,
    job: { ...job, createdAt: job.createdAt + laterMs },
  });
  const error = await new SqlJobs(silent).complete(completion).catch(thrown => thrown);
  expect(await (error as OutcomeUnknown).outcome).toBe(isWritten);
  database.close();
});
