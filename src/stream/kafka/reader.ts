/** Reads topics as a member of a group. Offsets are never committed here: writers do, in their transactions. */
import type {
  Consumer,
  ConsumerCrashEvent,
  ConsumerGroupJoinEvent,
  EachBatchPayload,
  Kafka as Client,
} from 'kafkajs';
import type { StreamConfig } from '../config.ts';
import { type Handlers, KafkaFailure, type Reader, type TopicPartition } from '../port.ts';
import { failureOf } from './failures.ts';
import type { FetchedPartition } from './protocol.ts';
import { readBatches } from './record-batches.ts';

const HEARTBEATS_PER_SESSION = 10;
const MAX_HEARTBEAT_MS = 3000;
/** A fetch that finds nothing is answered after this time: the group must not wait longer for a heartbeat. */
const FETCH_WAIT_MS = 500;
/** At least one message is fetched, however large. */
const FETCH_BYTES = 16 * 1024 * 1024;
const PARTITION_BYTES = 1024 * 1024;
/** Handlers only store messages. */
const CONCURRENT_PARTITIONS = 8;
/** How often new partitions of a topic are looked for. The default of kafkajs is five minutes. */
const METADATA_MS = 5000;
const RESTART_MS = 1000;
/** Looks are counted, not time: a process that was suspended has not waited. */
const LOOKS = 20;

export interface ReaderSettings extends Pick<StreamConfig, 'group' | 'sessionMs' | 'from'> {
  /** A consumer without a sign of life for so long is replaced. */
  silentMs: number;
  /** A message of more bytes is not read: its record batch is passed on as one message. */
  mostBytes: number;
}

export class GroupReader implements Reader {
  readonly #client: Client;
  readonly #settings: ReaderSettings;
  readonly #topics: readonly string[];
  readonly #handlers: Handlers;
  #consumer: Consumer | null = null;
  #isStopped = false;
  /** Whether the consumer belongs to a generation of the group: only then it knows partitions. */
  #isMember = false;
  /** Looks at the consumer since its last sign of life. */
  #looks = 0;
  #watch: ReturnType<typeof setInterval> | undefined;
  #generation = 0;
  /** Partitions are read one after the other, so that they do not take memory all at once. */
  #reading: Promise<unknown> = Promise.resolve();

  private constructor(
    client: Client,
    settings: ReaderSettings,
    topics: readonly string[],
    handlers: Handlers,
  ) {
    this.#client = client;
    this.#settings = settings;
    this.#topics = topics;
    this.#handlers = handlers;
  }

  static start(
    client: Client,
    settings: ReaderSettings,
    topics: readonly string[],
    handlers: Handlers,
  ): GroupReader {
    const reader = new GroupReader(client, settings, topics, handlers);
    reader.#watch = setInterval(() => reader.#look(), settings.silentMs / LOOKS);
    void reader.#run();
    return reader;
  }

  resume(at: TopicPartition, offset: number): void {
    if (this.#isMember) this.#consumer?.seek({ ...at, offset: String(offset) });
    this.unpause(at);
  }

  pause({ topic, partition }: TopicPartition): void {
    if (this.#isMember) this.#consumer?.pause([{ topic, partitions: [partition] }]);
  }

  unpause({ topic, partition }: TopicPartition): void {
    if (this.#isMember) this.#consumer?.resume([{ topic, partitions: [partition] }]);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#isMember = false;
    clearInterval(this.#watch);
    await this.#consumer?.disconnect().catch(() => {});
  }

  /** kafkajs may wait for ever, and then tells nobody. */
  #look(): void {
    if (this.#consumer === null || ++this.#looks <= LOOKS) return;
    const { group, silentMs } = this.#settings;
    const message = `the group ${group} has been silent for ${Math.round(silentMs / 1000)} seconds`;
    this.#again(this.#consumer, new KafkaFailure('timed_out', message));
  }

  async #run(): Promise<void> {
    this.#looks = 0;
    const { group: groupId, sessionMs, from } = this.#settings;
    const consumer = this.#client.consumer({
      groupId,
      sessionTimeout: sessionMs,
      heartbeatInterval: Math.min(MAX_HEARTBEAT_MS, Math.ceil(sessionMs / HEARTBEATS_PER_SESSION)),
      rebalanceTimeout: sessionMs,
      metadataMaxAge: METADATA_MS,
      maxWaitTimeInMs: Math.min(FETCH_WAIT_MS, sessionMs / 4),
      maxBytes: FETCH_BYTES,
      maxBytesPerPartition: PARTITION_BYTES,
      allowAutoTopicCreation: false,
      readUncommitted: false,
      // We restart it ourselves: kafkajs does not after every error.
      retry: { restartOnFailure: async () => false },
    });
    this.#consumer = consumer;
    consumer.on(consumer.events.GROUP_JOIN, event => this.#joined(consumer, event));
    consumer.on(consumer.events.FETCH, () => {
      if (consumer === this.#consumer) this.#looks = 0;
      // It was given up while it waited for the group, and must not keep partitions.
      else void consumer.disconnect().catch(() => {});
    });
    consumer.on(consumer.events.CRASH, event => this.#crashed(consumer, event));
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [...this.#topics], fromBeginning: from === 'earliest' });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: CONCURRENT_PARTITIONS,
        eachBatch: payload => this.#take(payload),
      });
    } catch (error) {
      this.#again(consumer, error);
    }
  }

  /** Nothing is fetched before the partitions are resumed: the event comes before the first fetch. */
  #joined(consumer: Consumer, { payload: { memberAssignment } }: ConsumerGroupJoinEvent): void {
    if (this.#isStopped || consumer !== this.#consumer) return;
    this.#looks = 0;
    this.#isMember = true;
    this.#generation++;
    const topics = Object.entries(memberAssignment);
    consumer.pause(topics.map(([topic, partitions]) => ({ topic, partitions })));
    this.#handlers.assigned(
      topics.flatMap(([topic, partitions]) => partitions.map(partition => ({ topic, partition }))),
      this,
    );
  }

  async #take({ batch, resolveOffset, isStale, isRunning }: EachBatchPayload): Promise<void> {
    const generation = this.#generation;
    const isOurs = () => isRunning() && !isStale() && generation === this.#generation;
    const [fetched] = batch.messages as unknown as FetchedPartition[];
    if (fetched === undefined || !isOurs()) return;
    const { topic, partition, highWatermark } = batch;
    const at = { topic, partition };
    const from = Number(fetched.offset);
    if (fetched.isOutOfRange) {
      this.pause(at);
      this.#handlers.outOfRange(at, from);
      return;
    }
    const { bytes, aborted } = fetched;
    const { mostBytes } = this.#settings;
    const reading = this.#reading.then(() => readBatches({ bytes, aborted, from, mostBytes }));
    this.#reading = reading.catch(() => {});
    const { messages, next } = await reading;
    if (!isOurs()) return;
    if (next === from) return;
    this.#handlers.messages(at, messages, { from, next, end: Number(highWatermark) });
    resolveOffset(String(next - 1));
  }

  #crashed(consumer: Consumer, { payload: { error } }: ConsumerCrashEvent): void {
    this.#again(consumer, error);
  }

  #again(consumer: Consumer, error: unknown): void {
    if (this.#isStopped || consumer !== this.#consumer) return;
    this.#consumer = null;
    this.#isMember = false;
    this.#handlers.failed(failureOf(error, `the group ${this.#settings.group} cannot be read`));
    void consumer.disconnect().catch(() => {});
    setTimeout(() => !this.#isStopped && this.#run(), RESTART_MS);
  }
}
