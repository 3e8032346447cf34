import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedAnnouncements } from '../../src/stores/embedded-announcements.ts';
import { announcementsContract } from '../contract/announcements.ts';
import { foldersOfATest } from '../folders.ts';

const newFolder = foldersOfATest();
const newPath = () => join(newFolder(), 'announcements.sqlite');

announcementsContract('SQLite', async () => {
  const path = newPath();
  const [one, other] = [new EmbeddedAnnouncements(path), new EmbeddedAnnouncements(path)];
  return {
    one,
    other,
    close: async () => {
      one.close();
      other.close();
    },
  };
});

test('what was told is heard at the next look, without any waiting', async () => {
  const path = newPath();
  const [one, other] = [new EmbeddedAnnouncements(path), new EmbeddedAnnouncements(path)];
  const heard: string[] = [];
  await other.hear(message => heard.push(message));
  for (let i = 0; i < 350; i++) {
    await one.tell(String(i));
    if (i % 7 === 0) other.catchUp();
    if (i % 7 === 0) expect(heard.length).toBe(i + 1);
  }
  one.close();
  other.close();
});

test('a file that cannot be read is no reason to fail, and what was told is heard once it can', async () => {
  const path = newPath();
  const [one, other] = [new EmbeddedAnnouncements(path), new EmbeddedAnnouncements(path)];
  const heard: string[] = [];
  await other.hear(message => heard.push(message));
  await one.tell('a');
  new Database(path).run('PRAGMA wal_checkpoint(TRUNCATE)');
  const good = readFileSync(path);
  writeFileSync(path, new Uint8Array(good.length).fill(7));
  other.catchUp();
  expect(heard).toEqual([]);
  writeFileSync(path, good);
  await one.tell('b');
  other.catchUp();
  expect(heard).toEqual(['a', 'b']);
  one.close();
  other.close();
});

test('the newest thousand are kept for those who have yet to look', async () => {
  const path = newPath();
  const [one, other] = [new EmbeddedAnnouncements(path), new EmbeddedAnnouncements(path)];
  const heard: string[] = [];
  await other.hear(message => heard.push(message));
  for (let i = 0; i <= 1000; i++) await one.tell(String(i));
  other.catchUp();
  expect([heard.length, heard[0], heard.at(-1)]).toEqual([1000, '1', '1000']);
  one.close();
  other.close();
});
