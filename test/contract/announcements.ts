/** What all Announcements do. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Announcements } from '../../src/stores/ports.ts';
import { eventually } from '../servers/process.ts';

/** Two replicas that hear each other. */
export interface AnnouncementPair {
  one: Announcements;
  other: Announcements;
  close(): Promise<void>;
}

export function announcementsContract(name: string, open: () => Promise<AnnouncementPair>): void {
  describe(`${name} as Announcements`, () => {
    let pair: AnnouncementPair;
    beforeEach(async () => {
      pair = await open();
    });
    afterEach(() => pair.close());

    const hearing = async (announcements: Announcements): Promise<string[]> => {
      const heard: string[] = [];
      await announcements.hear(message => heard.push(message));
      return heard;
    };

    /** Until each is heard: nothing rests on a message, so one that gets lost on the way may be told again. */
    const become = (heard: string[], told: string[], by: Announcements) =>
      eventually(async () => {
        pair.one.catchUp();
        pair.other.catchUp();
        const missing = told.filter(message => !heard.includes(message));
        if (missing.length === 0) return;
        for (const message of missing) await by.tell(message);
        throw new Error(`${JSON.stringify(missing)} was not heard`);
      });

    // The first, as what other tests tell may still be on its way through a cluster.
    test('what one tells is heard by all, itself too', async () => {
      const heard = [await hearing(pair.one), await hearing(pair.other)];
      const told = ['ab'.repeat(32), 'account:acc_1', '', '{"announced":"x"}', 'é\u0000\n', '__proto__'];
      for (const message of told) await pair.one.tell(message);
      for (const messages of heard) await become(messages, told, pair.one);
      for (const messages of heard) expect([...new Set(messages)].sort()).toEqual(told.toSorted());
    });

    test('nothing is heard that was told before', async () => {
      await pair.one.tell('before');
      const heard = await hearing(pair.one);
      await become(heard, ['after'], pair.other);
      expect(heard).not.toContain('before');
    });

    test('both tell', async () => {
      const heard = [await hearing(pair.one), await hearing(pair.other)];
      for (const messages of heard) await become(messages, ['one'], pair.one);
      for (const messages of heard) await become(messages, ['other'], pair.other);
    });

    test('telling where nobody hears is no error', async () => {
      await pair.one.tell('x');
    });
  });
}
