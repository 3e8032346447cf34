/** What all PubSub do. Each implementation runs this suite on itself. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { PubSub } from '../../src/stores/ports.ts';
import { eventually } from '../servers/process.ts';

/** Two replicas that hear each other. */
export interface PubSubPair {
  one: PubSub;
  other: PubSub;
  close(): Promise<void>;
}

export function pubSubContract(name: string, open: () => Promise<PubSubPair>): void {
  describe(`${name} as PubSub`, () => {
    let pair: PubSubPair;
    beforeEach(async () => {
      pair = await open();
    });
    afterEach(() => pair.close());

    const subscriber = async (pubSub: PubSub): Promise<string[]> => {
      const received: string[] = [];
      await pubSub.subscribe(message => received.push(message));
      return received;
    };

    /** Publishes until each message is received: messages may get lost, so they may be published again. */
    const become = (received: string[], published: string[], by: PubSub) =>
      eventually(async () => {
        pair.one.poll();
        pair.other.poll();
        const missing = published.filter(message => !received.includes(message));
        if (missing.length === 0) return;
        for (const message of missing) await by.publish(message);
        throw new Error(`${JSON.stringify(missing)} was not received`);
      });

    // Runs first, because messages of other tests may still arrive in a cluster.
    test('a message reaches all subscribers, including the publisher', async () => {
      const received = [await subscriber(pair.one), await subscriber(pair.other)];
      const published = ['ab'.repeat(32), 'account:acc_1', '', '{"announced":"x"}', 'é\u0000\n', '__proto__'];
      for (const message of published) await pair.one.publish(message);
      for (const messages of received) await become(messages, published, pair.one);
      for (const messages of received) expect([...new Set(messages)].sort()).toEqual(published.toSorted());
    });

    test('a subscriber gets no earlier messages', async () => {
      await pair.one.publish('before');
      const received = await subscriber(pair.one);
      await become(received, ['after'], pair.other);
      expect(received).not.toContain('before');
    });

    test('both sides can publish', async () => {
      const received = [await subscriber(pair.one), await subscriber(pair.other)];
      for (const messages of received) await become(messages, ['one'], pair.one);
      for (const messages of received) await become(messages, ['other'], pair.other);
    });

    test('publishing without a subscriber is no error', async () => {
      await pair.one.publish('x');
    });
  });
}
