/**
 * Writes what comes of one input partition, in transactions.
 *
 * kafkajs commits offsets in a transaction without the member and generation of the group (KIP-447), so Kafka cannot refuse a
 * process that has lost its partition meanwhile. Instead each input partition has a transactional id of its own, as Kafka
 * Streams had before 2.6. To initialise it ends the transaction of the writer before, and makes Kafka refuse that writer for
 * good. Only then are the offsets read: nobody else can move them afterwards.
 */
import type { Kafka as Client, Producer, Transaction } from 'kafkajs';
import type { Outgoing, Position, Refusal, TopicPartition, Writer } from '../port.ts';
import { failureOf, isRefusal } from './failures.ts';
import { retried, send, sendCarefully } from './sender.ts';

/** Readers of a topic wait at a transaction for so long if its writer is killed and no other one takes over. */
const TRANSACTION_MS = 30_000;

/** What a writer is opened with. */
export interface Opening {
  group: string;
  input: TopicPartition;
  /** Finds out which messages the broker refuses, and writes their replacements. Slower. */
  isCareful: boolean;
  /** Called when the broker has refused a message. */
  onRefusal(): void;
  /** The committed offsets of the group in the topic, by partition. */
  positions(): Promise<ReadonlyMap<number, Position>>;
}

export class TransactionWriter implements Writer {
  readonly #producer: Producer;
  readonly #opening: Opening;
  /** Begun, and empty: `initialise` needs one. */
  #begun: Transaction | null;
  positions: ReadonlyMap<number, Position> = new Map();

  private constructor(producer: Producer, opening: Opening, begun: Transaction) {
    this.#producer = producer;
    this.#opening = opening;
    this.#begun = begun;
  }

  static async open(client: Client, opening: Opening): Promise<TransactionWriter> {
    const { group, input } = opening;
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
      const writer = new TransactionWriter(producer, opening, await producer.transaction());
      writer.positions = await opening.positions();
      return writer;
    } catch (error) {
      void producer.disconnect().catch(() => {});
      throw failureOf(error, `cannot open the writer of ${input.topic}/${input.partition}`);
    }
  }

  async commit(messages: readonly Outgoing[], { offset, note }: Position): Promise<readonly Refusal[]> {
    const { group, input, isCareful, onRefusal } = this.#opening;
    const { topic, partition } = input;
    const offsets = [{ partition, offset: String(offset), metadata: note }];
    try {
      const transaction = this.#begun ?? (await this.#producer.transaction());
      this.#begun = null;
      const refusals = isCareful ? await sendCarefully(transaction, messages) : [];
      if (!isCareful) await send(transaction, messages);
      await retried(() =>
        transaction.sendOffsets({ consumerGroupId: group, topics: [{ topic, partitions: offsets }] }),
      );
      await transaction.commit();
      return refusals;
    } catch (error) {
      const failure = failureOf(error, `cannot write what came of ${topic}/${partition}`);
      if (isRefusal(failure)) onRefusal();
      throw failure;
    }
  }

  /** A transaction that is open is ended by the next writer, or when its time is over. */
  async close(): Promise<void> {
    await this.#producer.disconnect().catch(() => {});
  }
}
