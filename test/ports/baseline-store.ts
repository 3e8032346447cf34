/** What every BaselineStore does. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  type BaselineStore,
  MAX_VERSION_BYTES,
  MAX_VERSIONS,
  type StoredBaseline,
  type StoredState,
} from '../../src/stores/ports.ts';
import { boundsContract } from './bounds.ts';

/** Two connections to one and the same empty store, as two processes would have them. */
export interface StorePair {
  one: BaselineStore;
  other: BaselineStore;
  close(): Promise<void>;
}

const ACCOUNT = 'acc_1';
const SOURCE = 'orders';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const entry = (id: string, ...values: number[]): StoredState => ({ id, state: bytes(...values) });
const idsOf = (stored: StoredBaseline): string[] => stored.tail.map(state => state.id).sort();

export function baselineStoreContract(name: string, open: () => Promise<StorePair>): void {
  describe(`${name} as a BaselineStore`, () => {
    let pair: StorePair;
    let one: BaselineStore;
    let other: BaselineStore;

    beforeEach(async () => {
      pair = await open();
      ({ one, other } = pair);
    });
    afterEach(() => pair.close());

    const read = (known?: StoredBaseline): Promise<StoredBaseline> => other.read(ACCOUNT, SOURCE, known);
    const append = (id: string, ...values: number[]): Promise<boolean> =>
      one.append(ACCOUNT, SOURCE, entry(id, ...values));

    test('a source without baseline has version 0, no folded record and an empty tail', async () => {
      expect(await read()).toMatchObject({ version: 0, complete: true, folded: null, tail: [] });
    });

    test('one connection reads what the other appends, byte for byte', async () => {
      await append('a', 0, 255, 1);
      await append('b');
      const stored = await read();
      expect(stored.complete).toBe(true);
      expect(stored.folded).toBeNull();
      expect(stored.tail.map(({ id, state }) => [id, [...state]])).toEqual([
        ['a', [0, 255, 1]],
        ['b', []],
      ]);
    });

    test('an existing state is neither added twice nor replaced', async () => {
      await append('a', 1);
      const before = await read();
      await append('a', 2);
      await other.append(ACCOUNT, SOURCE, entry('a', 3));
      expect(await read()).toEqual(before);
    });

    test('a known baseline reads only what is new', async () => {
      await append('b', 1);
      const first = await read();
      await append('a', 2);
      await append('c', 3);
      const second = await read(first);
      expect(second.complete).toBe(false);
      expect(idsOf(second)).toEqual(['a', 'c']);
      expect(second.sequence).toBeGreaterThan(first.sequence);
      const third = await read(second);
      expect(third).toMatchObject({ complete: false, folded: null, tail: [] });
    });

    test('a fold replaces the record, deletes the folded states and keeps the rest', async () => {
      for (const id of ['a', 'b', 'c']) await append(id, 1);
      const before = await read();
      expect(await one.fold(ACCOUNT, SOURCE, before, bytes(7), ['a', 'b'])).toBe(true);
      const after = await read(before);
      expect(after.complete).toBe(true);
      expect(after.version).toBeGreaterThan(before.version);
      expect(after.generation).toBe(before.generation);
      expect([...after.folded!]).toEqual([7]);
      expect(idsOf(after)).toEqual(['c']);
    });

    test('a state appended during the preparation of a fold stays in the tail', async () => {
      await append('b', 1);
      const before = await read();
      await append('a', 2);
      expect(await one.fold(ACCOUNT, SOURCE, before, bytes(7), ['b'])).toBe(true);
      expect(idsOf(await read())).toEqual(['a']);
    });

    test('of two folds of the same version one wins and the other changes nothing', async () => {
      for (const id of ['a', 'b']) await append(id, 1);
      const before = await read();
      const outcomes = await Promise.all([
        one.fold(ACCOUNT, SOURCE, before, bytes(1), ['a']),
        other.fold(ACCOUNT, SOURCE, before, bytes(2), ['a', 'b']),
      ]);
      expect(outcomes.toSorted()).toEqual([false, true]);
      const after = await read();
      expect([...after.folded!]).toEqual(outcomes[0] ? [1] : [2]);
      expect(idsOf(after)).toEqual(outcomes[0] ? ['b'] : []);
    });

    test('a folded state that is appended again is not added', async () => {
      await append('a', 1);
      const before = await read();
      await one.fold(ACCOUNT, SOURCE, before, bytes(7), ['a']);
      await append('a', 1);
      expect(idsOf(await read())).toEqual([]);
    });

    test('a fold takes a state that came meanwhile, and remembers one that the tail never had', async () => {
      await append('a', 1);
      const before = await read();
      await append('b', 1);
      expect(await one.fold(ACCOUNT, SOURCE, before, bytes(7), ['a', 'b', 'c', 'd'])).toBe(true);
      expect(idsOf(await read())).toEqual([]);
      for (const id of ['b', 'c', 'd']) {
        expect(await append(id, 1)).toBe(false);
        expect(await other.callOff(ACCOUNT, SOURCE, id)).toBe(false);
      }
      await append('e', 1);
      expect(await one.fold(ACCOUNT, SOURCE, await read(), bytes(8), ['c', 'e'])).toBe(true);
      expect(await append('e', 1)).toBe(false);
    });

    test('a state that a fold drops can be appended again', async () => {
      for (const id of ['a', 'b']) await append(id, 1);
      expect(await one.fold(ACCOUNT, SOURCE, await read(), bytes(7), ['a'], ['b'])).toBe(true);
      expect(idsOf(await read())).toEqual([]);
      expect(await append('b', 2)).toBe(true);
      expect(idsOf(await read())).toEqual(['b']);
    });

    test('the last 1,000 folded states are remembered', async () => {
      const ids = Array.from({ length: 1001 }, (_, i) => `r${String(i).padStart(4, '0')}`);
      for (const id of ids) await append(id, 1);
      await one.fold(ACCOUNT, SOURCE, await read(), bytes(7), ids);
      for (const id of ids.slice(1)) await append(id, 1);
      expect(idsOf(await read())).toEqual([]);
    });

    test('a reset deletes the baseline, and a new one has a new generation', async () => {
      await append('a', 1);
      const before = await read();
      await one.reset(ACCOUNT, SOURCE);
      expect(await read(before)).toMatchObject({ version: 0, complete: true, folded: null, tail: [] });
      await append('a', 2);
      const after = await read(before);
      expect(after.complete).toBe(true);
      expect(after.generation).not.toBe(before.generation);
      expect(after.tail.map(({ state }) => [...state])).toEqual([[2]]);
    });

    test('a fold prepared before a reset fails, even if new states were appended since', async () => {
      await append('a', 1);
      const before = await read();
      await other.reset(ACCOUNT, SOURCE);
      expect(await one.fold(ACCOUNT, SOURCE, before, bytes(7), ['a'])).toBe(false);
      await append('a', 2);
      expect(await one.fold(ACCOUNT, SOURCE, before, bytes(7), ['a'])).toBe(false);
      expect(await read()).toMatchObject({ folded: null, version: 0 });
      expect(idsOf(await read())).toEqual(['a']);
    });

    test('a reset of one source leaves the others, a reset of all leaves other accounts', async () => {
      const sourcesOf = async (account: string): Promise<string[]> => {
        const sources = [SOURCE, 'visits'];
        const stored = await Promise.all(sources.map(source => other.read(account, source)));
        return sources.filter((_, index) => stored[index]!.tail.length > 0);
      };
      for (const account of [ACCOUNT, 'acc_2']) {
        for (const source of [SOURCE, 'visits']) await one.append(account, source, entry('a', 1));
      }
      await one.reset(ACCOUNT, SOURCE);
      expect(await sourcesOf(ACCOUNT)).toEqual(['visits']);
      await one.append(ACCOUNT, SOURCE, entry('b', 1));
      await one.reset(ACCOUNT);
      expect(await sourcesOf(ACCOUNT)).toEqual([]);
      expect(await sourcesOf('acc_2')).toEqual([SOURCE, 'visits']);
    });

    test('sources with similar names are separate', async () => {
      const sources = ['a', 'A', 'a ', '"a"', '__proto__', '\ud800', '\ud801', '\ufffd', 'é', 'e\u0301', '%'];
      for (const [index, source] of sources.entries()) {
        await one.append(ACCOUNT, source, entry('id', index));
      }
      for (const [index, source] of sources.entries()) {
        const stored = await other.read(ACCOUNT, source);
        expect(stored.tail.map(({ state }) => [...state])).toEqual([[index]]);
      }
      expect((await other.read(`${ACCOUNT}a`, '')).tail).toEqual([]);
    });

    test('concurrent appends of both connections all arrive, each once', async () => {
      const ids = Array.from({ length: 40 }, (_, i) => `r${String(i).padStart(2, '0')}`);
      const added = await Promise.all(
        ids.flatMap(id => [append(id, 1), other.append(ACCOUNT, SOURCE, entry(id, 1))]),
      );
      expect(added.filter(Boolean)).toHaveLength(ids.length);
      expect(idsOf(await read())).toEqual(ids);
      const withdrawn = await Promise.all(
        ids.flatMap(id => [one, other].map(store => store.withdraw(ACCOUNT, SOURCE, id))),
      );
      expect(withdrawn.filter(Boolean)).toHaveLength(ids.length);
      expect(idsOf(await read())).toEqual([]);
    });

    test('a withdrawn state is gone for all replicas, and may be added again', async () => {
      await append('a', 1);
      await append('b', 2);
      const before = await read();
      await one.withdraw(ACCOUNT, SOURCE, 'a');
      const after = await read(before);
      expect(after.complete).toBe(true);
      expect(idsOf(after)).toEqual(['b']);
      await append('a', 3);
      expect(idsOf(await read())).toEqual(['a', 'b']);
    });

    test('withdrawing an id that is not in the tail changes nothing', async () => {
      await append('a', 1);
      await one.fold(ACCOUNT, SOURCE, await read(), bytes(9), ['a']);
      const before = await read();
      expect(await append('a', 1)).toBe(false);
      expect(await one.withdraw(ACCOUNT, SOURCE, 'a')).toBe(false);
      expect(await one.withdraw(ACCOUNT, SOURCE, 'never')).toBe(false);
      expect(await one.withdraw(ACCOUNT, 'another', 'a')).toBe(false);
      expect(await read()).toEqual(before);
    });

    test('a state is withdrawn with an expected version only while the baseline has it', async () => {
      await append('a', 1);
      const before = await read();
      await append('b', 2);
      await one.withdraw(ACCOUNT, SOURCE, 'b');
      expect(await other.withdraw(ACCOUNT, SOURCE, 'a', before)).toBe(false);
      const now = await read();
      expect(await other.withdraw(ACCOUNT, SOURCE, 'a', { ...now, generation: 'another' })).toBe(false);
      expect(await other.withdraw(ACCOUNT, 'another', 'a', now)).toBe(false);
      expect(idsOf(await read())).toEqual(['a']);
      await append('c', 3);
      expect(await other.withdraw(ACCOUNT, SOURCE, 'a', now)).toBe(true);
      expect(idsOf(await read())).toEqual(['c']);
    });

    test('a state that is called off is gone for all replicas, and does not come again', async () => {
      await append('a', 1);
      await append('b', 2);
      const before = await read();
      expect(await one.callOff(ACCOUNT, SOURCE, 'a')).toBe(true);
      const after = await read(before);
      expect(after.complete).toBe(true);
      expect(idsOf(after)).toEqual(['b']);
      expect(await other.append(ACCOUNT, SOURCE, entry('a', 1))).toBe(false);
      expect(await other.callOff(ACCOUNT, SOURCE, 'a')).toBe(true);
      expect(idsOf(await read())).toEqual(['b']);
    });

    test('a state that is called off before it is appended does not come', async () => {
      await append('b', 1);
      expect(await one.callOff(ACCOUNT, SOURCE, 'a')).toBe(true);
      const before = await read();
      expect(await append('a', 1)).toBe(false);
      expect(await append('c', 1)).toBe(true);
      expect(idsOf(await read(before))).toEqual(['c']);
      expect(await one.fold(ACCOUNT, SOURCE, await read(), bytes(9), ['b', 'c'])).toBe(true);
      expect(await append('a', 1)).toBe(false);
      expect(await one.callOff(ACCOUNT, SOURCE, 'a')).toBe(true);
    });

    test('a folded state cannot be called off: nothing changes', async () => {
      await append('a', 1);
      await one.fold(ACCOUNT, SOURCE, await read(), bytes(9), ['a']);
      const before = await read();
      for (const store of [one, other]) expect(await store.callOff(ACCOUNT, SOURCE, 'a')).toBe(false);
      expect(await read()).toEqual(before);
      expect(await append('a', 1)).toBe(false);
    });

    test('a source without a baseline has none after a state of it was called off', async () => {
      expect(await one.callOff(ACCOUNT, SOURCE, 'a')).toBe(true);
      expect(await read()).toMatchObject({ version: 0, complete: true, folded: null, tail: [] });
      expect(await one.sources(ACCOUNT, null, 10)).toEqual([]);
      await append('b', 1);
      expect(idsOf(await read())).toEqual(['b']);
    });

    test('a state that is appended and called off at the same time leaves nothing behind', async () => {
      await append('first', 1);
      const ids = Array.from({ length: 20 }, (_, i) => `r${i}`);
      const calls = ids.flatMap(id => [append(id, 1), other.callOff(ACCOUNT, SOURCE, id)]);
      await Promise.all(calls);
      expect(idsOf(await read())).toEqual(['first']);
    });

    test('the last 1,000 states that were called off are remembered', async () => {
      await append('first', 1);
      const ids = Array.from({ length: 1001 }, (_, i) => `r${String(i).padStart(4, '0')}`);
      for (const id of ids) await one.callOff(ACCOUNT, SOURCE, id);
      for (const id of ids.slice(1)) await append(id, 1);
      expect(idsOf(await read())).toEqual(['first']);
      expect(await append('r0000', 1)).toBe(true);
    });

    test('a source with a baseline is listed for any interleaving of resets and appends', async () => {
      for (let round = 0; round < 20; round++) {
        const changes = Array.from({ length: 6 }, (_, i) => {
          const store = i % 2 ? one : other;
          if (i % 3 === round % 3) return store.reset(ACCOUNT, i < 3 ? SOURCE : undefined);
          return store.append(ACCOUNT, SOURCE, entry(`r${round}_${i}`, i));
        });
        await Promise.all(changes);
        const { version, sequence } = await one.read(ACCOUNT, SOURCE);
        if (version + sequence > 0) expect(await other.sources(ACCOUNT, null, 10)).toEqual([SOURCE]);
      }
    });

    test('only sources of the account are listed, page by page, each once', async () => {
      const names = ['orders', 'a/b', 'Zoë', '\ud800', '\udbff', '__proto__', ' '];
      for (const name of names) await one.append(ACCOUNT, name, entry('x', 1));
      await one.append('acc_2', 'foreign', entry('x', 1));
      const listed: string[] = [];
      for (;;) {
        const page = await other.sources(ACCOUNT, listed.at(-1) ?? null, 3);
        expect(page.length).toBeLessThanOrEqual(3);
        if (page.length === 0) break;
        listed.push(...page);
      }
      expect(listed.toSorted()).toEqual(names.toSorted());
      expect(await other.sources('acc_3', null, 3)).toEqual([]);
    });

    const NONE = { settings: null, rules: null, pinned: false, run: null };

    test('every read returns the settings, with or without a baseline, and they survive a reset', async () => {
      expect((await read()).notes).toEqual(NONE);
      const settings = '{"mode":"adaptive","é":"\\u0000"}';
      expect(await one.setTexts(ACCOUNT, SOURCE, { settings: null }, { settings })).toBe(true);
      expect((await read()).notes).toEqual({ ...NONE, settings });
      await append('a', 1);
      const known = await read();
      await one.setTexts(ACCOUNT, SOURCE, { settings }, { settings: '{}' });
      expect(await read(known)).toMatchObject({ complete: false, tail: [], notes: { settings: '{}' } });
      await one.reset(ACCOUNT);
      expect((await read()).notes.settings).toBe('{}');
      expect((await other.read('acc_2', SOURCE)).notes).toEqual(NONE);
      await other.setTexts(ACCOUNT, SOURCE, { settings: '{}' }, { settings: null });
      expect((await one.read(ACCOUNT, SOURCE)).notes).toEqual(NONE);
    });

    test('every read returns the rules, and they survive a reset; what is kept of earlier ones is asked for', async () => {
      const put = (store: BaselineStore, before: string | null, after: string, past = '[]') =>
        store.setTexts(ACCOUNT, SOURCE, { rules: before }, { rules: after, rulesPast: past });
      expect(await one.rulesPast(ACCOUNT, SOURCE)).toBeNull();
      expect(await put(one, null, '{"é":"\\u0000"}', '[1]')).toBe(true);
      expect((await read()).notes).toEqual({ ...NONE, rules: '{"é":"\\u0000"}' });
      expect(await other.rulesPast(ACCOUNT, SOURCE)).toBe('[1]');
      await append('a', 1);
      const known = await read();
      expect(await put(other, '{"é":"\\u0000"}', '{}')).toBe(true);
      expect(await read(known)).toMatchObject({ complete: false, tail: [], notes: { rules: '{}' } });
      await one.reset(ACCOUNT);
      expect((await read()).notes.rules).toBe('{}');
      expect((await other.read('acc_2', SOURCE)).notes).toEqual(NONE);
      await one.setTexts(ACCOUNT, SOURCE, { settings: null }, { settings: '{"mode":"adaptive"}' });
      expect((await read()).notes.rules).toBe('{}');
    });

    test('of several changes to the same settings one is made, and the others are refused', async () => {
      for (const next of ['{"mode":"adaptive"}', null]) {
        const before = (await read()).notes.settings;
        const changes = [one, other, one, other].map((store, i) =>
          store.setTexts(
            ACCOUNT,
            SOURCE,
            { settings: before },
            { settings: next && `${next}${' '.repeat(i)}` },
          ),
        );
        const made = (await Promise.all(changes)).flatMap((isMade, i) => (isMade ? [i] : []));
        expect(made).toHaveLength(1);
        expect((await read()).notes.settings).toBe(next && `${next}${' '.repeat(made[0]!)}`);
      }
      expect(
        await one.setTexts(ACCOUNT, SOURCE, { settings: '{}' }, { settings: '{"mode":"contract"}' }),
      ).toBe(false);
      expect((await read()).notes.settings).toBeNull();
    });

    test('of two changes of the same rules one is made, and the other one is told', async () => {
      for (let round = 0; round < 5; round++) {
        const before = (await read()).notes.rules;
        const changes = [one, other, one, other].map((store, i) =>
          store.setTexts(
            ACCOUNT,
            SOURCE,
            { rules: before },
            { rules: `{"version":"${round} ${i}"}`, rulesPast: `[${i}]` },
          ),
        );
        const made = (await Promise.all(changes)).flatMap((isMade, i) => (isMade ? [i] : []));
        expect(made).toHaveLength(1);
        expect((await read()).notes.rules).toBe(`{"version":"${round} ${made[0]}"}`);
        expect(await one.rulesPast(ACCOUNT, SOURCE)).toBe(`[${made[0]}]`);
      }
    });

    test('a pin needs a baseline, and ends with its reset', async () => {
      expect(await one.setPinned(ACCOUNT, SOURCE, true)).toBe(false);
      await append('a', 1);
      expect((await read()).notes.pinned).toBe(false);
      expect(await one.setPinned(ACCOUNT, SOURCE, true)).toBe(true);
      expect((await read()).notes.pinned).toBe(true);
      expect(await other.setPinned(ACCOUNT, SOURCE, false)).toBe(true);
      expect((await read()).notes.pinned).toBe(false);
      await one.setPinned(ACCOUNT, SOURCE, true);
      await one.reset(ACCOUNT, SOURCE);
      await append('b', 1);
      expect((await read()).notes.pinned).toBe(false);
    });

    test('BLOCKed batches of a run are counted, also concurrently, and another run replaces it', async () => {
      const note = (store: BaselineStore, since: string, last: string) =>
        store.noteRun(ACCOUNT, SOURCE, { since, last, causes: `of ${since}` });
      const run = async () => (await read()).notes.run;
      await note(one, 'a', 'a');
      expect(await run()).toEqual({ since: 'a', last: 'a', batches: 1, causes: 'of a' });
      await Promise.all(Array.from({ length: 10 }, (_, i) => note(i % 2 ? one : other, 'a', `b${i}`)));
      expect(await run()).toMatchObject({ since: 'a', batches: 11 });
      await note(one, 'c', 'c');
      expect(await run()).toEqual({ since: 'c', last: 'c', batches: 1, causes: 'of c' });
      await other.noteRun(ACCOUNT, SOURCE, null);
      expect(await run()).toBeNull();
      await append('x', 1);
      await note(one, 'd', 'd');
      await one.reset(ACCOUNT, SOURCE);
      expect(await run()).toBeNull();
    });

    test('a restore replaces the baseline with a new generation, and keeps settings and pin', async () => {
      await append('a', 1);
      await append('b', 2);
      await one.fold(ACCOUNT, SOURCE, await read(), bytes(7), ['a']);
      await one.setTexts(ACCOUNT, SOURCE, { settings: null }, { settings: '{}' });
      await one.setPinned(ACCOUNT, SOURCE, true);
      await one.noteRun(ACCOUNT, SOURCE, { since: 'c', last: 'c', causes: '' });
      const before = await read();
      expect(await other.restore(ACCOUNT, SOURCE, before, bytes(9))).toBe(true);
      const after = await read(before);
      expect(after).toMatchObject({ complete: true, version: 0, sequence: 0, tail: [] });
      expect([...after.folded!]).toEqual([9]);
      expect(after.generation).not.toBe(before.generation);
      expect(after.notes).toEqual({ settings: '{}', rules: null, pinned: true, run: null });
      await append('a', 3);
      expect(idsOf(await read(after))).toEqual(['a']);
    });

    test('a restore remembers what its record includes: it is not added again and cannot be called off', async () => {
      for (const id of ['a', 'b']) await append(id, 1);
      expect(await one.restore(ACCOUNT, SOURCE, await read(), bytes(9), undefined, ['a', 'x'])).toBe(true);
      for (const id of ['a', 'x']) {
        expect(await append(id, 1)).toBe(false);
        expect(await other.callOff(ACCOUNT, SOURCE, id)).toBe(false);
      }
      expect(await append('b', 1)).toBe(true);
      expect(await one.fold(ACCOUNT, SOURCE, await read(), bytes(9), ['b'])).toBe(true);
      expect(await append('b', 1)).toBe(false);
    });

    test('a restore fails after another restore, a fold or a reset', async () => {
      await append('a', 1);
      const before = await read();
      const outcomes = await Promise.all([
        one.restore(ACCOUNT, SOURCE, before, bytes(1)),
        other.restore(ACCOUNT, SOURCE, before, bytes(2)),
      ]);
      expect(outcomes.toSorted()).toEqual([false, true]);
      expect([...(await read()).folded!]).toEqual(outcomes[0] ? [1] : [2]);
      const then = await read();
      await one.fold(ACCOUNT, SOURCE, then, bytes(3), []);
      expect(await one.restore(ACCOUNT, SOURCE, then, bytes(4))).toBe(false);
      const last = await read();
      await one.reset(ACCOUNT, SOURCE);
      expect(await one.restore(ACCOUNT, SOURCE, last, bytes(5))).toBe(false);
      expect((await read()).folded).toBeNull();
    });

    test('a restore without a baseline creates one, which is listed', async () => {
      const nothing = await read();
      expect(await one.restore(ACCOUNT, SOURCE, nothing, bytes(9))).toBe(true);
      expect([...(await read()).folded!]).toEqual([9]);
      expect(await other.sources(ACCOUNT, null, 10)).toEqual([SOURCE]);
      expect(await one.restore(ACCOUNT, SOURCE, nothing, bytes(8))).toBe(false);
    });

    test('versions are stored with their notes, newest first, and survive a reset', async () => {
      expect(await other.versions(ACCOUNT, SOURCE)).toEqual([]);
      await one.keepVersion(ACCOUNT, SOURCE, 'first', bytes(0, 255));
      await append('a', 1);
      await one.reset(ACCOUNT, SOURCE);
      await other.keepVersion(ACCOUNT, SOURCE, 'second', bytes(2));
      expect(await one.versions(ACCOUNT, SOURCE)).toEqual([
        { number: 2, note: 'second' },
        { number: 1, note: 'first' },
      ]);
      expect([...(await other.version(ACCOUNT, SOURCE, 1))!]).toEqual([0, 255]);
      expect(await other.version(ACCOUNT, SOURCE, 3)).toBeNull();
      expect(await other.version('acc_2', SOURCE, 1)).toBeNull();
      expect(await other.version(ACCOUNT, 'visits', 1)).toBeNull();
      expect(await other.versions('acc_2', SOURCE)).toEqual([]);
    });

    test('the oldest versions are deleted by number or size, and no number is reused', async () => {
      const keep = (i: number, copy: Uint8Array) =>
        (i % 2 ? one : other).keepVersion(ACCOUNT, SOURCE, `note ${i}`, copy);
      const count = MAX_VERSIONS + 3;
      await Promise.all(Array.from({ length: count }, (_, i) => keep(i, bytes(i))));
      const numbers = async () => (await one.versions(ACCOUNT, SOURCE)).map(({ number }) => number);
      expect(await numbers()).toEqual(Array.from({ length: MAX_VERSIONS }, (_, i) => count - i));
      expect(await one.version(ACCOUNT, SOURCE, 1)).toBeNull();
      await keep(0, new Uint8Array(MAX_VERSION_BYTES));
      expect(await numbers()).toEqual([count + 1]);
      await keep(1, new Uint8Array(MAX_VERSION_BYTES - 1));
      expect(await numbers()).toEqual([count + 2]);
      await keep(0, bytes(1));
      expect(await numbers()).toEqual([count + 3, count + 2]);
    });

    boundsContract(() => pair);
  });
}
