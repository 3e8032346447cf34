/** A private Kafka broker on free ports, and Kafka's own consumer. `scripts/kafka.sh install` brings the jars. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { type Admin, Kafka, type KafkaConfig, logLevel } from 'kafkajs';
import { inTime } from '../../src/stream/in-time.ts';
import { restEmptyQueues } from '../../src/stream/kafka/patches.ts';
import { asChild } from './binaries.ts';
import { eventually, freePort, newFolder, ServerProcess } from './process.ts';

const JARS = join(import.meta.dir, '../../build/kafka');
/** A JVM on a busy machine. */
const READY_MS = 120_000;
const READER = join(import.meta.dir, 'ReadTopic.java');
const ANSWER_MS = 60_000;
const CLUSTER_ID = 'MkU3OEVBNTcwNTJENDM2Qk';
const JAVA = [
  'java',
  '-Xmx512m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-cp',
  `${JARS}/*`,
];

export const hasKafka = (): boolean => existsSync(join(JARS, 'complete')) && Bun.which('javac') !== null;

/** A message as Kafka's own consumer reads it. */
export interface ReadMessage {
  partition: number;
  offset: number;
  timestamp: number;
  /** In their order; a name may occur several times. */
  headers: [name: string, value: string | null][];
  key: string | null;
  value: string | null;
}

type Protocol = 'PLAINTEXT' | 'SSL' | 'SASL_SSL';

export interface BrokerSettings {
  /** Lines of server.properties. */
  properties?: string[];
  /** Protocol of the listener for clients. */
  protocol?: Protocol;
  /** Protocol of another listener, MORE. */
  more?: Protocol;
  /** Arguments for the tool that formats its storage. */
  format?: string[];
  /** How tests themselves connect. */
  client?: Partial<KafkaConfig>;
  /** How Kafka's own consumer connects. */
  consumer?: string[];
  /** Runs the code optimised: for benches. */
  isFast?: boolean;
}

export class KafkaServer {
  #reader: TopicReader | null = null;

  private constructor(
    readonly process: ServerProcess,
    readonly port: number,
    readonly morePort: number,
    readonly client: Kafka,
    readonly consumer: readonly string[],
  ) {}

  static async start(settings: BrokerSettings = {}): Promise<KafkaServer> {
    const folder = newFolder('kafka');
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    const [port, , morePort] = ports;
    const file = join(folder, 'server.properties');
    mkdirSync(join(folder, 'data'));
    writeFileSync(file, propertiesOf(folder, ports, settings));
    const java = settings.isFast ? JAVA.filter(each => !each.includes('Tiered')) : JAVA;
    const format = [
      ...java,
      'kafka.tools.StorageTool',
      'format',
      '--standalone',
      '-t',
      CLUSTER_ID,
      '-c',
      file,
      ...(settings.format ?? []),
    ];
    const { exitCode, stdout, stderr } = Bun.spawnSync(format);
    if (exitCode !== 0) throw new Error(`Kafka cannot format its storage: ${stdout}${stderr}`);
    const server = new ServerProcess(asChild([...java, 'kafka.Kafka', file], null), folder, 'SIGTERM');
    restEmptyQueues();
    const client = new Kafka({
      brokers: [`127.0.0.1:${port}`],
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 50, retries: 8 },
      ...settings.client,
    });
    const broker = new KafkaServer(server, port, morePort, client, settings.consumer ?? []);
    server.start();
    await broker.ready();
    return broker;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Of the listener MORE. */
  get moreAddress(): string {
    return `127.0.0.1:${this.morePort}`;
  }

  async ready(): Promise<void> {
    await this.process.answers(() => this.withAdmin(admin => admin.listTopics()), READY_MS);
  }

  async restart(): Promise<void> {
    this.process.start();
    await this.ready();
  }

  async withAdmin<T>(ask: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = this.client.admin();
    try {
      // kafkajs may wait for ever when a broker was killed.
      return await inTime(
        'to ask the broker',
        ANSWER_MS,
        admin.connect().then(() => ask(admin)),
      );
    } finally {
      void admin.disconnect().catch(() => {});
    }
  }

