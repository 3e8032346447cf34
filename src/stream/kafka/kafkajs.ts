/** The port on kafkajs. */
import type { Admin, Kafka as Client } from 'kafkajs';
import type { Logger } from 'pino';
import type { StreamConfig } from '../config.ts';
import {
  type Handlers,
  type Kafka,
  KafkaFailure,
  type PartitionLog,
  type Position,
  type Reader,
  type TopicPartition,
} from '../port.ts';
import { inTime } from '../in-time.ts';
import { openClient } from './client.ts';
import { failureOf } from './failures.ts';
import { HIGH_WATERMARK } from './protocol.ts';
import { GroupReader } from './reader.ts';
import { TransactionWriter } from './writer.ts';

const COUNT_KEPT_MS = 30_000;
const ASK_MS = 45_000;
const SILENT_MS = 30_000;

export class KafkajsKafka implements Kafka {
  readonly #client: Client;
  readonly #config: StreamConfig;
  readonly #mostBytes: number;
  readonly #counts = new Map<string, { count: number; at: number }>();
  /** Input partitions with a message that a broker refused. */
  readonly #refused = new Set<string>();
  #admin: Promise<Admin> | null = null;

  /** `mostBytes`: of a message. Throws `StreamConfigError` for a file that cannot be read. */
  constructor(config: StreamConfig, mostBytes: number, log: Logger) {
    this.#config = config;
    this.#mostBytes = mostBytes;
    this.#client = openClient(config, log);
  }

  /** A topic that got more partitions is noticed after a while: each window asks. */
  async partitionsOf(topic: string): Promise<number> {
    const known = this.#counts.get(topic);
    if (known && performance.now() - known.at < COUNT_KEPT_MS) return known.count;
    const count = await this.#countPartitions(topic);
    this.#counts.set(topic, { count, at: performance.now() });
    return count;
  }

  async #countPartitions(topic: string): Promise<number> {
    return (await this.#partitionsIn(topic)).length;
  }

  /** `protocol.ts` adds the id. */
  async #partitionsIn(topic: string): Promise<{ topicId?: string }[]> {
    const { topics } = await this.#ask(`the topic ${topic}`, admin =>
      admin.fetchTopicMetadata({ topics: [topic] }),
    );
    const partitions: { topicId?: string; partitionId: number }[] = topics[0]?.partitions ?? [];
    if (partitions.length === 0)
      throw new KafkaFailure('missing_topic', `the topic ${topic} has no partitions`);
    return partitions;
  }

  async logOf(at: TopicPartition, offset: number): Promise<PartitionLog> {
    const { topic } = at;
    const [{ topicId = null } = {}, ...more] = await this.#partitionsIn(topic);
    const { high, low } = await this.#askOf(at, admin => orNone(admin.fetchTopicOffsets(topic)));
    const log = { topicId, partitions: 1 + more.length, beginning: Number(low), end: Number(high) };
    if (offset <= log.end) return log;
    // The last stable offset is before the group's: a transaction is open, or messages are lost.
    const whole = await this.#askOf(at, admin =>
      orNone(admin.fetchTopicOffsetsByTimestamp(topic, HIGH_WATERMARK)),
    );
    return { ...log, end: Number(whole.offset) };
  }

  read(topics: readonly string[], handlers: Handlers): Reader {
    // A rebalance waits for the slowest member, a session at most, before and after which a fetch may time out.
    const silentMs = 2 * this.#config.sessionMs + SILENT_MS;
    const settings = { ...this.#config, silentMs, mostBytes: this.#mostBytes };
    return GroupReader.start(this.#client, settings, topics, handlers);
  }

  openWriter(input: TopicPartition): Promise<TransactionWriter> {
    const { group } = this.#config;
    const name = `${input.topic}/${input.partition}`;
    return TransactionWriter.open(this.#client, {
      group,
      input,
      isCareful: this.#refused.has(name),
      onRefusal: () => this.#refused.add(name),
      positions: () => this.#positionsOf(input),
    });
  }

  async close(): Promise<void> {
    await (await this.#admin?.catch(() => null))?.disconnect();
  }

  async #positionsOf(at: TopicPartition): Promise<ReadonlyMap<number, Position>> {
    const { group: groupId } = this.#config;
    const { topic } = at;
    let found: { partition: number; offset: string; metadata: string | null }[] = [];
    await this.#askOf(at, async admin => {
      found = (await admin.fetchOffsets({ groupId, topics: [topic] }))[0]?.partitions ?? [];
      return found;
    });
    return new Map(
      found
        .filter(({ offset }) => Number(offset) >= 0)
        .map(({ partition, offset, metadata }) => [
          partition,
          { offset: Number(offset), note: metadata ?? '' },
        ]),
    );
  }

  /** Asks about one partition. A connection that is older than the partition may not know it: then asks over a new one. */
  async #askOf<T extends { partition: number }>(
    { topic, partition }: TopicPartition,
    ask: (admin: Admin) => Promise<T[]>,
  ): Promise<T> {
    const what = `offsets of ${topic}`;
    const answer = (found: T[]) => found.find(each => each.partition === partition);
    const known = answer(await this.#ask(what, ask)) ?? answer(await this.#askAlone(what, ask));
    if (known === undefined)
      throw new KafkaFailure('missing_topic', `the topic ${topic} has no partition ${partition}`);
    return known;
  }

  /** Asks over a new connection, because others may be using the usual one. */
  async #askAlone<T>(what: string, ask: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = this.#connected();
    try {
      return await inTime(`Asking for ${what}`, ASK_MS, admin.then(ask));
    } catch (error) {
      throw failureOf(error, `cannot read ${what}`);
    } finally {
      void admin.then(each => each.disconnect()).catch(() => {});
    }
  }

  /** A connection that failed is not used again. */
  async #ask<T>(what: string, ask: (admin: Admin) => Promise<T>): Promise<T> {
    this.#admin ??= this.#connected();
    const asked = this.#admin;
    try {
      return await inTime(`Asking for ${what}`, ASK_MS, asked.then(ask));
    } catch (error) {
      // Another one that failed may have replaced it already.
      if (this.#admin === asked) this.#admin = null;
      void asked.then(admin => admin.disconnect()).catch(() => {});
      throw failureOf(error, `cannot read ${what}`);
    }
  }

  /** Asks for the topics one by one, before others use the connection: kafkajs forgets a topic that it is asked for while it loads another one. */
  async #connected(): Promise<Admin> {
    const admin = this.#client.admin();
    await admin.connect();
    for (const { topic } of this.#config.inputs) await admin.fetchTopicOffsets(topic).catch(() => {});
    return admin;
  }
}

/** kafkajs throws a TypeError where its connection does not know the topic yet. */
async function orNone<T>(offsets: Promise<T[]>): Promise<T[]> {
  try {
    return await offsets;
  } catch (error) {
    if (error instanceof TypeError) return [];
    throw error;
  }
}
