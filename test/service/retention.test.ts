import { describe, expect, test } from 'bun:test';
import { Retention } from '../../src/service/retention.ts';
import { SqlIdentities } from '../../src/stores/sql/identities.ts';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';
import { Service } from '../http/service.ts';

const DAY = 24 * 3_600_000;
const UNLIMITED = { maxSources: null, maxBaselineBytes: null, maxReportBytes: null };

/** A service with one account, whose sources learned now, and a retention of 90 days. */
function started(maxReportBytes: number | null = null) {
  const service = new Service();
  const jobs = new SqlJobs(service.database);
  let seen = new Map<string, number>();
  let now = Date.now();
  const stores = {
    identities: new SqlIdentities(service.database),
    baselineStore: service.baselineStore,
    jobs: { lastSeen: async () => seen, pruneOldest: jobs.pruneOldest.bind(jobs) },
  };
  const options = { ...UNLIMITED, maxReportBytes, sourceRetentionDays: 90, now: () => now };
  const retention = new Retention(stores, options);
  const round = async () => {
    let accounts = 0;
    while ((await retention.deleteSome()) > 0) accounts++;
    return accounts;
  };
  return {
    service,
    jobs,
    stores,
    round,
    at: (given: number) => {
      now = given;
    },
    seenAt: (given: Record<string, number>) => {
      seen = new Map(Object.entries(given));
    },
  };
}

describe('sources that nobody screens', () => {
  test('are kept for SOURCE_RETENTION_DAYS and then deleted, with their versions and settings', async () => {
    const { stores, round, at, service } = started();
    const [account] = await stores.identities.accounts('', 1);
    for (let i = 0; i < 120; i++)
      await service.baselineStore.append(account!.id, `s${i}`, { id: 'r', state: new Uint8Array(9) });
    await service.baselineStore.setTexts(account!.id, 's1', { settings: null }, { settings: '{}' });
    await service.baselineStore.keepVersion(account!.id, 's1', '', new Uint8Array(9));
    const learned = await service.baselineStore.lastLearned(account!.id, 's0');
    at(learned + 90 * DAY);
    expect(await round()).toBeGreaterThan(0);
    expect((await service.baselineStore.kept(account!.id)).sources).toBe(120);
    at(Date.now() + 91 * DAY + 60_000);
    await round();
    expect(await service.baselineStore.kept(account!.id)).toEqual({ sources: 0, bytes: 0 });
  });

  test('are kept while they are screened without learning', async () => {
    const { stores, round, at, seenAt, service } = started();
    const [account] = await stores.identities.accounts('', 1);
    for (const source of ['pinned', 'idle'])
      await service.baselineStore.append(account!.id, source, { id: 'r', state: new Uint8Array(9) });
    const later = Date.now() + 200 * DAY;
    at(later);
    seenAt({ pinned: later - 90 * DAY, idle: later - 90 * DAY - 1 });
    await round();
    expect(await service.baselineStore.sources(account!.id, null, 9)).toEqual(['pinned']);
  });
});

test('a round visits each account once, and the next one begins a day later', async () => {
  const { round, at, stores } = started();
  const now = Date.now();
  const accounts = (await stores.identities.accounts('', 100)).length;
  expect(await round()).toBe(accounts);
  expect(await round()).toBe(0);
  at(now + DAY + 60_000);
  expect(await round()).toBe(accounts);
});
