/**
 * Copies a topic in transactions with kafkajs: what a gate is compared with. Arguments: broker, group, from, to, and `plain` for kafkajs
 * alone, without the gate's way around its grouping of messages.
 */
import { type Consumer, Kafka, logLevel, type Producer } from 'kafkajs';
import { messagesOf, partsOf } from '../src/stream/kafka/records.ts';

const [broker, group, from, to, way] = process.argv.slice(2) as [string, string, string, string, string?];
/** Its default limit of a record batch is 1 MiB. */
const SENT_AT_ONCE = 3000;
const kafka = new Kafka({
  clientId: 'copy',
  brokers: [broker],
  logLevel: logLevel.NOTHING,
  retry: { initialRetryTime: 5, maxRetryTime: 1000, multiplier: 2, retries: 8 },
});
const producers = new Map<number, Promise<Producer>>();

async function producerOf(partition: number): Promise<Producer> {
  const producer = kafka.producer({
    transactionalId: `${group}-${partition}`,
    idempotent: true,
    maxInFlightRequests: 1,
  });
  await producer.connect();
  return producer;
}

/** As many bytes as a window of the gate has, so that transactions are as large. */
const consumer: Consumer = kafka.consumer({
  groupId: group,
  maxBytesPerPartition: 1_300_000,
  maxWaitTimeInMs: 500,
});
await consumer.connect();
await consumer.subscribe({ topics: [from], fromBeginning: true });
await consumer.run({
  autoCommit: false,
  eachBatchAutoResolve: true,
  partitionsConsumedConcurrently: 4,
  async eachBatch({ batch }) {
    const { partition } = batch;
    if (!producers.has(partition)) producers.set(partition, producerOf(partition));
    const producer = await producers.get(partition)!;
    const transaction = await producer.transaction();
    const messages = messagesOf(batch).map(message => ({ ...message, topic: to, partition }));
    if (way !== 'plain')
      for (const topicMessages of partsOf(messages)) await transaction.sendBatch({ topicMessages });
    else
      for (let start = 0; start < messages.length; start += SENT_AT_ONCE)
        await transaction.send({ topic: to, messages: messages.slice(start, start + SENT_AT_ONCE) as never });
    const offset = String(Number(batch.lastOffset()) + 1);
    await transaction.sendOffsets({
      consumerGroupId: group,
      topics: [{ topic: from, partitions: [{ partition, offset }] }],
    });
    await transaction.commit();
  },
});
