/** The faults of kafkajs that `src/stream/kafka/patches.ts` is for. Where one of these tests fails, the patch that it names may go. */
import { expect, test } from 'bun:test';

/** Modules that kafkajs does not export, unpatched. */
function unpatched(file: string) {
  const path = require.resolve(`kafkajs/src/${file}`);
  const patched = require.cache[path];
  delete require.cache[path];
  const found = require(path);
  if (patched) require.cache[path] = patched;
  return found;
}

test('kafkajs copies all messages before a message of a partition: groupedByPartition', () => {
  const copies = new Set<unknown>();
  const messages = {
    reduce(
      step: (groups: Record<number, unknown>, message: number) => Record<number, unknown>,
      first: object,
    ) {
      let groups: Record<number, unknown> = { ...first };
      for (const message of [1, 2, 3, 4]) {
        groups = step(groups, message);
        copies.add(groups[0]);
      }
      return groups;
    },
  };
  const group = unpatched('producer/groupMessagesPerPartition.js');
  expect(group({ topic: 't', partitionMetadata: [{}], messages, partitioner: () => 0 })).toEqual({
    0: [1, 2, 3, 4],
  });
  expect(copies.size).toBe(4);
});

test('kafkajs checks an empty queue again and again: restEmptyQueues', () => {
  const RequestQueue = unpatched('network/requestQueue/index.js');
  const queue = new RequestQueue({ maxInFlightRequests: 1, requestTimeout: 1, enforceRequestTimeout: false });
  queue.scheduleCheckPendingRequests();
  expect(queue.throttleCheckTimeoutId).not.toBeNull();
  clearTimeout(queue.throttleCheckTimeoutId);
});
