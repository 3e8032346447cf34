/** What every IdempotencyStore does, together with the JobStore that keeps its answers. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  type Answer,
  type Completion,
  DELETED,
  type IdempotencyStore,
  type JobStore,
  type Replay,
} from '../../src/stores/ports.ts';

/** Two connections to one and the same empty store, as two processes would have them. */
export interface OpenIdempotency {
  one: IdempotencyStore;
  other: IdempotencyStore;
  jobs: JobStore;
  close(): Promise<void>;
}

const NOW = Date.UTC(2027, 4, 17, 9);
const LEASE_END = NOW + 10_000;
const ANSWER_END = NOW + 86_400_000;
const SHA = 'ab'.repeat(32);
const OTHER_SHA = 'cd'.repeat(32);

const asked = (claim: string, now = NOW, requestSha256 = SHA) => ({
  claim,
  now,
  requestSha256,
  expiresAt: now + 10_000,
});

/** A job of one row, and the answer to keep with it. */
const completion = (id: string, { body = '{}', ...answer }: Partial<Answer & Replay> = {}): Completion => ({
  account: 'a',
  job: {
    id,
    source: 'orders',
    status: 'PASS',
    healthScore: 1,
    rowsReceived: 1,
    driftCount: 0,
    latencyMs: 1,
    createdAt: NOW,
  },
  document: { report: body, profile: '{"fields":{}}' },
  trend: { drift: '[]', nullRates: '{}' },
  periodStart: 0,
  answer: { key: 'k', claim: 'c1', expiresAt: ANSWER_END, headers: {}, ...answer },
});

const RUNNING = { requestSha256: SHA, answer: null };

