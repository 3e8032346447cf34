/** What every JobStore does. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { firstIdAt, requestId } from '../../src/names/request-id.ts';
import {
  type ChangeStore,
  type Completion,
  type IdempotencyStore,
  type Job,
  type JobStore,
  MAX_KEPT_STATE_BYTES,
  TOO_LARGE,
} from '../../src/stores/ports.ts';

export interface OpenJobs {
  jobs: JobStore;
  /** Another connection to the same. */
  other: JobStore;
  idempotency: IdempotencyStore;
  changes: Pick<ChangeStore, 'add'>;
  /** What the ledger has of an account: it is written with the jobs. */
  counted(account: string, periodStart: number): Promise<{ rows: number; requests: number }>;
  /** How many reports are stored. */
  reports(): Promise<number>;
  close(): Promise<void>;
}

const MAY = Date.UTC(2027, 4);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The id of the `n`th request at a time. */
const idAt = (at: number, n = 0): string => {
  const random = new Uint8Array(10);
  new DataView(random.buffer).setUint32(6, n);
  return requestId(at, random);
};

function job(at: number, given: Partial<Job> = {}): Job {
  return {
    id: idAt(at),
    source: 'orders',
    status: 'PASS',
    healthScore: 1,
    rowsReceived: 10,
    driftCount: 0,
    latencyMs: 3,
    createdAt: at,
    ...given,
  };
}

function completion(given: Job, more: Partial<Completion> = {}): Completion {
  return {
    account: 'a',
    job: given,
    document: { report: `{"request_id":"${given.id}"}`, profile: '{"fields":{}}' },
    trend: { drift: '[]', nullRates: '{"id":0}' },
    periodStart: MAY,
    answer: null,
    ...more,
  };
}

