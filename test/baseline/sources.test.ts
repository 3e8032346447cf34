import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { MAX_FIELDS } from '../../assembly/abi.ts';
import '../property/seed.ts';
import type { Baseline } from '../../src/baseline/baseline.ts';
import { DamagedBytes } from '../../src/baseline/bytes.ts';
import { LONG_TAIL, UNFOLDED } from '../../src/baseline/sources.ts';
import { detailsOf, MAX_TRACKED } from '../../src/baseline/limits.ts';
import { briefly } from '../../src/baseline/state.ts';
import type { BatchState } from '../../src/baseline/state.ts';
import { measurementOf } from '../../src/baseline/batch-statistics.ts';
import { WIDTH } from '../../src/statistics/registry.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { SqliteBaselines } from '../../src/stores/sqlite/baselines.ts';
import type { BaselineStore, Known, StoredBaseline, StoredVersion } from '../../src/stores/ports.ts';
import { anyBatch, anyBatches, batchState, idOf, numberField, textField } from './batches.ts';
import { Replica, type ReplicaOptions } from './replica.ts';

const ACCOUNT = 'acc';
const SOURCE = 'orders';
const RANKS = [0, 0.01, 0.25, 0.5, 0.77, 1];

let store: SqliteBaselines;
beforeEach(() => {
  store = new SqliteBaselines(':memory:');
});
afterEach(() => store.close());

/** Everything that can be read of a baseline, so that two can be compared bit for bit. */
function readout(baseline: Baseline | null): unknown {
  if (!baseline) return null;
  const { fields, recent, ...rest } = baseline;
  const statistics = recent.map(({ places: _, numbers: __, ...batch }, i) => [
    batch,
    [...fields.keys()].map(name =>
      Array.from({ length: WIDTH }, (_, place) => measurementOf(recent[i]!, name, place)),
    ),
  ]);
  const numbers = [...fields].map(([name, field]) => [
    name,
    field.type,
    [field.weightedRows, field.presence, field.nullRate, field.emptyRate, field.weightedTexts],
    [field.distinctRatio, field.usualValues, field.texts, field.usualDistinctTexts, field.usualTexts],
    field.known && [...field.known].map(String),
    [field.approxDistinct, ...RANKS.map(p => field.quantile(p))],
  ]);
  return { ...rest, numbers, statistics };
}

const load = async (cache: Replica): Promise<unknown> => readout(await cache.load(ACCOUNT, SOURCE));
const fromScratch = (): Promise<unknown> => load(new Replica(store));
const learnAll = async (cache: Replica, states: readonly BatchState[]): Promise<void> => {
  for (const state of states) await cache.learn(ACCOUNT, SOURCE, state);
};
const simple = (index: number, given: Partial<BatchState> = {}): BatchState =>
  batchState(idOf(index), 3, { x: numberField([index, 1, 2]), y: textField([index % 7, 1, 2]) }, given);
const simples = (count: number): BatchState[] => Array.from({ length: count }, (_, i) => simple(i));

/** A store that records what it is asked, and may be told to fail. */
class Watched extends SqliteBaselines {
  reads: StoredBaseline[] = [];
  folds: boolean[] = [];
  failing: 'fold' | 'append' | 'none' = 'none';
  beforeFold: () => Promise<unknown> = async () => {};

  override async read(account: string, source: string, known?: Known): Promise<StoredBaseline> {
    const stored = await store.read(account, source, known);
    this.reads.push(stored);
    return stored;
  }

  override async append(...call: Parameters<BaselineStore['append']>): Promise<boolean> {
    if (this.failing === 'append') throw new Rejection('SERVICE_UNAVAILABLE', 'down');
    return store.append(...call);
  }

  override async fold(...call: Parameters<BaselineStore['fold']>): Promise<boolean> {
    if (this.failing === 'fold') throw new Rejection('SERVICE_UNAVAILABLE', 'down');
    await this.beforeFold();
    const won = await store.fold(...call);
    this.folds.push(won);
    return won;
  }

  override sources(...call: Parameters<BaselineStore['sources']>): Promise<string[]> {
    return store.sources(...call);
  }

  override keepVersion(...call: Parameters<BaselineStore['keepVersion']>): Promise<void> {
    return store.keepVersion(...call);
  }

  override versions(account: string, source: string): Promise<StoredVersion[]> {
    return store.versions(account, source);
  }
}

