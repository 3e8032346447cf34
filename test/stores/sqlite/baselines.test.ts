import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import '../../property/seed.ts';
import { Rejection } from '../../../src/terms/errors.ts';
import { SqliteBaselines } from '../../../src/stores/sqlite/baselines.ts';
import type { Known } from '../../../src/stores/ports.ts';
import { available } from '../../../src/stores/unavailable.ts';
import { baselineStoreContract } from '../../ports/baseline-store.ts';
import { foldersOfATest } from '../../folders.ts';

const newFolder = foldersOfATest();
const newPath = () => join(newFolder(), 'data', 'baselines.sqlite');

baselineStoreContract('SQLite', async () => {
  const path = newPath();
  const one = new SqliteBaselines(path);
  const other = new SqliteBaselines(path);
  return {
    one,
    other,
    close: async () => {
      one.close();
      other.close();
    },
  };
});

/** Makes the file one of version 1.0.0, which counts nothing. */
function withoutCounts(path: string): void {
  const file = new Database(path);
  const found = file
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    .all();
  for (const { name } of found)
    if (!/^(state_counts|baseline_gone)$/.test(name)) file.run(`DROP TRIGGER ${name}`);
  file.run('DROP TABLE kept');
  file.run('DROP TABLE size');
  file.close();
}

test('what a file of an older version holds is counted when it is opened, and from then on', async () => {
  const path = newPath();
  const before = new SqliteBaselines(path);
  const add = (store: SqliteBaselines, source: string, id: string) =>
    store.append('acc', source, { id, state: new Uint8Array(500) });
  for (const id of ['a', 'b', 'c']) await add(before, 'orders', id);
  await before.fold('acc', 'orders', await before.read('acc', 'orders'), new Uint8Array(99), ['a']);
  await before.keepVersion('acc', 'orders', '', new Uint8Array(77));
  await before.setTexts('acc', 'visits', { settings: null }, { settings: '{"é":1}' });
  await add(before, 'visits', 'a');
  const kept = await before.kept('acc');
  before.close();
  withoutCounts(path);
  const [one, other] = [new SqliteBaselines(path), new SqliteBaselines(path)];
  expect(await one.kept('acc')).toEqual(kept);
  expect(Date.now() - (await one.lastLearned('acc', 'visits'))).toBeLessThan(3_600_000);
  await other.reset('acc');
  for (const source of ['orders', 'visits']) await other.forget('acc', source);
  expect(await one.kept('acc')).toEqual({ sources: 0, bytes: 0 });
  one.close();
  other.close();
});

const unavailable = { code: 'SERVICE_UNAVAILABLE', status: 503, headers: { 'Retry-After': '1' } };

