/** What all Announcements do. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Announcements } from '../../src/stores/ports.ts';
import { eventually } from '../servers/process.ts';

export interface AnnouncementsPair {
  one: Announcements;
  other: Announcements;
  close(): Promise<void>;
}

/** `open`: two replicas that share nothing but the store. */
export function announcementsContract(name: string, open: () => Promise<AnnouncementsPair>): void {
  describe(`${name} as Announcements`, () => {
    let pair: AnnouncementsPair;
    beforeEach(async () => {
      pair = await open();
    });
    afterEach(() => pair.close());

    /** What a replica hears from now on. */
    async function heardBy(replica: Announcements): Promise<string[]> {
      const heard: string[] = [];
      await replica.hear(message => heard.push(message));
      return heard;
    }

    const become = (replica: Announcements, heard: string[], expected: string[]) =>
      eventually(async () => {
        replica.catchUp();
        expect(heard).toEqual(expected);
      });

    test('what one tells is heard by the other, in its order, and by itself', async () => {
      const [own, others] = [await heardBy(pair.one), await heardBy(pair.other)];
      await pair.one.tell('a');
      await pair.one.tell('account:\u00e9');
      await become(pair.other, others, ['a', 'account:\u00e9']);
      await become(pair.one, own, ['a', 'account:\u00e9']);
      await pair.other.tell('b');
      await become(pair.one, own, ['a', 'account:\u00e9', 'b']);
    });

    test('nothing is heard that was told before', async () => {
      await pair.one.tell('before');
      const heard = await heardBy(pair.one);
      await pair.other.tell('after');
      await become(pair.one, heard, ['after']);
    });
  });
}