describe('sources of a thread', () => {
  test('a source without baseline is null, after one batch it has one', async () => {
    const cache = new Replica(store);
    expect(await cache.load(ACCOUNT, SOURCE)).toBeNull();
    await cache.learn(ACCOUNT, SOURCE, simple(1));
    expect(await cache.load(ACCOUNT, SOURCE)).toMatchObject({ batches: 1, rows: 3, provisional: false });
    expect(await cache.load(ACCOUNT, 'other')).toBeNull();
    expect(await cache.load('other', SOURCE)).toBeNull();
  });

  test('a state that is learned again does not count again', async () => {
    const cache = new Replica(store);
    await learnAll(cache, [simple(1), simple(1)]);
    expect(await cache.load(ACCOUNT, SOURCE)).toMatchObject({ batches: 1 });
  });

  test('states that arrive one by one in any order give the same baseline as all at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyBatches(10).chain(states => fc.shuffledSubarray(states, { minLength: states.length })),
        async states => {
          await store.reset(ACCOUNT);
          const cache = new Replica(store);
          for (const state of states) {
            await cache.learn(ACCOUNT, SOURCE, state);
            expect(await load(cache)).toEqual(await fromScratch());
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test('two replicas agree bit for bit whatever the interleaving, folds included', async () => {
    const step = fc.tuple(fc.nat(99), fc.nat(1), fc.boolean());
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(step, { minLength: 60, maxLength: 100 }),
        async (scheduler, steps) => {
          await store.reset(ACCOUNT);
          const putOff: Promise<void>[] = [];
          const replicas = [0, 1].map(() => {
            const later: ReplicaOptions['later'] = work => {
              putOff.push(scheduler.schedule(Promise.resolve()).then(work));
            };
            return new Replica(slowed(store, scheduler), { later });
          });
          const runs = steps.map(([id, replica, reads]) => async () => {
            const cache = replicas[replica]!;
            if (reads) await cache.load(ACCOUNT, SOURCE);
            await cache.learn(ACCOUNT, SOURCE, simple(id));
          });
          // Three requests run at once at any time.
          const workers = [0, 1, 2].map(async () => {
            for (let run = runs.shift(); run; run = runs.shift()) await run();
          });
          await scheduler.waitFor(Promise.all(workers));
          // A fold between two loads would change the quantiles within their error.
          await scheduler.waitFor(Promise.all(putOff));
          const [one, other] = await scheduler.waitFor(Promise.all(replicas.map(load)));
          expect(one).toEqual(other);
          expect(one).toEqual(await fromScratch());
          const batches = new Set(steps.map(([id]) => id)).size;
          expect(one).toMatchObject({ batches });
        },
      ),
      { numRuns: 15 },
    );
  });

  test('late batches among the newest give the same baseline as in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(UNFOLDED / 2), { minLength: 80, maxLength: 80 }), async delays => {
        const arrival = delays
          .map((delay, index) => ({ index, at: index + delay }))
          .sort((a, b) => a.at - b.at);
        const averages = [];
        for (const order of [arrival.map(({ index }) => index), delays.map((_, index) => index)]) {
          await store.reset(ACCOUNT);
          const cache = new Replica(store);
          for (const index of order) {
            await cache.load(ACCOUNT, SOURCE);
            await cache.learn(ACCOUNT, SOURCE, simple(index, { rows: 3 + index }));
          }
          const { fields, rowCounts } = (await cache.load(ACCOUNT, SOURCE))!;
          const { nullRate, weightedRows, distinctRatio, usualValues, known } = fields.get('y')!;
          averages.push({ rowCounts, nullRate, weightedRows, distinctRatio, usualValues, known });
        }
        expect(averages[0]).toEqual(averages[1]!);
      }),
      { numRuns: 10 },
    );
  });

  test('folds a tail of 32 states except for its newest 16', async () => {
    const cache = new Replica(store);
    await cache.load(ACCOUNT, SOURCE);
    for (const state of simples(LONG_TAIL)) {
      await cache.learn(ACCOUNT, SOURCE, state);
      await cache.load(ACCOUNT, SOURCE);
    }
    const stored = await store.read(ACCOUNT, SOURCE);
    expect(stored.folded).not.toBeNull();
    expect(stored.tail.map(entry => entry.id)).toEqual(
      simples(LONG_TAIL)
        .slice(-UNFOLDED)
        .map(state => state.id),
    );
    expect(await cache.load(ACCOUNT, SOURCE)).toMatchObject({ batches: LONG_TAIL, rows: 3 * LONG_TAIL });
  });

  test('folds the tail of a source that is never loaded or never held', async () => {
    const forgetful = new Replica(store, { maxBytes: 1 });
    await learnAll(forgetful, simples(200));
    expect((await store.read(ACCOUNT, SOURCE)).tail.length).toBeLessThanOrEqual(LONG_TAIL);
    expect(await forgetful.load(ACCOUNT, SOURCE)).toMatchObject({ batches: 200 });
    expect(await load(forgetful)).toEqual(await fromScratch());
  });

  test('a fold that loses its race changes nothing', async () => {
    const watched = new Watched(':memory:');
    const [cache, rival] = [new Replica(watched), new Replica(store)];
    await learnAll(new Replica(watched), simples(LONG_TAIL - 1));
    await cache.load(ACCOUNT, SOURCE);
    watched.beforeFold = () => rival.learn(ACCOUNT, SOURCE, simple(50));
    await cache.learn(ACCOUNT, SOURCE, simple(40));
    expect(watched.folds).toEqual([false]);
    expect(await cache.load(ACCOUNT, SOURCE)).toMatchObject({ batches: LONG_TAIL + 1 });
    expect(await load(cache)).toEqual(await fromScratch());
  });

  test('a fold that the store refuses does not fail the batch; an append does', async () => {
    const watched = new Watched(':memory:');
    const cache = new Replica(watched);
    watched.failing = 'fold';
    await learnAll(cache, simples(LONG_TAIL + 3));
    expect(await cache.load(ACCOUNT, SOURCE)).toMatchObject({ batches: LONG_TAIL + 3 });
    watched.failing = 'append';
    const failed = await cache.learn(ACCOUNT, SOURCE, simple(90)).catch(error => error);
    expect(failed).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    watched.failing = 'none';
    await cache.learn(ACCOUNT, SOURCE, simple(90));
    expect(await cache.load(ACCOUNT, SOURCE)).toMatchObject({ batches: LONG_TAIL + 4 });
    expect((await store.read(ACCOUNT, SOURCE)).tail).toHaveLength(UNFOLDED);
  });

  test('the store is asked only for what is new', async () => {
    const watched = new Watched(':memory:');
    const cache = new Replica(watched);
    await learnAll(new Replica(store), simples(5));
    await cache.load(ACCOUNT, SOURCE);
    await cache.load(ACCOUNT, SOURCE);
    await learnAll(new Replica(store), [simple(7)]);
    await cache.load(ACCOUNT, SOURCE);
    expect(watched.reads.map(read => [read.complete, read.tail.length])).toEqual([
      [true, 5],
      [false, 0],
      [false, 1],
    ]);
  });

  test('work that is put off until the answer is sent changes no result, whether it runs before the next load or after', async () => {
    const when = fc.constantFrom('before the load', 'after the load', 'much later');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(60), when), { maxLength: 70 }), async steps => {
        await store.reset(ACCOUNT);
        const put: (() => Promise<void>)[] = [];
        const doAll = async () => {
          for (let work = put.shift(); work; work = put.shift()) await work();
        };
        const cache = new Replica(store, { later: work => put.push(work) });
        for (const [id, done] of steps) {
          await cache.learn(ACCOUNT, SOURCE, simple(id));
          if (done === 'before the load') await doAll();
          expect(await load(cache)).toEqual(await fromScratch());
          if (done === 'after the load') await doAll();
        }
      }),
      { numRuns: 15 },
    );
  });

  test('a load takes what was learned here without decoding it', async () => {
    const cache = new Replica(store);
    await cache.load(ACCOUNT, SOURCE);
    await cache.learn(ACCOUNT, SOURCE, simple(1));
    await cache.load(ACCOUNT, SOURCE);
    const states = [simple(2), simple(3)];
    for (const state of states) await cache.learn(ACCOUNT, SOURCE, state);
    const { states: known } = await cache.content(ACCOUNT, SOURCE);
    expect(known.slice(1).map((state, i) => state === states[i])).toEqual([true, true]);
    expect(await load(cache)).toEqual(await fromScratch());
  });

  test('what was learned here counts only if the store has it', async () => {
    const cache = new Replica(store);
    const wrongful = new Replica(changed(store, { append: async () => true }));
    await cache.learn(ACCOUNT, SOURCE, simple(1));
    await wrongful.load(ACCOUNT, SOURCE);
    await wrongful.learn(ACCOUNT, SOURCE, simple(2));
    await cache.learn(ACCOUNT, SOURCE, simple(2, { rows: 77 }));
    expect(await load(wrongful)).toEqual(await fromScratch());
    expect(await wrongful.load(ACCOUNT, SOURCE)).toMatchObject({ rows: 80 });
  });

  test('concurrent loads all see what was learned before them', async () => {
    const cache = new Replica(store);
    for (let batch = 1; batch <= 5; batch++) {
      await cache.learn(ACCOUNT, SOURCE, simple(batch));
      const loads = await Promise.all(Array.from({ length: 20 }, () => cache.load(ACCOUNT, SOURCE)));
      expect(new Set(loads.map(baseline => baseline!.batches))).toEqual(new Set([batch]));
    }
  });

  test('a loaded baseline does not change while others learn', async () => {
    await fc.assert(
      fc.asyncProperty(anyBatch(idOf(1)), anyBatch(idOf(2)), async (first, second) => {
        await store.reset(ACCOUNT);
        const cache = new Replica(store);
        await cache.learn(ACCOUNT, SOURCE, first);
        const baseline = await cache.load(ACCOUNT, SOURCE);
        const before = JSON.stringify(readout(baseline));
        await cache.learn(ACCOUNT, SOURCE, second);
        await cache.load(ACCOUNT, SOURCE);
        expect(JSON.stringify(readout(baseline))).toBe(before);
      }),
      { numRuns: 30 },
    );
  });

  test('a provisional baseline gives way to the first batch that is not BLOCK', async () => {
    const cache = new Replica(store);
    const provisional = (index: number) => simple(index, { provisional: true, verdict: 'BLOCK' });
    await learnAll(cache, [provisional(5), provisional(3)]);
    expect(await cache.load(ACCOUNT, SOURCE)).toMatchObject({ provisional: true, batches: 1 });
    expect(await load(cache)).toEqual(await fromScratch());
    await cache.learn(ACCOUNT, SOURCE, simple(4));
    expect(await cache.load(ACCOUNT, SOURCE)).toMatchObject({ provisional: false, batches: 1 });
    await learnAll(cache, simples(60).slice(6));
    expect(await cache.load(ACCOUNT, SOURCE)).toMatchObject({ provisional: false, batches: 55 });
    const left = (await store.read(ACCOUNT, SOURCE)).tail.map(entry => entry.id);
    expect(left).not.toContain(idOf(3));
    expect(left).not.toContain(idOf(5));
  });

  test('a reset is seen by every replica, of one source or of all', async () => {
    const [cache, other] = [new Replica(store), new Replica(store)];
    for (const source of [SOURCE, 'visits']) await cache.learn(ACCOUNT, source, simple(1));
    await other.load(ACCOUNT, SOURCE);
    await cache.reset(ACCOUNT, SOURCE);
    expect([await cache.load(ACCOUNT, SOURCE), await other.load(ACCOUNT, SOURCE)]).toEqual([null, null]);
    expect(await cache.load(ACCOUNT, 'visits')).not.toBeNull();
    await other.learn(ACCOUNT, SOURCE, simple(2));
    expect(await cache.load(ACCOUNT, SOURCE)).toMatchObject({ batches: 1 });
    await other.reset(ACCOUNT);
    expect([await cache.load(ACCOUNT, SOURCE), await cache.load(ACCOUNT, 'visits')]).toEqual([null, null]);
  });

  test('lists sources page by page with their batches and rows', async () => {
    const cache = new Replica(store);
    const names = ['orders', 'a/b', 'Zoë', '__proto__', ' '];
    for (const [index, name] of names.entries())
      for (const state of simples(index + 1)) await cache.learn(ACCOUNT, name, state);
    await cache.learn('other', 'foreign', simple(1));
    const first = await cache.sources(ACCOUNT, null, 3);
    expect(first.next).toBe(first.sources[2]!.source);
    const second = await cache.sources(ACCOUNT, first.next, 3);
    expect(second).toMatchObject({ sources: [{}, {}], next: null });
    const listed = [...first.sources, ...second.sources].map(({ source, batches, rows }) => [
      source,
      [batches, rows],
    ]);
    expect(new Map(listed as [string, number[]][])).toEqual(
      new Map(names.map((name, index) => [name, [index + 1, 3 * (index + 1)]])),
    );
    expect(await cache.sources(ACCOUNT, null, 5)).toMatchObject({ next: null });
    expect(await cache.sources('nobody', null, 5)).toEqual({ sources: [], next: null });
  });

  test('a list counts what a load counts, whether the source is held or folded or not', async () => {
    const anyStates = anyBatches(60).chain(states =>
      fc
        .array(fc.boolean(), { minLength: states.length, maxLength: states.length })
        .map(flags => states.map((state, index) => ({ ...state, provisional: index < 3 && flags[index]! }))),
    );
    await fc.assert(
      fc.asyncProperty(anyStates, async states => {
        await store.reset(ACCOUNT);
        const [learner, other] = [new Replica(store), new Replica(store)];
        await learnAll(learner, states);
        const baseline = await learner.load(ACCOUNT, SOURCE);
        const sources = baseline
          ? [{ source: SOURCE, batches: baseline.batches, rows: baseline.rows, settings: null }]
          : [];
        for (const cache of [learner, other])
          expect(await cache.sources(ACCOUNT, null, 5)).toEqual({ sources, next: null });
      }),
      { numRuns: 30 },
    );
  });

  test('a list pushes out nothing that is held, and omits a source whose only batch was withdrawn', async () => {
    const watched = new Watched(':memory:');
    const cache = new Replica(watched, { maxBytes: 70_000 });
    for (const source of ['s0', 's1', 's2', 's3']) await store.append(ACCOUNT, source, await appended());
    await cache.load(ACCOUNT, 's3');
    await store.append(ACCOUNT, 'withdrawn', { id: 'x', state: (await appended()).state });
    await store.withdraw(ACCOUNT, 'withdrawn', 'x');
    const { sources } = await cache.sources(ACCOUNT, null, 10);
    expect(sources.map(({ source }) => source)).toEqual(['s0', 's1', 's2', 's3', 'template']);
    await cache.load(ACCOUNT, 's3');
    expect(watched.reads.at(-1)!.complete).toBe(false);
  });

  test('stays within its memory', async () => {
    const watched = new Watched(':memory:');
    const cache = new Replica(watched, { maxBytes: 90_000 });
    const sources = Array.from({ length: 10 }, (_, i) => `s${i}`);
    for (const source of sources) await store.append(ACCOUNT, source, await appended());
    for (const source of [...sources, 's9', 's0']) await cache.load(ACCOUNT, source);
    const complete = watched.reads.map(read => read.complete);
    // The last one is still there, the first one had to go.
    expect(complete.slice(-2)).toEqual([false, true]);
  });

  test('holds the largest possible source: nothing is read again, folds included', async () => {
    const watched = new Watched(':memory:');
    const cache = new Replica(watched);
    const names = Array.from({ length: MAX_TRACKED }, (_, i) => `f${i}`);
    const halves = [names.slice(0, MAX_FIELDS), names.slice(MAX_FIELDS)];
    const BATCHES = 2 * LONG_TAIL;
    for (let index = 0; index < BATCHES; index++) {
      const details = detailsOf(await cache.load(ACCOUNT, SOURCE), halves[index % 2]!);
      const field = numberField([index, 1, 2]);
      const fields = new Map([...details].map(([name, each]) => [name, each ? field : briefly(field)]));
      await cache.learn(ACCOUNT, SOURCE, batchState(idOf(index), 3, fields));
    }
    const { batches, fields: known } = (await cache.load(ACCOUNT, SOURCE))!;
    expect([batches, known.size]).toEqual([BATCHES, MAX_TRACKED]);
    expect(watched.folds).toEqual([true, true, true]);
    // The first two know nothing yet.
    const whole = watched.reads.filter(read => read.complete).map(read => read.tail.length);
    expect(whole).toEqual([0, 1]);
    const states = watched.reads.reduce((sum, read) => sum + (read.complete ? 0 : read.tail.length), 0);
    expect(states).toBeLessThanOrEqual(BATCHES);
  });

  test('damaged bytes are an error and not an empty baseline', async () => {
    await store.append(ACCOUNT, SOURCE, { id: 'a', state: new Uint8Array(50) });
    const error = await new Replica(store).load(ACCOUNT, SOURCE).catch(error => error);
    expect(error).toBeInstanceOf(DamagedBytes);
  });
});

async function appended(): Promise<{ id: string; state: Uint8Array }> {
  await new Replica(store).learn(ACCOUNT, 'template', simple(1));
  return (await store.read(ACCOUNT, 'template')).tail[0]!;
}

/** The store, but for some of its methods. */
const changed = (inner: BaselineStore, change: Partial<BaselineStore>): BaselineStore =>
  new Proxy(inner, {
    get(target, name) {
      const own = change[name as keyof BaselineStore];
      const found = own ?? target[name as keyof BaselineStore];
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });

/** A store whose calls are begun and answered in an order that the scheduler chooses. */
function slowed(inner: BaselineStore, scheduler: fc.Scheduler): BaselineStore {
  const slow = async <T>(call: () => Promise<T>): Promise<T> => {
    await scheduler.schedule(Promise.resolve());
    const answer = await call();
    await scheduler.schedule(Promise.resolve());
    return answer;
  };
  return changed(inner, {
    read: (...call) => slow(() => inner.read(...call)),
    append: (...call) => slow(() => inner.append(...call)),
    fold: (...call) => slow(() => inner.fold(...call)),
    keepVersion: (...call) => slow(() => inner.keepVersion(...call)),
    versions: (...call) => slow(() => inner.versions(...call)),
  });
}
