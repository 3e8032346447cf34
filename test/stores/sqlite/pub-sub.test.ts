import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SqlitePubSub } from '../../../src/stores/sqlite/pub-sub.ts';
import { pubSubContract } from '../../ports/pub-sub.ts';
import { foldersOfATest } from '../../folders.ts';

const newFolder = foldersOfATest();
const newPath = () => join(newFolder(), 'announcements.sqlite');

pubSubContract('SQLite', async () => {
  const path = newPath();
  const [one, other] = [new SqlitePubSub(path), new SqlitePubSub(path)];
  return {
    one,
    other,
    close: async () => {
      one.close();
      other.close();
    },
  };
});

test('a published message arrives at the next poll', async () => {
  const path = newPath();
  const [one, other] = [new SqlitePubSub(path), new SqlitePubSub(path)];
  const received: string[] = [];
  await other.subscribe(message => received.push(message));
  for (let i = 0; i < 350; i++) {
    await one.publish(String(i));
    if (i % 7 === 0) other.poll();
    if (i % 7 === 0) expect(received.length).toBe(i + 1);
  }
  one.close();
  other.close();
});

test('an unreadable file is no error, and messages arrive when it is readable again', async () => {
  const path = newPath();
  const [one, other] = [new SqlitePubSub(path), new SqlitePubSub(path)];
  const received: string[] = [];
  await other.subscribe(message => received.push(message));
  await one.publish('a');
  new Database(path).run('PRAGMA wal_checkpoint(TRUNCATE)');
  const good = readFileSync(path);
  writeFileSync(path, new Uint8Array(good.length).fill(7));
  other.poll();
  expect(received).toEqual([]);
  writeFileSync(path, good);
  await one.publish('b');
  other.poll();
  expect(received).toEqual(['a', 'b']);
  one.close();
  other.close();
});

test('the newest thousand messages are kept for late polls', async () => {
  const path = newPath();
  const [one, other] = [new SqlitePubSub(path), new SqlitePubSub(path)];
  const received: string[] = [];
  await other.subscribe(message => received.push(message));
  for (let i = 0; i <= 1000; i++) await one.publish(String(i));
  other.poll();
  expect([received.length, received[0], received.at(-1)]).toEqual([1000, '1', '1000']);
  one.close();
  other.close();
});
