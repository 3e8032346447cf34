import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Rejection } from '../../src/errors.ts';
import { EmbeddedBaselines } from '../../src/stores/embedded.ts';
import { available } from '../../src/stores/unavailable.ts';
import { baselineStoreContract } from '../contract/baseline-store.ts';
import { foldersOfATest } from '../folders.ts';

const newFolder = foldersOfATest();
const newPath = () => join(newFolder(), 'data', 'baselines.sqlite');

baselineStoreContract('the embedded store', async () => {
  const path = newPath();
  const one = new EmbeddedBaselines(path);
  const other = new EmbeddedBaselines(path);
  return {
    one,
    other,
    close: async () => {
      one.close();
      other.close();
    },
  };
});

const unavailable = { code: 'SERVICE_UNAVAILABLE', status: 503, headers: { 'Retry-After': '1' } };

describe('the embedded store', () => {
  test('acknowledged writes survive a killed process', async () => {
    const path = newPath();
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'append-forever.ts'), path], {
      stdout: 'pipe',
    });
    const acknowledged = await linesUntilKilled(child, 200);
    expect(child.signalCode).toBe('SIGKILL');
    const store = new EmbeddedBaselines(path);
    const stored = await store.read('acc', 'orders');
    const ids = new Set(stored.tail.map(state => state.id));
    expect(acknowledged.filter(id => !ids.has(id))).toEqual([]);
    expect(stored.sequence).toBe(stored.tail.length);
    await store.append('acc', 'orders', { id: 'after', state: new Uint8Array(1) });
    store.close();
  });

  test('while another process holds the lock, writes are unavailable and reads work', async () => {
    const path = newPath();
    const store = new EmbeddedBaselines(path, 0);
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
