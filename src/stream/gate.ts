/** The gate of one process: reads the topics as a member of the group, with a loop for each partition that it has. */
import { KafkaFailure, type Reader, type TopicPartition } from './port.ts';
import { type PartitionDependencies, PartitionLoop } from './partition.ts';

const RETRY_MS = 2000;

export class Gate {
  readonly #deps: PartitionDependencies;
  /** Of the current generation, by topic and partition. */
  #loops = new Map<string, PartitionLoop>();
  /** Offsets that the broker did not have, by topic and partition, until one of our loops has decided where to go on. */
  readonly #refused = new Map<string, number>();
  readonly #ending = new Set<Promise<void>>();
  #reader: Reader | null = null;
  #isStopped = false;
  /** Rejects with a bug. */
  readonly failed: Promise<never>;
  #fail!: (error: unknown) => void;

  constructor(deps: PartitionDependencies) {
    this.#deps = deps;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // Whoever starts the gate listens; it may have stopped listening at the end.
    this.failed.catch(() => {});
  }

  /** Begins to join the group. Waits for brokers that are away. Throws `KafkaFailure` for a topic that is missing or may not be read. */
  async start(): Promise<void> {
    await this.#checkTopics();
    if (this.#isStopped) return;
    const { config, kafka, log, meter } = this.#deps;
    const topics = config.inputs.map(({ topic }) => topic);
    this.#reader = kafka.read(topics, {
      assigned: (partitions, by) => this.#assigned(partitions, by),
      messages: ({ topic, partition }, messages, fetched) =>
        this.#loops.get(`${topic}/${partition}`)?.add(messages, fetched),
      outOfRange: ({ topic, partition }, offset) =>
        this.#loops.get(`${topic}/${partition}`)?.outOfRange(offset),
      failed: ({ kind, message }) => {
        this.#stopLoops();
        meter.failed(kind);
        log.warn({ kind }, `${message}; it is tried again`);
      },
    });
  }

  /** Finishes the windows that are being screened, and leaves the group. Messages of no window yet are for the next process. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopLoops();
    await Promise.all(this.#ending);
    await this.#reader?.stop();
    await this.#deps.kafka.close();
  }

  /** Partitions of an earlier generation may have been another process's meanwhile: all begin again. */
  #assigned(partitions: TopicPartition[], reader: Reader): void {
    this.#stopLoops();
    if (this.#isStopped) return;
    this.#deps.log.info(
      { partitions: partitions.map(({ topic, partition }) => `${topic}/${partition}`) },
      'partitions',
    );
    for (const at of partitions) {
      const input = this.#deps.config.inputs.find(({ topic }) => topic === at.topic)!;
      const loop = new PartitionLoop(at, input, reader, this.#deps, this.#refused);
      this.#loops.set(`${at.topic}/${at.partition}`, loop);
    }
    for (const loop of this.#loops.values()) this.#watch(loop);
  }

  #watch(loop: PartitionLoop): void {
    const ended = loop.ended.catch(this.#fail).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  #stopLoops(): void {
    for (const loop of this.#loops.values()) loop.stop();
    this.#loops = new Map();
  }

  async #checkTopics(): Promise<void> {
    const { config, kafka, log, meter } = this.#deps;
    const topics = config.inputs.flatMap(({ topic, clean, held }) => [topic, clean, held]);
    if (config.verdicts !== null) topics.push(config.verdicts);
    for (const topic of new Set(topics))
      for (;;)
        try {
          if (this.#isStopped) return;
          await kafka.partitionsOf(topic);
          break;
        } catch (error) {
          if (!(error instanceof KafkaFailure) || error.kind !== 'broker_away') throw error;
          meter.failed(error.kind);
          log.warn({ kind: error.kind, retryMs: RETRY_MS }, `${error.message}; it is tried again`);
          await Bun.sleep(RETRY_MS);
        }
  }
}
