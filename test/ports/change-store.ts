/** What every ChangeStore does. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { ChangeStore, SourceChange } from '../../src/stores/ports.ts';

export interface OpenChanges {
  /** Keeps the last 3 changes of an account. */
  one: ChangeStore;
  other: ChangeStore;
  close(): Promise<void>;
}

const change = (at: number, given: Partial<SourceChange> = {}): SourceChange => ({
  source: 'orders',
  action: 'pinned',
  at,
  by: 'ann@corp.com',
  key: null,
  job: null,
  detail: null,
  ...given,
});

export function changeStoreContract(name: string, open: () => Promise<OpenChanges>): void {
  describe(`${name} as a ChangeStore`, () => {
    let stores: OpenChanges;
    beforeEach(async () => {
      stores = await open();
    });
    afterEach(() => stores.close());

    test('gives what was done at a source and at all sources, newest first', async () => {
      const all = change(2, { source: null, action: 'reset', by: 'load (sluice_live_1…)', key: 'key_1' });
      const last = change(3, { action: 'accepted', job: 'req_1', detail: 'why' });
      await stores.one.add('a', change(1));
      await stores.other.add('a', last);
      await stores.one.add('a', all);
      await stores.one.add('b', change(9));
      expect(await stores.other.list('a', 'orders', 9)).toEqual([last, all, change(1)]);
      expect(await stores.one.list('a', 'orders', 1)).toEqual([last]);
      expect(await stores.one.list('a', 'other', 9)).toEqual([all]);
    });

    test('keeps names that no database could keep as they are', async () => {
      const odd = change(1, { source: '\ud800' });
      await stores.one.add('a', odd);
      expect(await stores.one.list('a', '\ud800', 9)).toEqual([odd]);
    });

    test('deletes the oldest beyond the most that an account may have, and none of others', async () => {
      await stores.one.add('b', change(0));
      for (let at = 1; at <= 3; at++) await stores.one.add('a', change(at, { source: `s${at}` }));
      expect(await stores.one.list('a', 's1', 9)).toHaveLength(1);
      await stores.one.add('a', change(4, { source: 's4' }));
      const kept = await Promise.all(['s1', 's2', 's3', 's4'].map(source => stores.one.list('a', source, 9)));
      expect(kept.map(({ length }) => length)).toEqual([0, 1, 1, 1]);
      expect(await stores.one.list('b', 'orders', 9)).toHaveLength(1);
    });
  });
}