/** `open`: two connections to one and the same empty store. */
export function jobStoreContract(name: string, open: () => Promise<OpenJobs>): void {
  describe(`${name} as a JobStore`, () => {
    let opened: OpenJobs;
    let jobs: JobStore;

    beforeEach(async () => {
      opened = await open();
      ({ jobs } = opened);
    });
    afterEach(() => opened.close());

    const write = async (given: Job, more?: Partial<Completion>): Promise<void> => {
      expect(await jobs.complete(completion(given, more))).toBe(true);
    };
    const ids = async (account: string, query: Partial<Parameters<JobStore['list']>[1]> = {}) =>
      (await jobs.list(account, { limit: 200, ...query })).map(({ id }) => id);

    describe('a state', () => {
      const state = Uint8Array.from({ length: 3000 }, (_, i) => (i * i) % 256);

      test('is stored with its job, byte for byte, and deleted with it', async () => {
        const written = job(MAY + 5);
        await write(written, { state });
        expect([...(await opened.other.keptState('a', written.id))!]).toEqual([...state]);
        expect(await jobs.keptState('b', written.id)).toBeNull();
        await jobs.prune(MAY + 6, 10);
        expect(await jobs.keptState('a', written.id)).toBeNull();
      });

      test('can be stored later, once, and only with a job of the account', async () => {
        const written = job(MAY + 5);
        await write(written);
        expect(await jobs.keptState('a', written.id)).toBeNull();
        await jobs.keepState('b', written.id, state);
        await jobs.keepState('a', idAt(MAY), state);
        expect(await jobs.keptState('a', written.id)).toBeNull();
        await Promise.all([jobs, opened.other].map(each => each.keepState('a', written.id, state)));
        await jobs.keepState('a', written.id, new Uint8Array(1));
        expect([...(await jobs.keptState('a', written.id))!]).toEqual([...state]);
      });

      test('that is too large is not stored, but its job is', async () => {
        const large = crypto.getRandomValues(new Uint8Array(65_536));
        const noise = new Uint8Array(MAX_KEPT_STATE_BYTES + 65_536);
        for (let at = 0; at < noise.length; at += 65_536)
          noise.set(crypto.getRandomValues(large).subarray(0, Math.min(65_536, noise.length - at)), at);
        const written = job(MAY + 5);
        await write(written, { state: noise });
        await jobs.keepState('a', written.id, noise);
        expect(await jobs.keptState('a', written.id)).toBeNull();
        expect(await ids('a')).toEqual([written.id]);
      });
    });

    describe('completing', () => {
      test('writes the job, its texts unchanged, and its rows', async () => {
        const written = job(MAY + 5, {
          status: 'BLOCK',
          healthScore: 0.2813,
          driftCount: 2,
          rowsReceived: 77,
        });
        const document = {
          report: '{"a":1.0,"b":1e2,"__proto__":{"x":-0},"c":"\\ud800\\u0000"}',
          profile: `{"fields":${JSON.stringify('"\\'.repeat(2000))}}`,
        };
        await write(written, { document });
        expect(await jobs.find('a', written.id)).toEqual({ job: written, document });
        expect(await jobs.list('a', { limit: 1 })).toEqual([written]);
        expect(await opened.counted('a', MAY)).toEqual({ rows: 77, requests: 1 });
      });

      test('counts each request of a period exactly once, for any id', async () => {
        const written = Array.from({ length: 50 }, (_, n) => job(MAY, { id: idAt(MAY, n), rowsReceived: n }));
        await Promise.all(written.map((each, n) => (n % 2 ? jobs : opened.other).complete(completion(each))));
        expect(await opened.counted('a', MAY)).toEqual({ rows: (49 * 50) / 2, requests: 50 });
        expect(await opened.counted('a', MAY + 1)).toEqual({ rows: 0, requests: 0 });
        expect(await opened.counted('b', MAY)).toEqual({ rows: 0, requests: 0 });
      });

      test('an existing job is not counted again', async () => {
        await write(job(MAY));
        await expect(jobs.complete(completion(job(MAY, { rowsReceived: 5 })))).rejects.toThrow();
        expect(await opened.counted('a', MAY)).toEqual({ rows: 10, requests: 1 });
        expect(await jobs.list('a', { limit: 5 })).toEqual([job(MAY)]);
      });

      const claim = (at: string) =>
        opened.idempotency.claim('a', 'retry-1', {
          requestSha256: 'f'.repeat(64),
          claim: at,
          now: MAY,
          expiresAt: MAY + HOUR,
        });
      const answer = {
        key: 'retry-1',
        claim: 'c1',
        expiresAt: MAY + DAY,
        headers: { 'X-A': 'é' },
      };

      test('stores the answer of a claimed request with the job', async () => {
        expect(await claim('c1')).toBe('claimed');
        await write(job(MAY), { answer });
        const body = `{"request_id":"${job(MAY).id}"}`;
        expect(await claim('c2')).toMatchObject({ answer: { headers: { 'X-A': 'é' }, body } });
      });

      test('without its claim a request writes nothing at all', async () => {
        await claim('another');
        expect(await jobs.complete(completion(job(MAY), { answer }))).toBe(false);
        expect(await jobs.find('a', job(MAY).id)).toBeNull();
        expect(await jobs.list('a', { limit: 5 })).toEqual([]);
        expect(await opened.counted('a', MAY)).toEqual({ rows: 0, requests: 0 });
        expect(await claim('c2')).toMatchObject({ answer: null });
      });

      test('a failure stores no answer', async () => {
        await write(job(MAY));
        await claim('c1');
        await expect(jobs.complete(completion(job(MAY), { answer }))).rejects.toThrow();
        expect(await claim('c2')).toMatchObject({ answer: null });
      });
    });

    describe('listing', () => {
      test('is newest first, in pages that new jobs do not shift', async () => {
        const all = Array.from({ length: 25 }, (_, n) =>
          job(MAY + Math.floor(n / 3), { id: idAt(MAY + Math.floor(n / 3), n) }),
        );
        for (const each of all.toReversed()) await write(each);
        const newestFirst = all.map(({ id }) => id).reverse();
        const pages: string[] = [];
        for (let before: string | undefined; ; before = pages.at(-1)) {
          const page = await ids('a', { limit: 10, before });
          if (page.length === 0) break;
          pages.push(...page);
          await write(job(MAY + HOUR + pages.length));
        }
        expect(pages).toEqual(newestFirst);
        expect(await ids('a')).toHaveLength(25 + 3);
      });

      test('the job of the cursor need not exist or belong to the account', async () => {
        await write(job(MAY));
        await write(job(MAY + 2), { account: 'b' });
        expect(await ids('a', { before: idAt(MAY + 2) })).toEqual([idAt(MAY)]);
        expect(await ids('a', { before: idAt(MAY + 1) })).toEqual([idAt(MAY)]);
        expect(await ids('a', { before: idAt(MAY) })).toEqual([]);
      });

      test('by source, with any characters', async () => {
        const sources = [
          'orders',
          'Orders',
          'orders ',
          'é',
          'e\u0301',
          '\ud800',
          '\ud801',
          '\ufffd',
          "'; --",
          '%',
          '"',
        ];
        for (const [n, source] of sources.entries()) await write(job(MAY + n, { source }));
        for (const [n, source] of sources.entries()) {
          expect(await jobs.list('a', { limit: 200, source })).toEqual([job(MAY + n, { source })]);
        }
        expect((await jobs.list('a', { limit: 200 })).map(({ source }) => source)).toEqual(
          [...sources].reverse(),
        );
        expect(await ids('a', { source: 'order_' })).toEqual([]);
      });

      test('by source and cursor together', async () => {
        for (let n = 0; n < 10; n++) await write(job(MAY + n, { source: n % 2 ? 'odd' : 'even' }));
        expect(await ids('a', { source: 'odd', before: idAt(MAY + 7), limit: 2 })).toEqual([
          idAt(MAY + 5),
          idAt(MAY + 3),
        ]);
      });

      test('by verdict and range of ids, of all sources or of one', async () => {
        const statuses = ['PASS', 'WARN', 'BLOCK'] as const;
        const all = Array.from({ length: 12 }, (_, n) =>
          job(MAY + n, { source: n % 2 ? 'odd' : 'even', status: statuses[n % 3]! }),
        );
        for (const each of all) await write(each);
        await write(job(MAY + 4, { id: idAt(MAY + 4, 9), status: 'BLOCK' }), { account: 'b' });
        for (const status of statuses)
          for (const source of [undefined, 'odd'] as const) {
            const from = idAt(MAY + 2);
            const before = idAt(MAY + 11);
            const expected = all.filter(
              each =>
                each.status === status &&
                (source ?? each.source) === each.source &&
                each.id >= from &&
                each.id < before,
            );
            expect(await ids('a', { status, source, from, before })).toEqual(
              expected.map(({ id }) => id).reverse(),
            );
            expect(expected.length).toBeGreaterThan(0);
          }
        expect(await ids('a', { from: idAt(MAY + 10) })).toEqual([idAt(MAY + 11), idAt(MAY + 10)]);
      });
    });

    test('what was said of a job is kept with it, the last time of each', async () => {
      await write(job(MAY));
      const { id } = job(MAY);
      expect(await jobs.feedback('a', id)).toEqual([]);
      await jobs.keepFeedback('a', id, { said: 'accepted', by: 'key_1', at: MAY + 1 });
      await jobs.keepFeedback('a', id, { said: 'bad', by: null, at: MAY + 2 });
      await jobs.keepFeedback('a', id, { said: 'accepted', by: null, at: MAY + 3 });
      await jobs.keepFeedback('b', id, { said: 'expected', by: 'key_2', at: MAY + 4 });
      const said = [
        { said: 'bad', by: null, at: MAY + 2, who: null, undoneAt: null },
        { said: 'accepted', by: null, at: MAY + 3, who: null, undoneAt: null },
      ] as const;
      expect(await jobs.feedback('a', id)).toEqual([...said]);
      expect(await jobs.feedback('b', id)).toEqual([]);
      await jobs.prune(MAY + DAY, 10);
      await write(job(MAY));
      expect(await jobs.feedback('a', id)).toEqual([]);
    });

    test('what was said of a job has who said it, and when the baseline went back', async () => {
      await write(job(MAY));
      const { id } = job(MAY);
      const change = (action: 'accepted' | 'rolled_back' | 'reset', at: number, more = {}) =>
        opened.changes.add('a', { source: 'orders', action, at, by: 'ann@corp.com', key: null, ...more });
      await jobs.keepFeedback('a', id, { said: 'accepted', by: null, at: MAY + 3 });
      await change('accepted', MAY + 1, { job: id, by: 'an earlier time' });
      await change('accepted', MAY + 3, { job: idAt(MAY, 1), by: 'another job' });
      await change('reset', MAY + 2);
      const accepted = { said: 'accepted', by: null, at: MAY + 3 } as const;
      expect(await jobs.feedback('a', id)).toEqual([{ ...accepted, who: null, undoneAt: null }]);
      await change('accepted', MAY + 3, { job: id });
      await change('reset', MAY + 4, { source: 'others' });
      expect(await jobs.feedback('a', id)).toEqual([{ ...accepted, who: 'ann@corp.com', undoneAt: null }]);
      await change('reset', MAY + 9, { source: null });
      await change('rolled_back', MAY + 8);
      expect(await jobs.feedback('a', id)).toEqual([{ ...accepted, who: 'ann@corp.com', undoneAt: MAY + 8 }]);
    });

    test('a report or trend above the limit is marked as too large, and the job is still listed', async () => {
      const [document, trend] = [job(MAY), job(MAY + 1)];
      // It compresses to little: what counts is what would be read.
      await write(document, { document: { report: `["${'x'.repeat(8 * 1024 * 1024)}"]`, profile: '{}' } });
      await write(trend, { trend: { drift: `["${'x'.repeat(1024 * 1024)}"]`, nullRates: '{}' } });
      expect((await jobs.find('a', document.id))?.document).toBe(TOO_LARGE);
      expect((await jobs.find('a', trend.id))?.document).toMatchObject({ profile: '{"fields":{}}' });
      const history = await jobs.history('a', { source: 'orders', limit: 9 });
      expect(history.map(entry => entry.trend === TOO_LARGE)).toEqual([true, false]);
      expect(await ids('a')).toEqual([trend.id, document.id]);
    });

    test('what a trend leaves out is kept with it', async () => {
      const trend = { drift: '[]', nullRates: '{}', nullRatesLeftOut: 7 };
      await write(job(MAY), { trend });
      expect((await jobs.history('a', { source: 'orders', limit: 1 }))[0]!.trend).toEqual(trend);
    });

    test('another account cannot find, list or count it', async () => {
      await write(job(MAY));
      expect(await jobs.find('b', job(MAY).id)).toBeNull();
      expect(await jobs.list('b', { limit: 10 })).toEqual([]);
      expect(await jobs.list('b', { limit: 10, source: 'orders' })).toEqual([]);
      expect(await jobs.history('b', { limit: 10, source: 'orders' })).toEqual([]);
      expect(await jobs.facts('b', firstIdAt(0), null, 9)).toEqual([]);
      expect(await jobs.verdicts('b', firstIdAt(0), idAt(MAY + DAY))).toEqual({ PASS: 0, WARN: 0, BLOCK: 0 });
      expect(await jobs.lastSeen('b', ['orders'])).toEqual(new Map());
      expect(await jobs.find('a', idAt(MAY, 1))).toBeNull();
    });

    describe('the history of a source', () => {
      test('has its jobs, newest first, with their trends unchanged', async () => {
        const trend = { drift: '[{"field":"__proto__","n":1.0}]', nullRates: '{"__proto__":0.5, "b":1e-1}' };
        await write(job(MAY), { trend });
        await write(job(MAY + 1, { source: 'other' }));
        await write(job(MAY + 2));
        expect(await jobs.history('a', { limit: 10, source: 'orders' })).toEqual([
          { job: job(MAY + 2), trend: { drift: '[]', nullRates: '{"id":0}' } },
          { job: job(MAY), trend },
        ]);
        const older = await jobs.history('a', { limit: 10, source: 'orders', before: idAt(MAY + 2) });
        expect(older.map(entry => entry.job.id)).toEqual([idAt(MAY)]);
        expect(await jobs.history('a', { limit: 1, source: 'orders' })).toHaveLength(1);
      });

      test('is empty for a source that was never screened', async () => {
        expect(await jobs.history('a', { limit: 10, source: 'orders' })).toEqual([]);
      });
    });

    describe('facts', () => {
      test('are those of the jobs of the account from the given id on, newest first, part after part', async () => {
        const jobOf = fc.record({
          account: fc.constantFrom('a', 'b'),
          source: fc.constantFrom('orders', '\ud800', '__proto__'),
          status: fc.constantFrom<Job['status']>('PASS', 'WARN', 'BLOCK'),
          healthScore: fc.integer({ min: 0, max: 10_000 }).map(health => health / 10_000),
          rowsReceived: fc.integer({ min: 1, max: 10_000 }),
          driftCount: fc.integer({ min: 0, max: 2_000 }),
          hours: fc.integer({ min: 0, max: 72 }),
        });
        let run = 0;
        await fc.assert(
          fc.asyncProperty(
            fc.array(jobOf, { maxLength: 25 }),
            fc.integer({ min: 0, max: 72 }),
            async (drawn, since) => {
              const suffix = `#${run++}`;
              const written = drawn.map(({ hours, account, ...given }, n) => ({
                account: account + suffix,
                job: job(MAY + hours * HOUR, { ...given, id: idAt(MAY + hours * HOUR, n + run * 100) }),
              }));
              for (const { account, job: each } of written) await write(each, { account });
              const from = MAY + since * HOUR;
              for (const account of [`a${suffix}`, `b${suffix}`]) {
                const counted = written.filter(
                  each => each.account === account && each.job.createdAt >= from,
                );
                const ids = counted
                  .map(({ job: { id } }) => id)
                  .sort()
                  .reverse();
                const got = await jobs.facts(account, firstIdAt(from), null, 10);
                expect(got.map(({ id }) => id)).toEqual(ids.slice(0, 10));
                for (const facts of got)
                  expect(counted.find(each => each.job.id === facts.id)!.job).toMatchObject(facts);
                const older = got.at(-1)?.id ?? null;
                if (got.length === 10)
                  expect((await jobs.facts(account, firstIdAt(from), older, 99)).map(({ id }) => id)).toEqual(
                    ids.slice(10),
                  );
                const having = (status: Job['status']) =>
                  counted.filter(({ job: each }) => each.status === status).length;
                expect(await jobs.verdicts(account, firstIdAt(from), idAt(MAY + 9 * DAY))).toEqual({
                  PASS: having('PASS'),
                  WARN: having('WARN'),
                  BLOCK: having('BLOCK'),
                });
              }
            },
          ),
          { numRuns: 30 },
        );
      });
    });

    test('a source was last seen at its newest job', async () => {
      await write(job(MAY + 9));
      await write(job(MAY));
      await write(job(MAY + 5, { source: '\ud800' }));
      const seen = await jobs.lastSeen('a', ['orders', '\ud800', '\ud801', 'never']);
      expect([...seen]).toEqual([
        ['orders', MAY + 9],
        ['\ud800', MAY + 5],
      ]);
      expect(await jobs.lastSeen('a', [])).toEqual(new Map());
    });

    describe('kept bytes', () => {
      const noise = (bytes: number) =>
        Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
      const large = (id: string) => ({
        document: { report: noise(5000), profile: id },
        state: randomState(),
      });
      const randomState = () => crypto.getRandomValues(new Uint8Array(3000));

      test('grow with each job, report and state, and are nothing when all are deleted', async () => {
        expect(await jobs.keptBytes('a')).toBe(0);
        const all = Array.from({ length: 40 }, (_, n) => job(MAY + n, { id: idAt(MAY + n, n) }));
        const stores = [jobs, opened.other];
        await Promise.all(all.map((each, n) => stores[n % 2]!.complete(completion(each, large(each.id)))));
        const bytes = await jobs.keptBytes('a');
        expect(bytes).toBeGreaterThan(40 * 8000);
        expect(bytes).toBeLessThan(40 * 12_000);
        await jobs.keepState('a', all[0]!.id, randomState());
        expect(await jobs.keptBytes('a')).toBe(bytes);
        await jobs.prune(MAY + 20, 100);
        expect(await opened.other.keptBytes('a')).toBeLessThan(bytes * 0.6);
        await jobs.prune(MAY + 40, 100);
        expect(await jobs.keptBytes('a')).toBe(0);
      });

      test('a state that is kept later is counted', async () => {
        await write(job(MAY));
        const before = await jobs.keptBytes('a');
        await jobs.keepState('a', job(MAY).id, randomState());
        expect(await jobs.keptBytes('a')).toBeGreaterThanOrEqual(before + 3000);
        await jobs.prune(MAY + 1, 1);
        expect(await jobs.keptBytes('a')).toBe(0);
      });

      test('a request that has lost its claim keeps nothing', async () => {
        const answer = { key: 'k', claim: 'c', expiresAt: MAY + DAY, headers: {} };
        expect(await jobs.complete(completion(job(MAY), { answer }))).toBe(false);
        expect(await jobs.keptBytes('a')).toBe(0);
      });

      test('the oldest jobs of one account are deleted past its bytes, and not at them', async () => {
        for (let n = 0; n < 9; n++) await write(job(MAY + n), { account: n % 3 ? 'a' : 'b' });
        const bytes = await jobs.keptBytes('a');
        expect(await jobs.pruneOldest('a', bytes, 2)).toBe(0);
        expect(await jobs.pruneOldest('a', bytes - 1, 2)).toBe(2);
        expect(await jobs.pruneOldest('a', bytes - 1, 2)).toBe(0);
        expect(await ids('a')).toEqual([8, 7, 5, 4].map(n => idAt(MAY + n)));
        expect(await ids('b')).toHaveLength(3);
        expect(await opened.counted('a', MAY)).toEqual({ rows: 60, requests: 6 });
      });
    });

    describe('pruning', () => {
      test('by several replicas at once deletes each job once', async () => {
        for (let n = 0; n < 60; n++) await write(job(MAY + n));
        const bytes = await jobs.keptBytes('a');
        const replicas = Array.from({ length: 12 }, (_, n) => (n % 2 ? jobs : opened.other));
        const deleted = await Promise.all(
          replicas.map((replica, n) =>
            n % 3 ? replica.pruneOldest('a', bytes / 2, 5) : replica.prune(MAY + 20, 20),
          ),
        );
        expect(deleted.reduce((sum, each) => sum + each)).toBe(60 - (await ids('a')).length);
        expect(await jobs.keptBytes('a')).toBeLessThanOrEqual(bytes / 2 + bytes / 6);
      });

      test('deletes old jobs of all accounts with their reports in limited steps, and keeps the ledger', async () => {
        for (let n = 0; n < 10; n++) await write(job(MAY + n), { account: n % 2 ? 'a' : 'b' });
        expect(await jobs.prune(MAY + 7, 4)).toBe(4);
        expect(await jobs.prune(MAY + 7, 4)).toBe(3);
        expect(await jobs.prune(MAY + 7, 4)).toBe(0);
        expect(await ids('a')).toEqual([idAt(MAY + 9), idAt(MAY + 7)]);
        expect(await ids('b')).toEqual([idAt(MAY + 8)]);
        expect(await jobs.find('a', idAt(MAY + 7))).not.toBeNull();
        expect(await jobs.find('a', idAt(MAY + 1))).toBeNull();
        expect(await jobs.history('a', { limit: 9, source: 'orders' })).toHaveLength(2);
        expect(await opened.counted('a', MAY)).toEqual({ rows: 50, requests: 5 });
        expect(await opened.reports()).toBe(3);
      });
    });
  });
}
