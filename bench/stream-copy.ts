/** Copies a topic in transactions with kafkajs and nothing else: what a gate is compared with. Arguments: broker, group, from, to. */
import { type Consumer, Kafka, logLevel, type Producer } from 'kafkajs';

const [broker, group, from, to] = process.argv.slice(2) as [string, string, string, string];
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
    const messages = batch.messages.map(({ key, value, headers, timestamp }) => ({
      key,
      value,
      ...(headers && { headers }),
      timestamp,
      partition,
    }));
    // A record batch may have 1 MiB.
    for (let start = 0; start < messages.length; start += 3000)
      await transaction.send({ topic: to, messages: messages.slice(start, start + 3000) });
    const offset = String(Number(batch.lastOffset()) + 1);
    await transaction.sendOffsets({
      consumerGroupId: group,
      topics: [{ topic: from, partitions: [{ partition, offset }] }],
    });
    await transaction.commit();
  },
});
