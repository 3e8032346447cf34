/** The suites of all stores that lie in SQL, on one kind of database. */
import { describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import type { Completion } from '../../../src/stores/ports.ts';
import { SqlAlerts } from '../../../src/stores/sql/alerts.ts';
import { QUIET_MS, SqlAllowance } from '../../../src/stores/sql/allowance.ts';
import { SqlBilling } from '../../../src/stores/sql/billing.ts';
import { SqlBatches } from '../../../src/stores/sql/batches.ts';
import { SqlChanges } from '../../../src/stores/sql/changes.ts';
import type { SqlDatabase } from '../../../src/stores/sql/database.ts';
import { SqlIdempotency } from '../../../src/stores/sql/idempotency.ts';
import { SqlIdentities } from '../../../src/stores/sql/identities.ts';
import { SqlJobs } from '../../../src/stores/sql/jobs.ts';
import { SqlKeys } from '../../../src/stores/sql/keys.ts';
import { SqlLedger } from '../../../src/stores/sql/ledger.ts';
import { reports } from '../../../src/stores/sql/schema.ts';
import { SqlSignIn } from '../../../src/stores/sql/sign-in.ts';
import { alertStoreContract } from '../../ports/alert-store.ts';
import { allowanceStoreContract } from '../../ports/allowance-store.ts';
import { billingStoreContract } from '../../ports/billing-store.ts';
import { batchStoreContract } from '../../ports/batch-store.ts';
import { windowStoreContract } from '../../ports/window-store.ts';
import { SqlWindows } from '../../../src/stores/sql/windows.ts';
import { changeStoreContract } from '../../ports/change-store.ts';
import { idempotencyStoreContract } from '../../ports/idempotency-store.ts';
import { identityStoreContract } from '../../ports/identity-store.ts';
import { jobStoreContract } from '../../ports/job-store.ts';
import { keyStoreContract } from '../../ports/key-store.ts';
import { signInStoreContract } from '../../ports/sign-in-store.ts';
import { usageStoreContract } from '../../ports/usage-store.ts';

/** Two connections to one and the same empty database. */
export interface DatabasePair {
  one: SqlDatabase;
  other: SqlDatabase;
  close(): Promise<void>;
}

export const completed = (account: string, periodStart: number, rowsReceived: number): Completion => ({
  account,
  job: {
    id: `req_${account}_${periodStart}_${rowsReceived}`,
    source: 'orders',
    status: 'PASS',
    healthScore: 1,
    rowsReceived,
    driftCount: 0,
    latencyMs: 1,
    createdAt: 1,
  },
  document: { report: '{}', profile: '{}' },
  trend: { drift: '[]', nullRates: '{}' },
  periodStart,
  answer: null,
});

export function sqlContracts(name: string, open: () => Promise<DatabasePair>): void {
  describe(`${name} at a start`, () => {
    test('alone sets the counts to the ledger; beside others keeps their requests in progress', async () => {
      const { one, other, close } = await open();
      const [allowance, jobs] = [new SqlAllowance(one), new SqlJobs(other)];
      await allowance.reserve('a', 7, 100, 1000);
      await jobs.complete(completed('a', 7, 60));
      await allowance.catchUp();
      expect(await allowance.counted('a', 7)).toBe(100);
      await jobs.complete(completed('a', 7, 70));
      await allowance.catchUp();
      expect(await allowance.counted('a', 7)).toBe(130);
      await allowance.reserve('a', 7, 5, 1000);
      await allowance.recount();
      expect(await allowance.counted('a', 7)).toBe(130);
      await close();
    });
  });

  describe(`${name} as an AllowanceStore that several processes share`, () => {
    test('rows of requests that never ended count until half a minute without a reservation is over', async () => {
      const { one, other, close } = await open();
      let now = 1_000_000;
      const [allowance, another] = [one, other].map(each => new SqlAllowance(each, () => now)) as [
        SqlAllowance,
        SqlAllowance,
      ];
      await allowance.reserve('a', 7, 60, 1000);
      await new SqlJobs(other).complete(completed('a', 7, 60));
      // Its answer did not come: nobody releases it.
      await allowance.reserve('a', 7, 900, 1000);
      now += QUIET_MS;
      expect(await another.counted('a', 7)).toBe(960);
      expect(await another.reserve('a', 7, 41, 1000)).toBeNull();
      expect(await another.reserve('a', 7, 40, 1000)).toMatchObject({ left: 0 });
      now += QUIET_MS + 1;
      expect(await another.counted('a', 7)).toBe(60);
      expect(await another.reserve('a', 7, 940, 1000)).toMatchObject({ left: 0 });
      expect(await another.reserve('a', 7, 1, 1000)).toBeNull();
      await close();
    });

    test('a release does nothing if the count was taken from the ledger again in between', async () => {
      const { one, other, close } = await open();
      let now = 1_000_000;
      const [allowance, another] = [one, other].map(each => new SqlAllowance(each, () => now)) as [
        SqlAllowance,
        SqlAllowance,
      ];
      const late = await allowance.reserve('a', 7, 10, 1000);
      now += QUIET_MS + 1;
      const current = await another.reserve('a', 7, 100, 1000);
      await allowance.release('a', 7, 10, late!.count);
      expect(await another.counted('a', 7)).toBe(100);
      await another.release('a', 7, 30, current!.count);
      expect(await allowance.counted('a', 7)).toBe(70);
      await close();
    });
  });

  allowanceStoreContract(name, async () => {
    const { one, other, close } = await open();
    return { one: new SqlAllowance(one), other: new SqlAllowance(other), close };
  });

  identityStoreContract(name, async () => {
    const { one, other, close } = await open();
    const signIn = new SqlSignIn(one);
    return { store: new SqlIdentities(one), other: new SqlIdentities(other), signIn, close };
  });

  keyStoreContract(name, async () => {
    const { one, other, close } = await open();
    const signIn = new SqlSignIn(one);
    return {
      one: new SqlKeys(one),
      other: new SqlKeys(other),
      identities: new SqlIdentities(other),
      account: email => signIn.ensureAccount(email, 0),
      close,
    };
  });

  alertStoreContract(name, async () => {
    const { one, other, close } = await open();
    const signIn = new SqlSignIn(one);
    return {
      one: new SqlAlerts(one),
      other: new SqlAlerts(other),
      jobs: new SqlJobs(one),
      changes: new SqlChanges(one),
      account: email => signIn.ensureAccount(email, 0),
      close,
    };
  });

  batchStoreContract(name, async () => {
    const { one, other, close } = await open();
    const signIn = new SqlSignIn(one);
    const account = (email: string) => signIn.ensureAccount(email, 0);
    return { one: new SqlBatches(one), other: new SqlBatches(other), account, close };
  });

  windowStoreContract(name, async () => {
    const { one, other, close } = await open();
    const signIn = new SqlSignIn(one);
    const ledger = new SqlLedger(one);
    return {
      one: new SqlWindows(one),
      other: new SqlWindows(other),
      batches: new SqlBatches(one),
      idempotency: new SqlIdempotency(one),
      usage: (account, periodStart) => ledger.usage(account, periodStart),
      account: email => signIn.ensureAccount(email, 0),
      close,
    };
  });

  changeStoreContract(name, async () => {
    const { one, other, close } = await open();
    return { one: new SqlChanges(one, 3), other: new SqlChanges(other, 3), close };
  });

  idempotencyStoreContract(name, async () => {
    const { one, other, close } = await open();
    return { one: new SqlIdempotency(one), other: new SqlIdempotency(other), jobs: new SqlJobs(one), close };
  });

  jobStoreContract(name, async () => {
    const { one, other, close } = await open();
    const ledger = new SqlLedger(one);
    const count = one.statement<{ n: number }>(queries =>
      queries.select({ n: sql<number>`count(*)`.mapWith(Number) }).from(reports),
    );
    return {
      jobs: new SqlJobs(one),
      other: new SqlJobs(other),
      changes: new SqlChanges(one),
      idempotency: new SqlIdempotency(other),
      counted: (account, periodStart) => ledger.usage(account, periodStart),
      reports: async () => (await count.run({}))[0]!.n,
      close,
    };
  });

  usageStoreContract(name, async () => {
    const { one, other, close } = await open();
    const jobs = new SqlJobs(other);
    const complete = async (account: string, periodStart: number, rows: number) => {
      await jobs.complete(completed(account, periodStart, rows));
    };
    return { store: new SqlLedger(one), complete, close };
  });

  billingStoreContract(name, async () => {
    const { one, other, close } = await open();
    const signIn = new SqlSignIn(one);
    const account = async (email: string, sha256: string) => {
      const id = await signIn.ensureAccount(email, 0);
      await signIn.openSession({ sha256, account: id, createdAt: 0, expiresAt: 10 });
      return id;
    };
    return {
      one: new SqlBilling(one),
      other: new SqlBilling(other),
      identities: new SqlIdentities(other),
      account,
      close,
    };
  });

  signInStoreContract(name, async () => {
    const { one, other, close } = await open();
    const [store, identities] = [new SqlSignIn(one), new SqlIdentities(other)];
    const key = { name: 'key', prefix: 'sluice_live_1', createdAt: 0 };
    const channel = { type: 'slack', name: '', target: '', sources: [], on: 'warn' } as const;
    const GIVE = {
      jobs: (account: string) => new SqlJobs(one).complete({ ...completed(account, 7, 1), isPerson: true }),
      keys: (account: string) =>
        new SqlKeys(one).add(account, { ...key, id: `key_${account}`, sha256: account }, 1),
      channels: (account: string) =>
        new SqlAlerts(one).addChannel(
          account,
          { ...channel, id: `chn_${account}`, secrets: [], createdAt: 0, failingSince: null },
          1,
        ),
      batches: async (account: string) => {
        const batch = { id: `bat_${account}`, account, source: 's', options: null, begun: new Uint8Array() };
        const ended = {
          status: 'aborted',
          createdAt: 0,
          expiresAt: 0,
          requestId: null,
          answer: null,
          window: null,
        } as const;
        const bounds = { batches: 1, bytes: 1 };
        return (await new SqlBatches(one).open({ ...batch, ...ended }, null, bounds)) === 'opened';
      },
      payments: (account: string) => new SqlBilling(one).keepCustomer(account, `cus_${account}`, null),
    };
    const owner = async (keySha256: string) => {
      const made = {
        account: `owner of ${keySha256}`,
        email: null,
        plan: 'developer',
        name: 'key',
        at: 0,
      } as const;
      await identities.ensureKey({ ...made, keySha256, keyPrefix: 'sluice_live_' });
      return (await identities.ownerOfKey(keySha256))!.account.id;
    };
    return {
      store,
      other: new SqlSignIn(other),
      identities,
      owner,
      give: (account, what) => GIVE[what](account),
      close,
    };
  });
}
