/**
 * Writes what comes of one input partition, in transactions.
 *
 * kafkajs commits offsets in a transaction without the member and generation of the group (KIP-447), so Kafka cannot refuse a
 * process that has lost its partition meanwhile. Instead each input partition has a transactional id of its own, as Kafka
 * Streams had before 2.6. To initialise it ends the transaction of the writer before, and makes Kafka refuse that writer for
 * good. Only then are the offsets read: nobody else can move them afterwards.
 */
import type { Kafka as Client, Producer, Transaction } from 'kafkajs';
import type { Outgoing, Position, TopicPartition, Writer } from '../port.ts';
import { failureOf, isConcurrent } from './failures.ts';
import { partsOf } from './records.ts';

/** Readers of a topic wait at a transaction for so long if its writer is killed and no other one takes over. */
const TRANSACTION_MS = 30_000;
/** The last transaction is ended within milliseconds, unless brokers are restarting. */
const CONCURRENT_TRIES = 12;
const CONCURRENT_MS = 2;
const MOST_CONCURRENT_MS = 1000;

export class TransactionWriter implements Writer {
  readonly #producer: Producer;
  readonly #group: string;
  readonly #input: TopicPartition;
  /** Begun, and empty: `initialise` needs one. */
  #begun: Transaction | null;
  position: Position | null = null;

  private constructor(producer: Producer, group: string, input: TopicPartition, begun: Transaction) {
    this.#producer = producer;
    this.#group = group;
    this.#input = input;
    this.#begun = begun;
  }

  /** `position` reads what the group has committed. */
  static async open(
    client: Client,
    group: string,
    input: TopicPartition,
    position: () => Promise<Position | null>,
  ): Promise<TransactionWriter> {
    const transactionalId = `sluice-${group}-${input.topic}-${input.partition}`;
    const producer = client.producer({
      transactionalId,
      idempotent: true,
      maxInFlightRequests: 1,
      transactionTimeout: TRANSACTION_MS,
      allowAutoTopicCreation: false,
    });
    try {
      await producer.connect();
      // kafkajs initialises with the first transaction. Kafka knows of it only when something is sent.
      const writer = new TransactionWriter(producer, group, input, await producer.transaction());
      writer.position = await position();
      return writer;
    } catch (error) {
      void producer.disconnect().catch(() => {});
      throw failureOf(error, `cannot open the writer of ${input.topic}/${input.partition}`);
    }
  }

  async commit(messages: readonly Outgoing[], { offset, note }: Position): Promise<void> {
    const { topic, partition } = this.#input;
    const offsets = [{ partition, offset: String(offset), metadata: note }];
    try {
      const transaction = this.#begun ?? (await this.#producer.transaction());
      this.#begun = null;
      for (const topicMessages of partsOf(messages))
        await retried(() => transaction.sendBatch({ topicMessages, acks: -1 }));
      await retried(() =>
        transaction.sendOffsets({ consumerGroupId: this.#group, topics: [{ topic, partitions: offsets }] }),
      );
      await transaction.commit();
      this.position = { offset, note };
    } catch (error) {
      throw failureOf(error, `cannot write what came of ${topic}/${partition}`);
    }
  }

  /** A transaction that is open is ended by the next writer, or when its time is over. */
  async close(): Promise<void> {
    await this.#producer.disconnect().catch(() => {});
  }
}

/** Nothing has happened when the coordinator says that it still ends the last transaction. */
async function retried(send: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      await send();
      return;
    } catch (error) {
      if (!isConcurrent(error) || tries === CONCURRENT_TRIES) throw error;
      await Bun.sleep(Math.min(MOST_CONCURRENT_MS, CONCURRENT_MS * 2 ** tries));
    }
}
