import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import '../property/seed.ts';
import { decodeRecord, encodeRecord } from '../../src/baseline/encode-record.ts';
import { encodeState } from '../../src/baseline/encode-state.ts';
import { RETRY_EVERY_MS } from '../../src/time/background-retry.ts';
import { LONG_TAIL } from '../../src/baseline/sources.ts';
import { fold, mergeState } from '../../src/baseline/merge.ts';
import { baselineOf } from '../../src/baseline/merged.ts';
import { EMPTY_RECORD } from '../../src/baseline/record.ts';
import { renewed, WHOLE_BATCH } from '../../src/baseline/renew.ts';
import type { BatchState } from '../../src/baseline/state.ts';
import { measurementOf } from '../../src/baseline/batch-statistics.ts';
import { Baselines } from '../../src/sources/baselines.ts';
import { BaselineEditor } from '../../src/sources/editor.ts';
import { PLACE } from '../../src/statistics/registry.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { SqliteBaselines } from '../../src/stores/sqlite/baselines.ts';
import { MAX_VERSIONS } from '../../src/stores/ports.ts';
import { foldersOfATest } from '../folders.ts';
import { anyBatches, batchState, idOf, numberField, textField } from '../baseline/batches.ts';
import { Replica } from '../baseline/replica.ts';

const ACCOUNT = 'acc';
const SOURCE = 'orders';
const AT = Date.UTC(2026, 10, 21);

const newFolder = foldersOfATest();
let store: SqliteBaselines;
beforeEach(() => {
  store = new SqliteBaselines(':memory:');
});
afterEach(() => store.close());

const simple = (index: number, given: Partial<BatchState> = {}): BatchState =>
  batchState(idOf(index), 3, { x: numberField([index, 1, 2]), y: textField([index % 7, 1, 2]) }, given);
/** Texts where numbers were. */
const other = (index: number): BatchState =>
  batchState(idOf(index), 3, { x: textField([1, 2, 3]), y: textField([1, 2, 3]) });
const taught = (cache = new Replica(store)) => ({
  cache,
  editor: new BaselineEditor(store, cache.baselines),
});
const learnAll = async (cache: Replica, count: number) => {
  for (let i = 0; i < count; i++) await cache.learn(ACCOUNT, SOURCE, simple(i));
};
const load = (cache: Replica) => cache.load(ACCOUNT, SOURCE);
const accept = (editor: BaselineEditor, state: BatchState, ...changed: string[]) =>
  editor.accept(ACCOUNT, SOURCE, encodeState(state), new Set(changed), AT);

describe('a record that a batch renewed', () => {
  test('equals its decoded bytes, forgets what is older of the changed fields, and keeps the others', () => {
    fc.assert(
      fc.property(
        anyBatches(8).filter(batches => batches.length > 0),
        fc.array(fc.nat(6), { maxLength: 3 }),
        (batches, picks) => {
          const [state, ...before] = batches.toReversed() as [BatchState, ...BatchState[]];
          const record = before.reduce(mergeState, EMPTY_RECORD);
          const names = [...new Set([...record.fields.keys(), ...state.fields.keys()])];
          const changed = new Set(picks.flatMap(pick => names[pick] ?? []));
          const after = fold(renewed(record, state, changed));
          expect(encodeRecord(decodeRecord(encodeRecord(after)))).toEqual(encodeRecord(after));
          const learned = mergeState(record, state);
          expect([after.batches, after.rows]).toEqual([learned.batches, learned.rows]);
          const alone = mergeState(EMPTY_RECORD, state);
          for (const name of names) {
            const field = after.fields.get(name);
            if (!changed.has(name)) expect(field).toEqual(fold(learned).fields.get(name));
            else if (!state.fields.has(name)) expect(field).toBeUndefined();
            else
              expect({ ...field, components: [] }).toEqual({
                ...fold(alone).fields.get(name)!,
                components: [],
              });
            if (!changed.has(name)) continue;
            for (const batch of after.recent.slice(0, -1))
              expect(measurementOf(batch, name, PLACE.present)).toBeNaN();
          }
          expect(after.recent.at(-1)).toMatchObject({ id: state.id, accepted: true });
        },
      ),
      { numRuns: 60 },
    );
  });

  test('forgets the older row counts if the row count differed', () => {
    const record = [0, 1, 2].map(i => simple(i)).reduce(mergeState, EMPTY_RECORD);
    const { rowCounts, recent } = renewed(record, { ...simple(3), rows: 99 }, new Set([WHOLE_BATCH]));
    expect(rowCounts).toEqual([99]);
    expect(recent.map(({ chunk }) => chunk)).toEqual([true, true, true, false]);
  });

  test('is judged the same when it was read from its bytes', () => {
    const record = [0, 1, 2].map(i => simple(i)).reduce(mergeState, EMPTY_RECORD);
    const after = fold(
      renewed(record, batchState(idOf(3), 3, { x: textField([1, 2, 3]) }), new Set(['x', 'y'])),
    );
    const fields = (from: typeof after) => [
      ...baselineOf({ record: from, provisional: false }).fields.keys(),
    ];
    expect(fields(after)).toEqual(['x']);
    expect(fields(decodeRecord(encodeRecord(after)))).toEqual(['x']);
  });
});

