import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedAnnouncements } from '../../src/stores/embedded-announcements.ts';
import { announcementsContract } from '../contract/announcements.ts';

const folders: string[] = [];
const newPath = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
  folders.push(folder);
  return join(folder, 'announcements.sqlite');
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

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
  for (let i = 0; i < 2000; i++) {
    await one.tell(String(i));
    if (i % 7 === 0) other.catchUp();
    if (i % 7 === 0) expect(heard.length).toBe(i + 1);
  }
  one.close();
  other.close();
});