export function idempotencyStoreContract(name: string, open: () => Promise<OpenIdempotency>): void {
  describe(`${name} as an IdempotencyStore`, () => {
    let opened: OpenIdempotency;
    let one: IdempotencyStore;
    let other: IdempotencyStore;
    let jobs: JobStore;

    beforeEach(async () => {
      opened = await open();
      ({ one, other, jobs } = opened);
    });
    afterEach(() => opened.close());

    const jobIds = async () => (await jobs.list('a', { limit: 100 })).map(job => job.id);

    test('one of many requests claims a free key, and the others see the running request', async () => {
      const claims = Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? one : other).claim('a', 'k', asked(`c${i}`)),
      );
      const found = await Promise.all(claims);
      expect(found.filter(each => each === 'claimed')).toHaveLength(1);
      for (const each of found) if (each !== 'claimed') expect(each).toEqual(RUNNING);
    });

    test('a different request sees the hash of the running one', async () => {
      await one.claim('a', 'k', asked('c1'));
      expect(await other.claim('a', 'k', asked('c2', NOW, OTHER_SHA))).toEqual(RUNNING);
    });

    test('accounts and keys are separate for any characters', async () => {
      const pairs = [
        ['a', 'k'],
        ['b', 'k'],
        ['a', 'K'],
        ['a', '__proto__'],
        ['a', "'; --"],
        ['a', '~'.repeat(255)],
      ];
      for (const [account, key] of pairs)
        expect(await one.claim(account!, key!, asked('c1'))).toBe('claimed');
      for (const [account, key] of pairs)
        expect(await one.claim(account!, key!, asked('c2'))).toEqual(RUNNING);
    });

    test('of requests that end at once, one that has lost its claim writes nothing, and the others all', async () => {
      for (const key of ['k1', 'k2', 'k3']) await one.claim('a', key, asked('c1'));
      await one.unclaim('a', 'k2', 'c1');
      await other.claim('a', 'k2', asked('c2'));
      const ended = ['k1', 'k2', 'k3'].map(key => jobs.complete(completion(`req_${key}`, { key })));
      expect(await Promise.all(ended)).toEqual([true, false, true]);
      expect((await jobIds()).sort()).toEqual(['req_k1', 'req_k3']);
      expect(await other.claim('a', 'k2', asked('c3'))).toEqual(RUNNING);
      expect(await other.claim('a', 'k3', asked('c3'))).toMatchObject({ answer: { body: '{}' } });
    });

    test('a released key is free, also for another request', async () => {
      await one.claim('a', 'k', asked('c1'));
      await one.unclaim('a', 'k', 'c1');
      expect(await other.claim('a', 'k', asked('c2', NOW, OTHER_SHA))).toBe('claimed');
    });

    test('only the holder can release a claim', async () => {
      await one.claim('a', 'k', asked('c1'));
      await other.unclaim('a', 'k', 'c2');
      await other.unclaim('b', 'k', 'c1');
      await other.unclaim('a', 'K', 'c1');
      expect(await other.claim('a', 'k', asked('c2'))).toEqual(RUNNING);
    });

    test('a claim can be taken over when its lease has expired, and not a millisecond before', async () => {
      await one.claim('a', 'k', asked('c1'));
      expect(await other.claim('a', 'k', asked('c2', LEASE_END - 1))).toEqual(RUNNING);
      expect(await other.claim('a', 'k', asked('c2', LEASE_END, OTHER_SHA))).toBe('claimed');
      expect(await one.claim('a', 'k', asked('c3', LEASE_END))).toEqual({
        ...RUNNING,
        requestSha256: OTHER_SHA,
      });
    });

    test('a renewed claim cannot be taken over before its new end', async () => {
      await one.claim('a', 'k', asked('c1'));
      await one.renew('a', 'k', 'c1', LEASE_END + 5000);
      expect(await other.claim('a', 'k', asked('c2', LEASE_END + 4999))).toEqual(RUNNING);
      expect(await other.claim('a', 'k', asked('c2', LEASE_END + 5000))).toEqual({ unfinished: 'c1' });
    });

    test('a claim whose lease is ended early is unfinished for the same request, and free for another', async () => {
      await one.claim('a', 'k', asked('c1'));
      await one.renew('a', 'k', 'c1', NOW);
      expect(await other.claim('a', 'k', asked('c2'))).toEqual({ unfinished: 'c1' });
      await other.renew('a', 'k', 'c2', NOW);
      expect(await one.claim('a', 'k', asked('c3', NOW, OTHER_SHA))).toBe('claimed');
    });

    test('each holder gets the first unfinished claim, until one forgets it and is itself the unfinished one', async () => {
      await one.claim('a', 'k', asked('c1'));
      expect(await other.claim('a', 'k', asked('c2', NOW + 10_000))).toEqual({ unfinished: 'c1' });
      expect(await one.claim('a', 'k', asked('c3', NOW + 20_000))).toEqual({ unfinished: 'c1' });
      expect(await other.forgetUnfinished('a', 'k', 'c2')).toBe(false);
      expect(await one.forgetUnfinished('a', 'k', 'c3')).toBe(true);
      expect(await other.claim('a', 'k', asked('c4', NOW + 30_000))).toEqual({ unfinished: 'c3' });
    });

    test('a claim that has an unfinished one is not released: it ends with its lease', async () => {
      await one.claim('a', 'k', asked('c1'));
      await other.claim('a', 'k', asked('c2', LEASE_END));
      await other.unclaim('a', 'k', 'c2');
      expect(await one.claim('a', 'k', asked('c3', LEASE_END))).toEqual(RUNNING);
      expect(await one.claim('a', 'k', asked('c3', LEASE_END + 10_000))).toEqual({ unfinished: 'c1' });
    });

    test('an answered request is not unfinished when its key is used again', async () => {
      await one.claim('a', 'k', asked('c1'));
      await other.claim('a', 'k', asked('c2', LEASE_END));
      expect(await jobs.complete(completion('r2', { claim: 'c2' }))).toBe(true);
      expect(await one.claim('a', 'k', asked('c3', ANSWER_END))).toBe('claimed');
    });

    test('renewing a lost, an answered or a missing claim changes nothing', async () => {
      await one.renew('a', 'k', 'c1', LEASE_END + 5000);
      await one.claim('a', 'k', asked('c1'));
      await other.claim('a', 'k', asked('c2', LEASE_END));
      await one.renew('a', 'k', 'c1', LEASE_END + 50_000);
      expect(await jobs.complete(completion('r2', { claim: 'c2' }))).toBe(true);
      await other.renew('a', 'k', 'c2', 0);
      expect(await one.claim('a', 'k', asked('c3', ANSWER_END - 1))).toMatchObject({
        answer: { body: '{}' },
      });
      expect(await one.claim('a', 'k', asked('c3', ANSWER_END))).toBe('claimed');
    });

    test('a claim from before the clock was set back can be taken over, and an answer stays', async () => {
      await one.claim('a', 'k', asked('c1'));
      expect(await other.claim('a', 'k', asked('c2', NOW - 5000))).toEqual(RUNNING);
      expect(await other.claim('a', 'k', asked('c2', NOW - 3_600_000))).toEqual({ unfinished: 'c1' });
      expect(await jobs.complete(completion('r1', { claim: 'c1' }))).toBe(false);
      expect(await jobs.complete(completion('r2', { claim: 'c2' }))).toBe(true);
      const found = await one.claim('a', 'k', asked('c3', NOW - 3_600_000));
      expect(found).toMatchObject({ answer: { body: '{}' } });
    });

    test('a request that lost its claim can neither write nor release', async () => {
      await one.claim('a', 'k', asked('c1'));
      await other.claim('a', 'k', asked('c2', LEASE_END));
      expect(await jobs.complete(completion('r1', { claim: 'c1' }))).toBe(false);
      await one.unclaim('a', 'k', 'c1');
      expect(await jobIds()).toEqual([]);
      expect(await jobs.complete(completion('r2', { claim: 'c2' }))).toBe(true);
      expect(await jobIds()).toEqual(['r2']);
    });

    test('a request without a claim cannot write', async () => {
      expect(await jobs.complete(completion('r1'))).toBe(false);
      await one.claim('a', 'k', asked('c1'));
      await one.unclaim('a', 'k', 'c1');
      expect(await jobs.complete(completion('r2'))).toBe(false);
      expect(await jobIds()).toEqual([]);
    });

    test('an expired claim is valid until another request takes it over', async () => {
      await one.claim('a', 'k', asked('c1'));
      expect(await jobs.complete(completion('r1'))).toBe(true);
    });

    test('an answer is replayed unchanged until it expires, to the millisecond', async () => {
      const answer = { headers: { 'X-A': 'é', 'X-B': '' }, body: '{"a":"\\u0000 \u{1f600}"}' };
      await one.claim('a', 'k', asked('c1'));
      await jobs.complete(completion('r1', answer));
      const kept = { requestSha256: SHA, answer };
      expect(await other.claim('a', 'k', asked('c2', LEASE_END))).toEqual(kept);
      expect(await other.claim('a', 'k', asked('c2', ANSWER_END - 1, OTHER_SHA))).toEqual(kept);
      expect(await other.claim('a', 'k', asked('c2', ANSWER_END, OTHER_SHA))).toBe('claimed');
      expect(await one.claim('a', 'k', asked('c3', ANSWER_END))).toEqual({
        requestSha256: OTHER_SHA,
        answer: null,
      });
    });

    test('an answer whose job is deleted is known to have been given until it expires', async () => {
      await one.claim('a', 'k', asked('c1'));
      await jobs.complete(completion('r1'));
      expect(await jobs.pruneOldest('a', 0, 1)).toBe(1);
      const found = await other.claim('a', 'k', asked('c2', ANSWER_END - 1));
      expect(found).toEqual({ requestSha256: SHA, answer: DELETED });
      expect(await other.claim('a', 'k', asked('c2', ANSWER_END))).toBe('claimed');
    });

    test('an answer stays if its claim is released afterwards', async () => {
      await one.claim('a', 'k', asked('c1'));
      await jobs.complete(completion('r1', { body: '[1]' }));
      await one.unclaim('a', 'k', 'c1');
      expect(await one.claim('a', 'k', asked('c2'))).toMatchObject({ answer: { body: '[1]' } });
    });

    test('expired answers are deleted, oldest first, and no others', async () => {
      for (const [i, key] of ['first', 'second', 'third'].entries()) {
        await one.claim('a', key, asked(key, NOW + i));
        const answer = { key, claim: key, expiresAt: ANSWER_END + i };
        expect(await jobs.complete(completion(`r-${key}`, answer))).toBe(true);
      }
      expect(await one.prune(ANSWER_END - 1, 10)).toBe(0);
      expect(await one.prune(ANSWER_END + 1, 1)).toBe(1);
      expect(await other.claim('a', 'second', asked('c2', ANSWER_END))).toMatchObject({ answer: {} });
      expect(await one.prune(ANSWER_END + 1, 10)).toBe(1);
      expect(await other.claim('a', 'third', asked('c2', ANSWER_END + 1))).toMatchObject({ answer: {} });
    });

    test('claims are deleted a day after their lease, and not a millisecond before', async () => {
      await one.claim('a', 'k', asked('c1'));
      expect(await one.prune(LEASE_END + 86_399_999, 10)).toBe(0);
      expect(await one.prune(LEASE_END + 86_400_000, 10)).toBe(1);
      expect(await jobs.complete(completion('r1'))).toBe(false);
    });
  });
}
