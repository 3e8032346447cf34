/** What every WindowStore does. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type {
  Appended,
  BatchStore,
  IdempotencyStore,
  OpenWindow,
  StoredBatch,
  Usage,
  WindowStore,
} from '../../src/stores/ports.ts';

/** Two connections to one and the same empty store, as two processes would have them. */
export interface OpenWindows {
  one: WindowStore;
  other: WindowStore;
  batches: BatchStore;
  idempotency: IdempotencyStore;
  usage(account: string, periodStart: number): Promise<Usage>;
  /** Makes an account. */
  account(email: string): Promise<string>;
  close(): Promise<void>;
}

const NOW = Date.UTC(2027, 4, 17, 9);
const HOUR = 3_600_000;
/** Compressed, a state of the suite takes 11 to 13 bytes, and so does what a window begins with. */
const BOUNDS = { bytes: 1000 };
const PERIOD = Date.UTC(2027, 4);

export function windowStoreContract(name: string, open: () => Promise<OpenWindows>): void {
  describe(`${name} as a WindowStore`, () => {
    let stores: OpenWindows;
    let one: WindowStore;
    let other: WindowStore;
    let account = '';
    beforeEach(async () => {
      stores = await open();
      ({ one, other } = stores);
      account = await stores.account('ann@corp.com');
    });
    afterEach(() => stores.close());

    const batch = (id: string, given: Partial<StoredBatch> = {}): StoredBatch => ({
      ...{ id, account, source: 'clicks\0', options: null, begun: Uint8Array.of(1, 2), status: 'open' },
      ...{ createdAt: NOW, expiresAt: NOW + HOUR, requestId: null, answer: null, window: null },
      ...given,
    });
    const ENDS = { dueAt: NOW + 1000, mostRows: 50 };
    const opened = async (id = 'w1', store = one, given: Partial<StoredBatch> = {}): Promise<OpenWindow> => {
      const window = await store.open(batch(id, given), ENDS, BOUNDS);
      if (window === 'full') throw new Error('there is no room');
      return window;
    };
    const posts = (number: number, given: Partial<Appended> = {}): Appended => ({
      ...{ account, id: 'w1', number, rows: 10, state: Uint8Array.of(number), findings: [] },
      ...{ periodStart: PERIOD, posts: 2, answers: [], now: NOW },
      ...given,
    });
    const states = async (id = 'w1') => {
      const numbers = await stores.batches.stateNumbers(id);
      return Promise.all(numbers.map(async each => [each, [...(await stores.batches.state(id, each))!]]));
    };

    test('a source has one open window, whoever opens it', async () => {
      const all = await Promise.all([opened('w1'), opened('w2', other), opened('w3')]);
      const { id } = all[0];
      expect(all.map(window => window.id)).toEqual([id, id, id]);
      expect(await other.find(account, 'clicks\0')).toEqual({ id, ...ENDS, rows: 0 });
      expect(await other.find(account, 'clicks')).toBeNull();
      expect((await stores.batches.list(account, 9)).map(each => each.id)).toEqual([id]);
      expect(await stores.batches.find(account, id)).toEqual(
        batch(id, { window: { rows: 0, mostRows: 50, dueAt: NOW + 1000 } }),
      );
      expect((await opened('w4', one, { source: 'orders' })).id).toBe('w4');
    });

    test('numbers are given once', async () => {
      await opened();
      const taken = await Promise.all([
        one.takeNumbers('w1', 10),
        other.takeNumbers('w1', 10),
        one.takeNumbers('w1', 5),
      ]);
      const all = taken.flatMap((first, i) => Array.from({ length: [10, 10, 5][i]! }, (_, n) => first + n));
      expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, n) => n));
    });

    test('what is appended is there for all, with its rows in the ledger', async () => {
      await opened();
      await Promise.all([
        one.append(posts(0), BOUNDS),
        other.append(posts(7, { rows: 5, posts: 1 }), BOUNDS),
      ]);
      expect(await states()).toEqual([
        [0, [0]],
        [7, [7]],
      ]);
      expect(await other.soFar('w1', 9)).toEqual({ rows: 15, findings: [] });
      expect(await stores.usage(account, PERIOD)).toEqual({ rows: 15, requests: 3 });
    });

    test('findings are counted over all that is appended, the gravest first, up to a limit', async () => {
      await opened();
      const nulls = { kind: 'null_rate', field: 'note', rule: null, severity: 'warn', posts: 3 } as const;
      const rows = { kind: 'ragged_rows', field: null, rule: null, severity: 'warn', posts: 1 } as const;
      const rule = {
        kind: 'rule_violation',
        field: 'id',
        rule: 'fields.id.unique',
        severity: 'block',
        posts: 1,
      } as const;
      await one.append(posts(0, { findings: [nulls, rows] }), BOUNDS);
      await other.append(posts(1, { findings: [nulls, rule] }), BOUNDS);
      expect((await one.soFar('w1', 9)).findings).toEqual([rule, { ...nulls, posts: 6 }, rows]);
      expect((await one.soFar('w1', 2)).findings).toEqual([rule, { ...nulls, posts: 6 }]);
    });

    test('an answer is written with its posts, and without its claim nothing is', async () => {
      await opened();
      const claim = { requestSha256: 'ab', claim: 'c1', now: NOW, expiresAt: NOW + HOUR };
      await stores.idempotency.claim(account, 'k', claim);
      const answer = { key: 'k', claim: 'c1', expiresAt: NOW + HOUR, headers: { a: 'b' }, body: '{"x":1}' };
      const lost = { ...answer, claim: 'c2' };
      expect(await one.append(posts(0, { answers: [lost] }), BOUNDS)).toBe('lost');
      expect([await states(), await stores.usage(account, PERIOD)]).toEqual([[], { rows: 0, requests: 0 }]);
      expect(await one.append(posts(1, { answers: [answer] }), BOUNDS)).toBe('added');
      const held = await stores.idempotency.claim(account, 'k', { ...claim, claim: 'c3' });
      expect(held).toEqual({ requestSha256: 'ab', answer: { headers: { a: 'b' }, body: '{"x":1}' } });
    });

    test('one that has all its rows takes no more, and is due at once', async () => {
      await opened();
      expect(await one.append(posts(0, { rows: 49 }), BOUNDS)).toBe('added');
      expect(await one.due(NOW, 9)).toEqual([]);
      expect(await other.append(posts(1, { rows: 10 }), BOUNDS)).toBe('added');
      expect(await one.append(posts(2), BOUNDS)).toBe('ended');
      expect((await one.soFar('w1', 9)).rows).toBe(59);
      expect(await other.due(NOW, 9)).toEqual([{ id: 'w1', account }]);
    });

    test('one that was ended takes no more, and another may be opened', async () => {
      await opened();
      await one.append(posts(0), BOUNDS);
      await other.end('w1', NOW);
      expect(await one.append(posts(1), BOUNDS)).toBe('ended');
      expect(await one.due(NOW, 9)).toEqual([{ id: 'w1', account }]);
      expect(await one.find(account, 'clicks\0')).toBeNull();
      expect((await opened('w2')).id).toBe('w2');
    });

    test('those whose time is over are due until they are judged, and take no posts', async () => {
      await opened();
      expect(await one.due(NOW + 999, 9)).toEqual([]);
      expect(await one.due(NOW + 1000, 9)).toEqual([{ id: 'w1', account }]);
      expect(await other.due(NOW + 1000, 9)).toEqual([{ id: 'w1', account }]);
      expect(await one.append(posts(0), BOUNDS)).toBe('ended');
      await one.postpone('w1', NOW + 5000);
      expect(await one.due(NOW + 4999, 9)).toEqual([]);
      expect(await one.due(NOW + 5000, 9)).toEqual([{ id: 'w1', account }]);
      await one.finish('w1', 'req_1');
      expect(await other.due(NOW + HOUR, 9)).toEqual([]);
      expect(await stores.batches.find(account, 'w1')).toEqual(
        batch('w1', {
          ...{ status: 'finished', requestId: 'req_1', begun: new Uint8Array() },
          window: { rows: 0, mostRows: 50, dueAt: null },
        }),
      );
    });

    test('those of a source, or of an account, are ended together', async () => {
      const another = await stores.account('bob@corp.com');
      await opened('w1');
      await opened('w2', one, { source: 'orders' });
      await opened('w3', one, { account: another });
      expect(await one.endOf(account, 'clicks\0', NOW)).toEqual(['w1']);
      expect(await one.endOf(account, 'clicks\0', NOW)).toEqual([]);
      await opened('w4');
      expect((await other.endOf(account, null, NOW)).sort()).toEqual(['w2', 'w4']);
      expect((await one.due(NOW, 9)).map(({ id }) => id).sort()).toEqual(['w1', 'w2', 'w4']);
      expect(await one.find(another, 'clicks\0')).not.toBeNull();
    });

    test('states become one, once, while the window is open', async () => {
      await opened();
      for (const number of [0, 1, 2]) await one.append(posts(number), BOUNDS);
      const both = await Promise.all([
        one.fold('w1', [0, 1], 10, Uint8Array.of(10)),
        other.fold('w1', [1, 2], 11, Uint8Array.of(11)),
      ]);
      expect(both.filter(Boolean)).toHaveLength(1);
      expect((await one.sizes('w1')).map(({ number }) => number)).toEqual(both[0] ? [2, 10] : [0, 11]);
      expect((await one.sizes('w1'))[0]!.bytes).toBeGreaterThan(0);
      await one.end('w1', NOW);
      const left = (await one.sizes('w1')).map(({ number }) => number);
      expect(await one.fold('w1', left, 12, Uint8Array.of(12))).toBe(false);
    });

    test('what windows of an account take is bounded until they are judged', async () => {
      await opened();
      const kept = async (id: string) => (await one.sizes(id)).reduce((sum, { bytes }) => sum + bytes, 0);
      await one.append(posts(0), BOUNDS);
      const each = await kept('w1');
      // What it begins with takes a byte more.
      const bounds = { bytes: each + 1 + 2 * each };
      expect(await one.append(posts(1), { bytes: bounds.bytes - 1 })).toBe('full');
      expect(await one.append(posts(1), bounds)).toBe('added');
      expect(await one.append(posts(2), bounds)).toBe('full');
      expect(await one.open(batch('w2', { source: 'orders' }), ENDS, bounds)).toBe('full');
      expect(await one.fold('w1', [0, 1], 10, Uint8Array.of(10))).toBe(true);
      expect(await one.append(posts(2), bounds)).toBe('added');
      await one.end('w1', NOW);
      expect(await one.open(batch('w2', { source: 'orders' }), ENDS, bounds)).toBe('full');
      await one.finish('w1', 'req_1');
      expect(await one.open(batch('w2', { source: 'orders' }), ENDS, bounds)).toMatchObject({ id: 'w2' });
    });

    test('one without a post is dropped, and one that has expired is due no more', async () => {
      await opened();
      await one.drop('w1');
      expect([await one.due(NOW + HOUR, 9), await stores.batches.find(account, 'w1')]).toEqual([[], null]);
      await opened('w2');
      await one.append(posts(0, { id: 'w2' }), BOUNDS);
      await stores.batches.prune(NOW + HOUR, NOW - HOUR, 9);
      expect(await one.due(NOW + HOUR, 9)).toEqual([]);
      expect(await one.append(posts(1, { id: 'w2' }), BOUNDS)).toBe('ended');
      expect((await opened('w3')).id).toBe('w3');
    });
  });
}
