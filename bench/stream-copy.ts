/**
 * Copies a topic in transactions with kafkajs: what a gate is compared with. Arguments: broker, group, from, to, and `plain` for kafkajs
 * alone; otherwise it reads and writes record batches as the gate does.
 */
import { type Consumer, Kafka, logLevel, type Producer } from 'kafkajs';
import { type FetchedPartition, replaceRequests } from '../src/stream/kafka/protocol.ts';
import { readBatches } from '../src/stream/kafka/record-batches.ts';
import { send } from '../src/stream/kafka/sender.ts';

const [broker, group, from, to, way] = process.argv.slice(2) as [string, string, string, string, string?];
/** Its default limit of a record batch is 1 MiB. */
const SENT_AT_ONCE = 3000;
const kafka = new Kafka({
  clientId: 'copy',
  brokers: [broker],
  logLevel: logLevel.NOTHING,
  retry: { initialRetryTime: 5, maxRetryTime: 1000, multiplier: 2, retries: 8 },
});
if (way !== 'plain') replaceRequests();
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
  eachBatchAutoResolve: way === 'plain',
  partitionsConsumedConcurrently: 4,
  async eachBatch({ batch, resolveOffset }) {
    const { partition } = batch;
    if (!producers.has(partition)) producers.set(partition, producerOf(partition));
    const producer = await producers.get(partition)!;
    const transaction = await producer.transaction();
    let last = Number(batch.lastOffset());
    if (way === 'plain') {
      const { messages } = batch;
      for (let start = 0; start < messages.length; start += SENT_AT_ONCE)
        await transaction.send({ topic: to, messages: messages.slice(start, start + SENT_AT_ONCE) as never });
    } else {
      const [fetched] = batch.messages as unknown as [FetchedPartition];
      const read = await readBatches({
        ...fetched,
        from: Number(fetched.offset),
        mostBytes: 32 * 1024 * 1024,
      });
      await send(
        transaction,
        read.messages.map(message => ({ ...message, topic: to, partition, instead: null })),
      );
      last = read.next - 1;
      resolveOffset(String(last));
    }
    const offset = String(last + 1);
    await transaction.sendOffsets({
      consumerGroupId: group,
      topics: [{ topic: from, partitions: [{ partition, offset }] }],
    });
    await transaction.commit();
  },
});
