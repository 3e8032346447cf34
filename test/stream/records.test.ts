/** What is handed to kafkajs. */
import { expect, test } from 'bun:test';
import { partsOf } from '../../src/stream/kafka/records.ts';
import type { Outgoing } from '../../src/stream/port.ts';

/** Has no types: it is not part of what kafkajs exports. */
const { default: groupMessagesPerPartition } = await import(
  'kafkajs/src/producer/groupMessagesPerPartition.js' as string
);

const outgoing = (i: number): Outgoing => ({
  topic: i % 3 === 0 ? 'held' : 'clean',
  partition: i % 2,
  key: null,
  value: Buffer.from(String(i)),
  headers: {},
  timestamp: '0',
});

test('kafkajs groups messages by partition as it groups plain arrays, in their order', () => {
  const [part] = [...partsOf(Array.from({ length: 20 }, (_, i) => outgoing(i)))];
  for (const { topic, messages } of part!) {
    const group = (each: typeof messages) =>
      groupMessagesPerPartition({
        topic,
        messages: each,
        partitionMetadata: [{}, {}],
        partitioner: ({ message }: { message: { partition: number } }) => message.partition,
      });
    expect(messages).toHaveLength(topic === 'held' ? 7 : 13);
    expect(group(messages)).toEqual(group([...messages]));
  }
});

test('a part has at most 768 KiB, unless one message has more', () => {
  const value = Buffer.alloc(300 * 1024);
  const large = [0, 1, 2, 3].map(i => ({ ...outgoing(1), value: i === 3 ? Buffer.alloc(1e6) : value }));
  expect([...partsOf(large)].map(([each]) => each!.messages.length)).toEqual([2, 1, 1]);
});
