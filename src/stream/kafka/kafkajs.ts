/** The port on kafkajs. */
import type { Admin, Kafka as Client } from 'kafkajs';
import type { Logger } from 'pino';
import type { StreamConfig } from '../config.ts';
import {
  type Handlers,
  type Kafka,
  KafkaFailure,
  type Position,
  type Reader,
  type TopicPartition,
} from '../port.ts';
import { inTime } from '../in-time.ts';
import { openClient } from './client.ts';
import { failureOf } from './failures.ts';
import { GroupReader } from './reader.ts';
import { TransactionWriter } from './writer.ts';

const COUNT_KEPT_MS = 30_000;
const ASK_MS = 45_000;
const SILENT_MS = 30_000;

export class KafkajsKafka implements Kafka {
  readonly #client: Client;
  readonly #config: StreamConfig;
  readonly #counts = new Map<string, { count: number; at: number }>();
  #admin: Promise<Admin> | null = null;

  /** Throws `StreamConfigError` for a file that cannot be read. */
  constructor(config: StreamConfig, log: Logger) {
    this.#config = config;
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
    const { topics } = await this.#ask(`the topic ${topic}`, admin =>
      admin.fetchTopicMetadata({ topics: [topic] }),
    );
    const count = topics[0]?.partitions.length ?? 0;
    if (count === 0) throw new KafkaFailure('missing_topic', `the topic ${topic} has no partitions`);
    return count;
  }

  async beginningOf({ topic, partition }: TopicPartition): Promise<number> {
    const offsets = await this.#ask(`the topic ${topic}`, admin => admin.fetchTopicOffsets(topic));
    return Number(offsets.find(each => each.partition === partition)?.low ?? 0);
  }

  read(topics: readonly string[], handlers: Handlers): Reader {
    // A rebalance waits for the slowest member, a session at most, before and after which a fetch may time out.
    const silentMs = 2 * this.#config.sessionMs + SILENT_MS;
    return GroupReader.start(this.#client, { ...this.#config, silentMs }, topics, handlers);
  }

  openWriter(input: TopicPartition): Promise<TransactionWriter> {
    return TransactionWriter.open(this.#client, this.#config.group, input, () => this.#positionOf(input));
  }

  async close(): Promise<void> {
    await (await this.#admin?.catch(() => null))?.disconnect();
  }

  async #positionOf({ topic, partition }: TopicPartition): Promise<Position | null> {
    const { group: groupId } = this.#config;
    const groups = await this.#ask(`offsets of the group ${groupId}`, admin =>
      admin.fetchOffsets({ groupId, topics: [topic] }),
    );
    const found = groups[0]?.partitions.find(each => each.partition === partition);
    const offset = Number(found?.offset ?? -1);
    return offset < 0 ? null : { offset, note: found?.metadata ?? '' };
  }

  /** A connection that failed is not used again. */
  async #ask<T>(what: string, ask: (admin: Admin) => Promise<T>): Promise<T> {
    this.#admin ??= connected(this.#client.admin());
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
}

async function connected(admin: Admin): Promise<Admin> {
  await admin.connect();
  return admin;
}
