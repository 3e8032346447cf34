/** What every BaselineStore keeps of an account, and refuses. `baseline-store.ts` runs this suite. */
import { beforeEach, describe, expect, test } from 'bun:test';
import {
  type BaselineStore,
  type Bounds,
  type Kept,
  MAX_VERSIONS,
  ROOM_STEP,
  type StoredState,
} from '../../src/stores/ports.ts';

const ACCOUNT = 'acc_1';
/** With what a store adds, such a baseline takes one step. */
const NEARLY_A_STEP = ROOM_STEP - 4096;

class Refused extends Error {
  constructor(
    readonly bound: keyof Kept,
    readonly kept: Kept,
  ) {
    super(bound);
  }
}

const bounds = (given: Partial<Kept>): Bounds => ({
  sources: 1000,
  bytes: Number.MAX_SAFE_INTEGER,
  ...given,
  refusal: (bound, kept) => new Refused(bound, kept),
});

const entry = (id: string, bytes = 1): StoredState => ({ id, state: new Uint8Array(bytes) });
const refused = (bound: keyof Kept) => (error: unknown) => {
  if (!(error instanceof Refused)) throw error;
  expect(error.bound).toBe(bound);
  return 'refused';
};

export function boundsContract(stores: () => { one: BaselineStore; other: BaselineStore }): void {
  describe('the bounds of an account', () => {
    let one: BaselineStore;
    let other: BaselineStore;
    beforeEach(() => ({ one, other } = stores()));

    const append = (source: string, id: string, bytes: number, given: Partial<Kept>, store = one) =>
      store.append(ACCOUNT, source, entry(id, bytes), bounds(given));

    test('an account without a source keeps nothing', async () => {
      expect(await one.kept(ACCOUNT)).toEqual({ sources: 0, bytes: 0 });
      expect(await one.lastLearned(ACCOUNT, 'orders')).toBe(0);
    });

    test('what is kept is at least what was stored, and nothing after a reset', async () => {
      for (let i = 0; i < 5; i++) await append(`s${i % 3}`, `r${i}`, 40_000, {}, i % 2 ? one : other);
      const { sources, bytes } = await other.kept(ACCOUNT);
      expect(sources).toBe(3);
      expect(bytes).toBeGreaterThanOrEqual(200_000);
      expect(bytes).toBeLessThanOrEqual(200_000 + 3 * ROOM_STEP);
      await one.reset(ACCOUNT, 's0');
      expect((await other.kept(ACCOUNT)).sources).toBe(2);
      await other.reset(ACCOUNT);
      expect(await one.kept(ACCOUNT)).toEqual({ sources: 0, bytes: 0 });
      expect(await one.kept('acc_2')).toEqual({ sources: 0, bytes: 0 });
    });

    test('of appends that come at once, one that is refused fails no other', async () => {
      await append('known', 'r', 1, {});
      const appends = ['known', 'new', 'other', 'known'].map((source, i) =>
        append(source, `s${i}`, 1, source === 'new' ? { sources: 1 } : {}),
      );
      const refusals = (await Promise.allSettled(appends)).map(each => each.status === 'rejected');
      expect(refusals).toEqual([false, true, false, false]);
      for (const store of [one, other]) {
        expect((await store.read(ACCOUNT, 'known')).tail.map(({ id }) => id).sort()).toEqual([
          'r',
          's0',
          's3',
        ]);
        expect(await store.sources(ACCOUNT, null, 10)).toEqual(['known', 'other']);
      }
    });

    test('a new source at the bound is stored, one past it is refused, and existing ones go on', async () => {
      for (const source of ['a', 'b', 'c']) await append(source, 'r', 1, { sources: 3 });
      const past = append('d', 'r', 1, { sources: 3 }).catch(refused('sources'));
      expect(await past).toBe('refused');
      expect(await other.sources(ACCOUNT, null, 10)).toEqual(['a', 'b', 'c']);
      expect((await other.read(ACCOUNT, 'd')).generation).toBe('');
      await append('c', 's', 1, { sources: 3 });
      await append('c', 's', 1, { sources: 1 });
      await one.append('acc_2', 'd', entry('r'), bounds({ sources: 3 }));
      await one.reset(ACCOUNT, 'a');
      await append('d', 'r', 1, { sources: 3 });
      expect((await other.kept(ACCOUNT)).sources).toBe(3);
    });

    test('bytes at the bound are stored, and more are refused, for new and for existing sources', async () => {
      const bytes = 4 * ROOM_STEP;
      for (const source of ['a', 'b', 'c']) await append(source, 'r', NEARLY_A_STEP, { bytes });
      await append('a', 's', NEARLY_A_STEP, { bytes });
      const before = await other.read(ACCOUNT, 'a');
      for (const source of ['a', 'd'])
        expect(await append(source, 't', NEARLY_A_STEP, { bytes }).catch(refused('bytes'))).toBe('refused');
      expect(await other.read(ACCOUNT, 'a')).toEqual(before);
      expect(await other.sources(ACCOUNT, null, 10)).toEqual(['a', 'b', 'c']);
      // What is there already is not refused.
      await append('a', 's', NEARLY_A_STEP, { bytes });
      await one.append('acc_2', 'd', entry('t', NEARLY_A_STEP), bounds({ bytes }));
      await one.reset(ACCOUNT, 'b');
      await append('d', 't', NEARLY_A_STEP, { bytes });
    });

    test('concurrent appends of both connections never pass a bound', async () => {
      const append40 = (given: Partial<Kept>, name: string) =>
        Promise.all(
          Array.from({ length: 40 }, (_, i) =>
            append(`${name}${i}`, 'r', NEARLY_A_STEP, given, i % 2 ? one : other).then(
              () => 'stored',
              refused('sources' in given ? 'sources' : 'bytes'),
            ),
          ),
        );
      const bySources = await append40({ sources: 7 }, 's');
      expect(bySources.filter(each => each === 'stored')).toHaveLength(7);
      expect((await one.kept(ACCOUNT)).sources).toBe(7);
      await one.reset(ACCOUNT);
      const byBytes = await append40({ bytes: 5 * ROOM_STEP }, 't');
      expect(byBytes.filter(each => each === 'stored')).toHaveLength(5);
      expect((await other.kept(ACCOUNT)).bytes).toBeLessThanOrEqual(5 * ROOM_STEP);
      expect(await other.sources(ACCOUNT, null, 50)).toHaveLength(5);
    });

    test('concurrent growth of one source never passes a bound', async () => {
      const grow = (i: number) =>
        append('a', `r${i}`, NEARLY_A_STEP, { bytes: 5 * ROOM_STEP }, i % 2 ? one : other).then(
          () => 'stored',
          refused('bytes'),
        );
      const grown = await Promise.all(Array.from({ length: 20 }, (_, i) => grow(i)));
      expect(grown.filter(each => each === 'stored')).toHaveLength(5);
      expect((await one.read(ACCOUNT, 'a')).tail).toHaveLength(5);
    });

    test('folds and withdrawals free what they delete, for the source itself', async () => {
      const bytes = 3 * ROOM_STEP;
      const fill = (id: string) => append('a', id, NEARLY_A_STEP, { bytes });
      for (const id of ['r', 's', 't']) await fill(id);
      expect(await fill('u').catch(refused('bytes'))).toBe('refused');
      await one.withdraw(ACCOUNT, 'a', 's');
      await fill('u');
      const known = await other.read(ACCOUNT, 'a');
      expect(await other.fold(ACCOUNT, 'a', known, new Uint8Array(9), ['r', 't', 'u'])).toBe(true);
      for (const id of ['v', 'w']) await fill(id);
      expect((await one.kept(ACCOUNT)).bytes).toBeLessThanOrEqual(bytes);
    });

    test('a fold into more than there was is counted', async () => {
      await append('a', 'r', 1, {});
      const known = await one.read(ACCOUNT, 'a');
      await one.fold(ACCOUNT, 'a', known, new Uint8Array(5 * ROOM_STEP), ['r']);
      expect((await other.kept(ACCOUNT)).bytes).toBeGreaterThan(5 * ROOM_STEP);
      const past = append('a', 's', ROOM_STEP, { bytes: 5 * ROOM_STEP });
      expect(await past.catch(refused('bytes'))).toBe('refused');
    });

    test('a restore has the bounds of an append', async () => {
      const none = await one.read(ACCOUNT, 'a');
      const restore = (source: string, bytes: number, given: Partial<Kept>, known = none) =>
        one.restore(ACCOUNT, source, known, new Uint8Array(bytes), bounds(given));
      expect(await restore('a', NEARLY_A_STEP, { sources: 1 })).toBe(true);
      expect(await restore('b', 1, { sources: 1 }).catch(refused('sources'))).toBe('refused');
      const known = await other.read(ACCOUNT, 'a');
      const large = restore('a', 3 * ROOM_STEP, { bytes: 2 * ROOM_STEP }, known);
      expect(await large.catch(refused('bytes'))).toBe('refused');
      expect(await other.read(ACCOUNT, 'a')).toEqual(known);
      // Less than before always fits.
      expect(await restore('a', 1, { sources: 0, bytes: 1 }, known)).toBe(true);
      expect((await other.kept(ACCOUNT)).sources).toBe(1);
    });

    test('versions are counted, and the oldest give way when room is needed', async () => {
      const bytes = 4 * ROOM_STEP;
      for (const source of ['a', 'b']) {
        await append(source, 'r', NEARLY_A_STEP, { bytes });
        await other.keepVersion(ACCOUNT, source, source, new Uint8Array(NEARLY_A_STEP));
        // Times are in seconds; the order within one does not matter to anybody else.
        if (source === 'a') await one.keepVersion('acc_2', 'x', '', new Uint8Array(1));
      }
      expect((await one.kept(ACCOUNT)).bytes).toBeGreaterThan(3 * ROOM_STEP);
      await append('c', 'r', NEARLY_A_STEP, { bytes });
      const left = async () =>
        (await Promise.all(['a', 'b'].map(source => one.versions(ACCOUNT, source)))).flat().length;
      expect(await left()).toBe(1);
      await append('d', 'r', NEARLY_A_STEP, { bytes });
      expect(await left()).toBe(0);
      expect((await other.kept(ACCOUNT)).bytes).toBeLessThanOrEqual(bytes);
      expect(await append('e', 'r', NEARLY_A_STEP, { bytes }).catch(refused('bytes'))).toBe('refused');
      expect(await one.versions('acc_2', 'x')).toHaveLength(1);
    });

    test('versions stay if dropping them would not make enough room', async () => {
      await append('a', 'r', NEARLY_A_STEP, {});
      await one.keepVersion(ACCOUNT, 'a', '', new Uint8Array(1));
      const past = append('b', 'r', NEARLY_A_STEP, { bytes: ROOM_STEP });
      expect(await past.catch(refused('bytes'))).toBe('refused');
      expect(await other.versions(ACCOUNT, 'a')).toHaveLength(1);
    });

    test('versions that are replaced are not counted twice', async () => {
      for (let i = 0; i < 3 * MAX_VERSIONS; i++)
        await (i % 2 ? one : other).keepVersion(ACCOUNT, 'a', '', new Uint8Array(10_000));
      const { bytes } = await one.kept(ACCOUNT);
      expect(bytes).toBeGreaterThanOrEqual(MAX_VERSIONS * 10_000);
      expect(bytes).toBeLessThan((MAX_VERSIONS + 1) * 11_000);
    });

    test('settings are counted once, also without a baseline, and refused past the bound', async () => {
      const set = async (source: string, settings: string | null, given: Partial<Kept>) =>
        one.setTexts(
          ACCOUNT,
          source,
          { settings: (await one.read(ACCOUNT, source)).notes.settings },
          { settings },
          bounds(given),
        );
      const text = ' '.repeat(ROOM_STEP);
      for (let i = 0; i < 3; i++) await set('a', text, { bytes: 2 * ROOM_STEP });
      expect((await other.kept(ACCOUNT)).bytes).toBeGreaterThanOrEqual(ROOM_STEP);
      expect(await set('b', text, { bytes: 2 * ROOM_STEP }).catch(refused('bytes'))).toBe('refused');
      expect((await other.read(ACCOUNT, 'b')).notes.settings).toBeNull();
      expect(
        await one.setTexts(ACCOUNT, 'a', { settings: 'other settings' }, { settings: text.repeat(9) }),
      ).toBe(false);
      expect((await other.kept(ACCOUNT)).bytes).toBeLessThan(3 * ROOM_STEP);
      await set('a', null, { bytes: 0 });
      await set('b', text, { bytes: 2 * ROOM_STEP });
      expect((await other.kept(ACCOUNT)).bytes).toBeLessThan(2 * ROOM_STEP);
    });

    test('settings count by their bytes, not by their characters', async () => {
      const set = (characters: number) =>
        one.setTexts(
          ACCOUNT,
          'a',
          { settings: null },
          { settings: 'é'.repeat(characters) },
          bounds({ bytes: 2 * ROOM_STEP }),
        );
      expect(await set(ROOM_STEP).catch(refused('bytes'))).toBe('refused');
      expect(await set(ROOM_STEP / 2)).toBe(true);
    });

    test('rules are counted once, also without a baseline, and refused past the bound', async () => {
      const text = ' '.repeat(ROOM_STEP / 2);
      const set = async (source: string, after: string, given: Partial<Kept>) =>
        one.setTexts(
          ACCOUNT,
          source,
          { rules: (await one.read(ACCOUNT, source)).notes.rules },
          { rules: after, rulesPast: text },
          bounds(given),
        );
      for (const end of ['1', '2', '3'])
        expect(await set('a', text + end, { bytes: 2 * ROOM_STEP })).toBe(true);
      expect((await other.kept(ACCOUNT)).bytes).toBeGreaterThanOrEqual(ROOM_STEP);
      expect(await set('b', text, { bytes: 2 * ROOM_STEP }).catch(refused('bytes'))).toBe('refused');
      expect((await other.read(ACCOUNT, 'b')).notes.rules).toBeNull();
      expect(
        await one.setTexts(
          ACCOUNT,
          'a',
          { rules: 'other rules' },
          { rules: text.repeat(9), rulesPast: text },
        ),
      ).toBe(false);
      expect(await set('a', '{}', { bytes: 2 * ROOM_STEP })).toBe(true);
      expect((await other.kept(ACCOUNT)).bytes).toBeLessThan(ROOM_STEP);
      await one.forget(ACCOUNT, 'a');
      expect(await one.read(ACCOUNT, 'a')).toMatchObject({ notes: { rules: null } });
      expect((await other.kept(ACCOUNT)).bytes).toBe(0);
    });

    test('the last batch that was learned is dated, and forgetting a source leaves nothing', async () => {
      const since = Math.floor(Date.now() / 1000) * 1000;
      await append('a', 'r', 1, {});
      expect(await other.lastLearned(ACCOUNT, 'a')).toBeGreaterThanOrEqual(since);
      await one.setTexts(ACCOUNT, 'a', { settings: null }, { settings: '{}' });
      await one.keepVersion(ACCOUNT, 'a', '', new Uint8Array(1));
      await one.restore(ACCOUNT, 'b', await one.read(ACCOUNT, 'b'), new Uint8Array(1));
      expect(await other.lastLearned(ACCOUNT, 'b')).toBeGreaterThanOrEqual(since);
      await other.forget(ACCOUNT, 'a');
      expect(await one.sources(ACCOUNT, null, 5)).toEqual(['b']);
      expect(await one.read(ACCOUNT, 'a')).toMatchObject({ generation: '', notes: { settings: null } });
      expect(await one.versions(ACCOUNT, 'a')).toEqual([]);
      expect(await one.lastLearned(ACCOUNT, 'a')).toBe(0);
      await other.forget(ACCOUNT, 'b');
      expect(await one.kept(ACCOUNT)).toEqual({ sources: 0, bytes: 0 });
    });

    test('the count is right after any interleaving of appends, folds, resets and versions', async () => {
      for (let round = 0; round < 10; round++) {
        const changes = Array.from({ length: 12 }, async (_, i) => {
          const store = i % 2 ? one : other;
          const source = `s${i % 3}`;
          const how = (i + round) % 5;
          if (how === 0) return store.reset(ACCOUNT, source);
          if (how === 1) return store.keepVersion(ACCOUNT, source, '', new Uint8Array(999));
          if (how === 2) {
            const known = await store.read(ACCOUNT, source);
            return store.fold(ACCOUNT, source, known, new Uint8Array(5000), [`r${round - 1}_3`]);
          }
          return store.append(ACCOUNT, source, entry(`r${round}_${i}`, 30_000), bounds({}));
        });
        await Promise.all(changes);
      }
      const listed = await one.sources(ACCOUNT, null, 10);
      expect((await other.kept(ACCOUNT)).sources).toBe(listed.length);
      for (const source of ['s0', 's1', 's2']) await one.forget(ACCOUNT, source);
      expect(await one.kept(ACCOUNT)).toEqual({ sources: 0, bytes: 0 });
    });
  });
}
