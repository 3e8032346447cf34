/** What is handed to kafkajs. */
import { expect, test } from 'bun:test';
import { MessageHeaders } from '../../src/stream/headers.ts';
import { partsOf, partsOfPartitions, topicMessagesOf } from '../../src/stream/kafka/records.ts';
import type { Outgoing } from '../../src/stream/port.ts';

/** Has no types: it is not part of what kafkajs exports. */
const { default: groupMessagesPerPartition } = await import(
  'kafkajs/src/producer/groupMessagesPerPartition.js' as string
);

const outgoing = (i: number, value: Buffer = Buffer.from(String(i))): Outgoing => ({
  topic: i % 3 === 0 ? 'held' : 'clean',
  partition: i % 2,
  key: null,
  value,
  headers: MessageHeaders.NONE,
  timestamp: 0n,
  instead: null,
});

test('kafkajs groups messages by partition as it groups plain arrays, in their order', () => {
  const [part] = [...partsOf(Array.from({ length: 20 }, (_, i) => outgoing(i)))];
  for (const { topic, messages } of topicMessagesOf(part!.messages)) {
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

test('a part has at most 768 KiB, unless one message has more: then it is alone, and compressed', () => {
  const sizes = [300, 300, 300, 1000, 768, 10];
  const large = sizes.map(size => outgoing(1, Buffer.alloc(size * 1024)));
  expect([...partsOf(large)].map(({ messages, isCompressed }) => [messages.length, isCompressed])).toEqual([
    [2, false],
    [1, false],
    [1, true],
    [1, true],
    [1, false],
  ]);
});

test('parts of partitions are each for one partition', () => {
  const parts = [...partsOfPartitions(Array.from({ length: 12 }, (_, i) => outgoing(i)))];
  expect(parts.map(({ messages }) => messages.map(({ value }) => String(value)))).toEqual([
    ['0', '6'],
    ['1', '5', '7', '11'],
    ['2', '4', '8', '10'],
    ['3', '9'],
  ]);
});