  async createTopics(
    names: readonly string[],
    partitions = 1,
    entries: Record<string, string> = {},
  ): Promise<void> {
    const configEntries = Object.entries(entries).map(([name, value]) => ({ name, value }));
    await this.withAdmin(admin =>
      admin.createTopics({
        waitForLeaders: false,
        topics: names.map(topic => ({ topic, numPartitions: partitions, configEntries })),
      }),
    );
    // kafkajs can wait for leaders too, but gives up where the broker does not know the topics yet.
    await eventually(
      () =>
        this.withAdmin(async admin => {
          const { topics } = await admin.fetchTopicMetadata({ topics: [...names] });
          if (topics.some(topic => topic.partitions.some(({ leader }) => leader < 0)))
            throw new Error('a partition has no leader yet');
        }),
      READY_MS,
    );
  }

  /** All committed messages of a topic, read by Kafka's own consumer. */
  read(topic: string): Promise<ReadMessage[]> {
    this.#reader ??= new TopicReader([this.address, ...this.consumer]);
    return this.#reader.read(topic);
  }

  /** Writes lines with Kafka's own producer. */
  async produceLines(topic: string, lines: readonly string[], codec: string): Promise<void> {
    const options = ['--bootstrap-server', this.address, '--topic', topic, '--compression-codec', codec];
    const child = Bun.spawn([...JAVA, 'org.apache.kafka.tools.ConsoleProducer', ...options], {
      stdin: new Blob([`${lines.join('\n')}\n`]),
      stdout: 'ignore',
      stderr: 'pipe',
    });
    const errors = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(`${topic} cannot be written: ${errors}`);
  }

  async remove(): Promise<void> {
    this.#reader?.stop();
    await this.process.remove();
  }
}

/** Kafka's own consumer, for one topic after the other: its JVM starts and compiles once. */
class TopicReader {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  #previous: Promise<unknown> = Promise.resolve();

  constructor(settings: readonly string[]) {
    const [program, ...more] = asChild([...JAVA, READER, ...settings], null);
    this.#child = spawn(program!, more, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  read(topic: string): Promise<ReadMessage[]> {
    const read = this.#previous.then(() => this.#next(topic));
    this.#previous = read.catch(() => {});
    return read;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  async #next(topic: string): Promise<ReadMessage[]> {
    this.#child.stdin.write(`${topic}\n`);
    const messages: ReadMessage[] = [];
    for (;;) {
      const { value: line, done } = await this.#lines.next();
      if (done || line.startsWith('!')) throw new Error(`${topic} cannot be read: ${line}`);
      if (line === '') return messages;
      messages.push(messageIn(line));
    }
  }
}

function messageIn(line: string): ReadMessage {
  const [partition, offset, timestamp, key, value, headers] = line.split('\t') as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const pairs = headers === '' ? [] : headers.split(',').map(header => header.split(':') as [string, string]);
  return {
    partition: Number(partition),
    offset: Number(offset),
    timestamp: Number(timestamp),
    key: textIn(key),
    value: textIn(value),
    headers: pairs.map(([name, each]) => [textIn(name)!, textIn(each)]),
  };
}

const textIn = (base64: string): string | null =>
  base64 === '-' ? null : Buffer.from(base64, 'base64').toString();

function propertiesOf(
  folder: string,
  [port, controller, more]: readonly [number, number, number],
  { protocol = 'PLAINTEXT', more: moreProtocol, properties = [] }: BrokerSettings,
): string {
  const clients = [`CLIENTS://127.0.0.1:${port}`];
  if (moreProtocol) clients.push(`MORE://127.0.0.1:${more}`);
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.bootstrap.servers=127.0.0.1:${controller}`,
    `listeners=${clients},CONTROLLER://127.0.0.1:${controller}`,
    `advertised.listeners=${clients}`,
    `listener.security.protocol.map=CLIENTS:${protocol},MORE:${moreProtocol ?? protocol},CONTROLLER:PLAINTEXT`,
    'inter.broker.listener.name=CLIENTS',
    'controller.listener.names=CONTROLLER',
    `log.dirs=${folder}/data`,
    'auto.create.topics.enable=false',
    // Tests write messages of the past.
    'log.retention.ms=-1',
    'offsets.topic.num.partitions=4',
    'offsets.topic.replication.factor=1',
    'transaction.state.log.num.partitions=4',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'group.initial.rebalance.delay.ms=0',
    'group.min.session.timeout.ms=1000',
    ...properties,
    '',
  ].join('\n');
}
