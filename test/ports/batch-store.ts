/** What every BatchStore does. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { BatchStore, StoredBatch, StoredPart } from '../../src/stores/ports.ts';

/** Two connections to one and the same empty store, as two processes would have them. */
export interface OpenBatches {
  one: BatchStore;
  other: BatchStore;
  /** Makes an account. */
  account(email: string): Promise<string>;
  close(): Promise<void>;
}

const NOW = Date.UTC(2027, 4, 17, 9);
const HOUR = 3_600_000;
const BOUNDS = { batches: 3, bytes: 1000 };
const bytes = (...values: number[]) => Uint8Array.from(values);

export function batchStoreContract(name: string, open: () => Promise<OpenBatches>): void {
  describe(`${name} as a BatchStore`, () => {
    let stores: OpenBatches;
    let one: BatchStore;
    let other: BatchStore;
    let account = '';
    let another = '';
    beforeEach(async () => {
      stores = await open();
      ({ one, other } = stores);
      account = await stores.account('ann@corp.com');
      another = await stores.account('bob@corp.com');
    });
    afterEach(() => stores.close());

    const batch = (id: string, given: Partial<StoredBatch> = {}): StoredBatch => ({
      ...{ id, account, source: 'orders\0', options: '{"mode":"adaptive"}', begun: bytes(1, 2, 3) },
      ...{
        status: 'open',
        createdAt: NOW,
        expiresAt: NOW + HOUR,
        requestId: null,
        answer: null,
        window: null,
      },
      ...given,
    });
    const part = (number: number, given: Partial<StoredPart> = {}): StoredPart => ({
      ...{
        part: number,
        rows: 10,
        sha256: `${number}`.repeat(64),
        answer: `{"part":${number}}`,
        reasons: null,
      },
      ...given,
    });
    const add = (store: BatchStore, number: number, upload = `u${number}`, size = 10) =>
      store.addPart('b1', part(number), { upload, state: bytes(number), bytes: size }, BOUNDS);
    const opened = (id = 'b1') => one.open(batch(id), null, BOUNDS);

    test('a part without rows has no state', async () => {
      await opened();
      const left = { upload: 'u0', state: null, bytes: 10 };
      expect(await one.addPart('b1', part(0, { rows: 0 }), left, BOUNDS)).toBeNull();
      expect(await other.part('b1', 0)).toEqual(part(0, { rows: 0 }));
      expect(await other.stateNumbers('b1')).toEqual([]);
      expect(await other.beginFinish('b1', 1)).toBe(true);
    });

    test('an open batch is found by its account only', async () => {
      expect(await opened()).toBe('opened');
      expect(await other.find(account, 'b1')).toEqual(batch('b1'));
      expect(await other.find(another, 'b1')).toBeNull();
      expect(await other.find(account, 'b2')).toBeNull();
    });

    test('an account has so many open batches and no more, however they are opened', async () => {
      const all = await Promise.all(
        ['b1', 'b2', 'b3', 'b4', 'b5'].map((id, i) => (i % 2 ? one : other).open(batch(id), null, BOUNDS)),
      );
      expect(all.toSorted()).toEqual(['opened', 'opened', 'opened', 'too_many', 'too_many']);
      expect(await one.open(batch('b6', { account: another }), null, BOUNDS)).toBe('opened');
      const ended = (await one.list(account, 9))[0]!.id;
      expect(await one.abort(account, ended)).toBe(true);
      expect(await one.open(batch('b7'), null, BOUNDS)).toBe('opened');
    });

    test('the same key opens one batch, also at once', async () => {
      const by = { key: 'k', requestSha256: 'ab' };
      const all = await Promise.all(
        ['b1', 'b2'].map((id, i) => [one, other][i]!.open(batch(id), by, BOUNDS)),
      );
      const id = (await one.list(account, 9))[0]!.id;
      expect(all).toContainEqual('opened');
      expect(all).toContainEqual({ id, requestSha256: 'ab' });
      expect(await other.open(batch('b3', { account: another }), by, BOUNDS)).toBe('opened');
    });

    test('lists the open ones first, then the newest', async () => {
      for (const id of ['b1', 'b2', 'b3']) await opened(id);
      await one.abort(account, 'b3');
      expect((await other.list(account, 9)).map(({ id, status }) => [id, status])).toEqual([
        ['b2', 'open'],
        ['b1', 'open'],
        ['b3', 'aborted'],
      ]);
      expect(await other.list(account, 1)).toHaveLength(1);
      const { begun: _, answer: __, ...first } = batch('b2');
      expect((await other.list(account, 1))[0]).toEqual(first);
    });

    test('a part is added once, whoever sends it', async () => {
      await opened();
      const all = await Promise.all([add(one, 0, 'u'), add(other, 0, 'v')]);
      expect(all.toSorted()).toEqual([null, 'there']);
      expect(await add(other, 1)).toBeNull();
      expect(await one.part('b1', 0)).toEqual(part(0));
      expect(await one.part('b1', 2)).toBeNull();
      const { answer: _, reasons: __, ...shown } = part(0);
      expect((await other.parts('b1'))[0]).toEqual(shown);
      expect(await one.stateNumbers('b1')).toEqual([1, 2]);
    });

    test('what parts leave behind has a bound for the account, which one past it does not pass', async () => {
      for (const id of ['b1', 'b2']) await opened(id);
      const big = { upload: 'u', state: bytes(1), bytes: 600 };
      expect(await one.addPart('b2', part(0), big, BOUNDS)).toBeNull();
      expect(await add(one, 0, 'u0', 401)).toBe('full');
      expect(await one.part('b1', 0)).toBeNull();
      expect(await add(one, 0, 'u0', 400)).toBeNull();
      expect(await add(one, 1, 'u1', 1)).toBe('full');
      await one.abort(account, 'b2');
      expect(await add(one, 1, 'u1', 1)).toBeNull();
    });

    test('keys are those of parts, not of attempts that broke off or came second', async () => {
      await opened();
      await one.addKeys('b1', 'broken', { number: 0, part: 0, bytes: bytes(9) });
      await one.addKeys('b1', 'u', { number: 0, part: 0, bytes: bytes(0) });
      await one.addKeys('b1', 'u', { number: 1, part: 0, bytes: bytes(1) });
      await add(other, 0, 'u');
      for (let number = 0; number < 9; number++)
        await one.addKeys('b1', 'w', { number, part: 7, bytes: bytes(7, number) });
      await add(other, 7, 'w');
      await one.addKeys('b1', 'late', { number: 0, part: 7, bytes: bytes(8) });
      const read: [number, ...number[]][] = [];
      for (let after = ''; ; ) {
        const some = await other.keys('b1', after);
        if (some.length === 0) break;
        read.push(...some.map(each => [each.part, ...each.bytes] as [number, ...number[]]));
        after = some.at(-1)!.place;
      }
      expect(read).toEqual([
        [0, 0],
        [0, 1],
        ...Array.from({ length: 9 }, (_, i) => [7, 7, i]),
      ] as typeof read);
      await one.dropKeys('w');
      expect((await other.keys('b1', '')).map(each => each.part)).toEqual([0, 0]);
    });

    test('gives the reasons of the parts that hold rows back', async () => {
      await opened();
      for (const [number, reasons] of [
        [2, 'two'],
        [0, null],
        [1, 'one'],
      ] as const)
        await one.addPart(
          'b1',
          part(number, { reasons }),
          { upload: `u${number}`, state: bytes(1), bytes: 1 },
          BOUNDS,
        );
      expect(await other.reasons('b1')).toEqual(['one', 'two']);
    });

    test('states are folded by the one that is first', async () => {
      await opened();
      for (const number of [0, 1, 2]) await add(one, number);
      expect(await one.state('b1', 2)).toEqual(bytes(1));
      expect(await one.foldStates('b1', [1, 2], bytes(5))).toBe(true);
      expect(await other.foldStates('b1', [2, 3], bytes(6))).toBe(false);
      expect(await other.stateNumbers('b1')).toEqual([3, 4]);
      expect(await other.state('b1', 4)).toEqual(bytes(5));
      expect(await other.state('b1', 1)).toBeNull();
    });

    test('is finished with exactly the parts that are said, and takes no more', async () => {
      await opened();
      for (const number of [0, 1, 3]) await add(one, number);
      expect(await one.beginFinish('b1', 4)).toBe(false);
      expect(await one.beginFinish('b1', 2)).toBe(false);
      await add(one, 2);
      expect(await other.beginFinish('b1', 4)).toBe(true);
      // A process that ended meanwhile has a successor.
      expect(await one.beginFinish('b1', 4)).toBe(true);
      expect(await add(one, 4)).toBe('gone');
      expect(await one.foldStates('b1', [1, 2], bytes(5))).toBe(false);
      expect(await one.abort(account, 'b1')).toBe(false);
      await one.finish('b1', 'req_1', '{"a":1}');
      const finished = { status: 'finished', requestId: 'req_1', answer: '{"a":1}' } as const;
      expect(await other.find(account, 'b1')).toEqual(batch('b1', finished));
      expect(await one.beginFinish('b1', 4)).toBe(false);
    });

    test('gets parts again after a `finish` that failed', async () => {
      await opened();
      await add(one, 0);
      await one.beginFinish('b1', 1);
      await one.reopen('b1');
      expect(await add(other, 1)).toBeNull();
      expect(await one.abort(another, 'b1')).toBe(false);
      expect(await one.abort(account, 'b1')).toBe(true);
      expect(await add(other, 2)).toBe('gone');
    });

    test('ends when its time is over; then what its parts left behind goes, and later the batch itself', async () => {
      await opened();
      await one.open(batch('b2', { expiresAt: NOW + 2 * HOUR }), null, BOUNDS);
      await one.addKeys('b1', 'u0', { number: 0, part: 0, bytes: bytes(0) });
      await add(one, 0);
      const prune = async (now: number) => {
        while ((await one.prune(now, now - HOUR, 10)) > 0);
      };
      await prune(NOW + HOUR - 1);
      expect(await one.stateNumbers('b1')).toEqual([1]);
      await prune(NOW + HOUR);
      expect((await one.find(account, 'b1'))!.status).toBe('expired');
      expect((await one.find(account, 'b2'))!.status).toBe('open');
      expect([await one.stateNumbers('b1'), await one.keys('b1', '')]).toEqual([[], []]);
      expect(await one.parts('b1')).toHaveLength(1);
      await prune(NOW + 2 * HOUR);
      expect(await one.find(account, 'b1')).toBeNull();
    });
  });
}
