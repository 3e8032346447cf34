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

    const become = (heard: string[], told: string[]) =>
      eventually(async () => {
        pair.one.catchUp();
        pair.other.catchUp();
        expect([...heard].sort()).toEqual(told.toSorted());
      });

    test('nothing is heard that was told before', async () => {
      await pair.one.tell('before');
      const heard = await hearing(pair.one);
      await pair.other.tell('after');
      await become(heard, ['after']);
    });

    test('what one tells is heard by all, itself too', async () => {
      const heard = [await hearing(pair.one), await hearing(pair.other)];
      const told = ['ab'.repeat(32), 'account:acc_1', '', '{"announced":"x"}', 'é\u0000\n', '__proto__'];
      for (const message of told) await pair.one.tell(message);
      for (const messages of heard) await become(messages, told);
    });

    test('both tell', async () => {
      const heard = [await hearing(pair.one), await hearing(pair.other)];
      await pair.one.tell('one');
      await pair.other.tell('other');
      for (const messages of heard) await become(messages, ['one', 'other']);
    });

    test('telling where nobody hears is no error', async () => {
      await pair.one.tell('x');
    });
  });
}