test('keeps one copy a day of a source that learns, however busy it is', async () => {
  const { cache, editor } = taught();
  const HOUR = 3_600_000;
  for (let i = 0; i < 10 * LONG_TAIL; i++)
    await cache.learn(ACCOUNT, SOURCE, simple(i, { at: AT + (i * HOUR) / 4 }));
  const made = (await editor.versions(ACCOUNT, SOURCE))
    .map(({ made_at }) => Date.parse(made_at))
    .toReversed();
  expect(made.length).toBe(4);
  for (let i = 1; i < made.length; i++) expect(made[i]! - made[i - 1]!).toBeWithin(24 * HOUR, 29 * HOUR);
});

describe('the editor', () => {
  test('accepts while other processes learn, accept and fold: nothing is lost or counted twice', async () => {
    const [here, there] = [taught(), taught()];
    await learnAll(here.cache, 20);
    // Fewer than 32 at a time: an accepted batch with more behind it is no longer known as one.
    const part = Math.ceil(LONG_TAIL / 5);
    const batches = 20 + 5 * part + 5;
    const learning = async (from: number) => {
      for (let i = from; i < from + part; i++) await there.cache.learn(ACCOUNT, SOURCE, simple(i));
    };
    const said: boolean[] = [];
    for (let i = 0; i < 5; i++) {
      const accepting = [here, there].map(({ editor }) => accept(editor, other(900 + i), 'y'));
      const [answers] = await Promise.all([Promise.all(accepting), learning(20 + i * part)]);
      said.push(...answers);
    }
    expect(said.filter(Boolean)).toHaveLength(5);
    const baseline = (await load(taught().cache))!;
    expect([baseline.batches, baseline.rows]).toEqual([batches, 3 * batches]);
    expect(new Set(baseline.recent.map(({ id }) => id)).size).toBe(32);
  });

  test('accepts a batch once if ten requests accept it at the same time', async () => {
    const { cache, editor } = taught();
    await learnAll(cache, 5);
    const said = await Promise.all(Array.from({ length: 10 }, () => accept(editor, other(7), 'x')));
    expect(said.filter(Boolean)).toHaveLength(1);
    expect(await load(cache)).toMatchObject({ batches: 6 });
    expect((await load(cache))!.fields.get('x')!.type).toBe('string');
  });

  test('accepts nothing that another process has accepted since it looked', async () => {
    const [here, there] = [taught(), taught()];
    await learnAll(here.cache, 5);
    const keepVersion = store.keepVersion.bind(store);
    let others: boolean | null = null;
    store.keepVersion = async (...version) => {
      await keepVersion(...version);
      store.keepVersion = keepVersion;
      others = await accept(there.editor, other(7), 'x');
    };
    expect([await accept(here.editor, other(7), 'x'), others]).toEqual([false, true]);
    expect(await load(taught().cache)).toMatchObject({ batches: 6 });
  });

  test('admits and removes a batch once if ten requests ask for it at the same time, and keeps one version', async () => {
    const { cache, editor } = taught();
    await learnAll(cache, 5);
    const state = encodeState(other(7));
    const tenTimes = (ask: () => Promise<boolean>) => Promise.all(Array.from({ length: 10 }, ask));
    const admitted = await tenTimes(() => editor.admit(ACCOUNT, SOURCE, state, AT));
    expect(admitted.filter(Boolean)).toHaveLength(1);
    expect(await load(cache)).toMatchObject({ batches: 6 });
    const removed = await tenTimes(() => editor.dismiss(ACCOUNT, SOURCE, idOf(7), AT));
    expect(removed.filter(Boolean)).toHaveLength(1);
    expect(await load(cache)).toMatchObject({ batches: 5 });
    expect(await editor.versions(ACCOUNT, SOURCE)).toHaveLength(2);
  });

  test.each([false, true])(
    'admits and removes a batch once if two processes read the same before either writes (provisional: %p)',
    async provisional => {
      const { cache } = taught();
      const first = simple(0, { provisional });
      await cache.learn(ACCOUNT, SOURCE, first);
      const state = provisional ? first : other(7);
      const twice = async (ask: (editor: BaselineEditor) => Promise<boolean>) => {
        const bothRead = Promise.withResolvers<void>();
        let reads = 0;
        const process = () => {
          const { baselines } = new Replica(store);
          const { summary } = Baselines.prototype;
          baselines.summary = async (...call) => {
            const found = await summary.apply(baselines, call);
            if (++reads === 2) bothRead.resolve();
            await bothRead.promise;
            return found;
          };
          return new BaselineEditor(store, baselines);
        };
        return (await Promise.all([ask(process()), ask(process())])).toSorted();
      };
      const batches = provisional ? 1 : 2;
      expect(await twice(each => each.admit(ACCOUNT, SOURCE, encodeState(state), AT))).toEqual([false, true]);
      expect(await load(cache)).toMatchObject({ batches, provisional: false });
      expect(await twice(each => each.dismiss(ACCOUNT, SOURCE, state.id, AT))).toEqual([false, true]);
      expect((await load(cache))?.batches ?? 0).toBe(batches - 1);
    },
  );

  test('keeps one version if ten requests reset a source at the same time', async () => {
    const { cache, editor } = taught();
    await learnAll(cache, 5);
    await Promise.all(Array.from({ length: 10 }, () => editor.reset(ACCOUNT, SOURCE, AT)));
    expect(await load(cache)).toBeNull();
    expect(await editor.versions(ACCOUNT, SOURCE)).toHaveLength(1);
  });

  test('rolls back to the oldest version, which the version before the rollback replaces', async () => {
    const { cache, editor } = taught();
    await learnAll(cache, 5);
    await store.setTexts(ACCOUNT, SOURCE, { rules: null }, { rules: '{"version":7}', rulesPast: '[]' });
    await editor.reset(ACCOUNT, SOURCE, AT);
    await learnAll(cache, 2);
    for (let i = 1; i < MAX_VERSIONS; i++) await accept(editor, other(900 + i), 'y');
    expect((await editor.versions(ACCOUNT, SOURCE)).at(-1)).toMatchObject({ version: 1, rules_version: 7 });
    expect(await editor.rollBack(ACCOUNT, SOURCE, 1, AT)).toEqual({ batches: 5, rows: 15, rulesVersion: 7 });
    expect((await editor.versions(ACCOUNT, SOURCE)).at(-1)!.version).toBe(2);
    expect(await load(cache)).toMatchObject({ batches: 5 });
    expect(await editor.rollBack(ACCOUNT, SOURCE, 1, AT)).toBeNull();
  });

  test('gives up with a 503 and changes nothing if others are always first', async () => {
    const { cache, editor } = taught();
    await learnAll(cache, 5);
    store.fold = async () => false;
    const refused = await accept(editor, other(7), 'x').catch(error => error);
    expect(refused).toBeInstanceOf(Rejection);
    expect(refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '1' } });
    expect(await load(cache)).toMatchObject({ batches: 5 });
    // What was kept before the first try is kept once.
    expect(await editor.versions(ACCOUNT, SOURCE)).toHaveLength(1);
  });

  test('changes nothing if no version can be kept', async () => {
    const { cache, editor } = taught();
    await learnAll(cache, 5);
    store.keepVersion = async () => {
      throw new Rejection('SERVICE_UNAVAILABLE', 'full');
    };
    const tries = [
      accept(editor, other(7), 'x'),
      editor.admit(ACCOUNT, SOURCE, encodeState(other(8)), AT),
      editor.dismiss(ACCOUNT, SOURCE, idOf(1), AT),
      editor.reset(ACCOUNT, SOURCE, AT),
    ];
    for (const { status } of await Promise.allSettled(tries)) expect(status).toBe('rejected');
    expect(await load(cache)).toMatchObject({ batches: 5 });
  });

  test('resets a damaged baseline, and rolls back from there', async () => {
    const { cache, editor } = taught();
    await learnAll(cache, 5);
    await editor.reset(ACCOUNT, SOURCE, AT);
    await store.append(ACCOUNT, SOURCE, { id: 'a', state: new Uint8Array(50) });
    await editor.reset(ACCOUNT, SOURCE, AT);
    expect(await load(cache)).toBeNull();
    expect(await editor.rollBack(ACCOUNT, SOURCE, 1, AT)).toEqual({ batches: 5, rows: 15, rulesVersion: 0 });
    expect(await load(cache)).toMatchObject({ batches: 5 });
  });

  test('does not roll back to a copy that cannot be read', async () => {
    const { cache, editor } = taught();
    await learnAll(cache, 5);
    await store.keepVersion(ACCOUNT, SOURCE, '{}', await Bun.zstdCompress(new Uint8Array(50)));
    await expect(editor.rollBack(ACCOUNT, SOURCE, 1, AT)).rejects.toThrow('of this kind');
    expect(await load(cache)).toMatchObject({ batches: 5 });
  });

  test('admits a provisional first batch, and every replica sees it', async () => {
    const { cache, editor } = taught();
    const first = simple(1, { provisional: true });
    await cache.learn(ACCOUNT, SOURCE, first);
    expect(await load(cache)).toMatchObject({ provisional: true });
    expect(await editor.admit(ACCOUNT, SOURCE, encodeState(first), AT)).toBe(true);
    expect(await editor.placeOf(ACCOUNT, SOURCE, first.id)).toBe('open');
    for (const each of [cache, new Replica(store)])
      expect(await load(each)).toMatchObject({ provisional: false, batches: 1 });
    expect(await editor.admit(ACCOUNT, SOURCE, encodeState(first), AT)).toBe(false);
  });

  test('keeps what is admitted at the second try, whatever the first one began', async () => {
    const path = join(newFolder(), 'baselines.sqlite');
    const shared = new SqliteBaselines(path, 1);
    using blocking = new Database(path);
    const editor = new BaselineEditor(shared, new Replica(shared).baselines);
    const first = simple(1, { provisional: true });
    await new Replica(shared).learn(ACCOUNT, SOURCE, first);
    const admit = () => editor.admit(ACCOUNT, SOURCE, encodeState(first), AT);
    blocking.run('BEGIN IMMEDIATE');
    await expect(admit()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    blocking.run('COMMIT');
    expect(await admit()).toBe(true);
    // What failed requests have learned is taken back in the background. What somebody asks for is not done behind them.
    await Bun.sleep(2 * RETRY_EVERY_MS);
    expect(await editor.placeOf(ACCOUNT, SOURCE, first.id)).toBe('open');
    shared.close();
  });

  test('removes a batch only while it is in the tail, even if a fold comes first', async () => {
    const { cache, editor } = taught();
    await learnAll(cache, 5);
    expect(await editor.placeOf(ACCOUNT, SOURCE, idOf(1))).toBe('open');
    expect(await editor.placeOf(ACCOUNT, SOURCE, idOf(7))).toBe('none');
    const { withdraw } = store;
    store.withdraw = async (...call) => {
      await accept(taught().editor, other(7), 'x');
      return withdraw.apply(store, call);
    };
    expect(await editor.dismiss(ACCOUNT, SOURCE, idOf(1), AT)).toBe(false);
    expect(await editor.placeOf(ACCOUNT, SOURCE, idOf(1))).toBe('folded');
    expect(await editor.placeOf(ACCOUNT, SOURCE, idOf(7))).toBe('accepted');
  });
});