describe('SQLite', () => {
  test('acknowledged writes survive a killed process', async () => {
    const path = newPath();
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'append-forever.ts'), path], {
      stdout: 'pipe',
    });
    const acknowledged = await linesUntilKilled(child, 200);
    expect(child.signalCode).toBe('SIGKILL');
    const store = new SqliteBaselines(path);
    const stored = await store.read('acc', 'orders');
    const ids = new Set(stored.tail.map(state => state.id));
    expect(acknowledged.filter(id => !ids.has(id))).toEqual([]);
    expect(stored.sequence).toBe(stored.tail.length);
    await store.append('acc', 'orders', { id: 'after', state: new Uint8Array(1) });
    store.close();
  });

  test('while another process holds the lock, writes are unavailable and reads work', async () => {
    const path = newPath();
    const store = new SqliteBaselines(path, 0);
    await store.append('acc', 'orders', { id: 'a', state: new Uint8Array(1) });
    const holder = new Database(path);
    holder.exec('BEGIN IMMEDIATE');
    const refused = await store
      .append('acc', 'orders', { id: 'b', state: new Uint8Array(1) })
      .catch(error => error);
    expect(refused).toBeInstanceOf(Rejection);
    expect(refused).toMatchObject(unavailable);
    await expect(store.reset('acc')).rejects.toMatchObject(unavailable);
    expect((await store.read('acc', 'orders')).tail).toHaveLength(1);
    holder.exec('ROLLBACK');
    holder.close();
    await store.append('acc', 'orders', { id: 'b', state: new Uint8Array(1) });
    expect((await store.read('acc', 'orders')).tail).toHaveLength(2);
    store.close();
  });

  test('what it knows without reading is what another connection reads, whoever writes', async () => {
    const store = fc.nat({ max: 1 });
    const change = fc.oneof(
      { weight: 6, arbitrary: fc.record({ what: fc.constant('append' as const), store, id: fc.nat(8) }) },
      fc.record({
        what: fc.constantFrom('appends', 'fold', 'withdraw', 'reset', 'pin', 'block', 'settings', 'restore'),
        store,
        id: fc.nat(8),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 25 }), async changes => {
        const path = newPath();
        const stores = [new SqliteBaselines(path), new SqliteBaselines(path)] as const;
        const knowns: Known[] = [{ generation: '', version: 0, sequence: 0 }];
        const read = (known?: Known) => stores[0].read('acc', 'orders', known);
        for (const { what, store, id } of changes) {
          const by = stores[store]!;
          const name = `id${id}`;
          if (what === 'append') await by.append('acc', 'orders', { id: name, state: new Uint8Array([id]) });
          else if (what === 'appends')
            await Promise.all(
              [id, id + 1, id, 8 - id].map(n =>
                by.append('acc', n === 8 ? 'visits' : 'orders', { id: `id${n}`, state: new Uint8Array([n]) }),
              ),
            );
          else if (what === 'withdraw') await by.withdraw('acc', 'orders', name);
          else if (what === 'reset') await by.reset('acc', id % 2 ? 'orders' : undefined);
          else if (what === 'pin') await by.setPinned('acc', 'orders', id % 2 === 0);
          else if (what === 'settings')
            await by.setTexts(
              'acc',
              'orders',
              { settings: (await by.read('acc', 'orders')).notes.settings },
              { settings: name },
            );
          else if (what === 'block')
            await by.noteRun('acc', 'orders', { since: name, last: name, causes: '' });
          else {
            const now = await by.read('acc', 'orders');
            const taken = now.tail.slice(0, id).map(state => state.id);
            if (what === 'fold') await by.fold('acc', 'orders', now, new Uint8Array([id]), taken);
            else await by.restore('acc', 'orders', now, new Uint8Array([id]));
          }
          const fresh = new SqliteBaselines(path);
          // The newest first: it is what a cache asks with.
          for (const known of [...knowns].reverse())
            expect(await read(known)).toEqual(await fresh.read('acc', 'orders', known));
          fresh.close();
          const { generation, version, sequence } = await read();
          knowns.push({ generation, version, sequence });
        }
        for (const each of stores) each.close();
      }),
      { numRuns: 40 },
    );
  });

  test('a file of 1.0.0, whose baselines store their sequence with every state, goes on where it was', async () => {
    const path = newPath();
    const state = (id: string) => ({ id, state: new Uint8Array([1]) });
    const first = new SqliteBaselines(path);
    for (const id of ['a', 'b', 'c']) await first.append('acc', 'orders', state(id));
    await first.fold('acc', 'orders', await first.read('acc', 'orders'), new Uint8Array(9), ['a', 'b']);
    first.close();
    const old = new Database(path);
    old.exec(`CREATE TRIGGER state_counts AFTER INSERT ON state BEGIN
      UPDATE baseline SET sequence = NEW.sequence WHERE key = NEW.baseline; END`);
    old.exec("INSERT INTO state SELECT key, 4, 'd', x'01' FROM baseline");
    expect(old.query('SELECT sequence FROM baseline').get()).toEqual({ sequence: 4 });
    old.close();
    const store = new SqliteBaselines(path);
    const before = await store.read('acc', 'orders');
    expect([before.sequence, before.tail.map(({ id }) => id)]).toEqual([4, ['c', 'd']]);
    await store.append('acc', 'orders', state('e'));
    await store.withdraw('acc', 'orders', 'e');
    await store.append('acc', 'orders', state('f'));
    const after = await store.read('acc', 'orders', before);
    expect([after.sequence, after.tail.map(({ id }) => id)]).toEqual([6, ['c', 'd', 'f']]);
    store.close();
  });

  test('a full disk is unavailable, a wrong statement is a bug', async () => {
    const database = new Database(':memory:');
    database.exec('PRAGMA max_page_count = 4; CREATE TABLE t (b BLOB)');
    const fill = (): unknown => database.run('INSERT INTO t VALUES (zeroblob(100000))');
    await expect(available(fill)).rejects.toMatchObject(unavailable);
    const wrong = await available(() => database.run('SELECT nothing')).catch(error => error);
    expect(wrong).not.toBeInstanceOf(Rejection);
    database.close();
  });
});

/** Kills a process once it has printed `count` lines; all whole lines that it printed. */
async function linesUntilKilled(
  child: Bun.Subprocess<'ignore', 'pipe', 'inherit'>,
  count: number,
): Promise<string[]> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (text.split('\n').length > count) child.kill('SIGKILL');
  }
  await child.exited;
  return text.split('\n').slice(0, -1);
}
