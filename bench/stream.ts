/**
 * How much does a gate in Kafka move, through a program that only copies?
 *
 * One process of `sluice stream` screens rows of ten fields and 200 bytes in windows of 5,000, with SQLite. Another one copies the same
 * topic with the same client, in transactions as large, and a third with kafkajs alone. They take turns on one broker, with topics of
 * several numbers of partitions. Rows a second are counted between the first tenth and the end of a topic, by the offsets that the group has
 * committed. Then rows come at half of the gate's rate, and a reader of committed rows measures how long each takes from its timestamp on,
 * in windows of 200 ms.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { GateData } from '../test/stream/gate.ts';
import { KafkaServer } from '../test/servers/kafka.ts';
import { Random } from './random.ts';

const COPY = join(import.meta.dir, 'stream-copy.ts');
const PRODUCED_AT_ONCE = 2000;
const POLL_MS = 50;
/** Rows of the first share of the time are not counted: programs warm up. */
const WARM_SHARE = 0.1;

export interface StreamEffort {
  /** Of the topics. The last is also that of the rows whose latency is measured. */
  partitions: readonly number[];
  rows: number;
  rounds: number;
  latencySeconds: number;
}

export const STREAM_EFFORT: StreamEffort = {
  partitions: [1, 2, 4],
  rows: 200_000,
  rounds: 3,
  latencySeconds: 20,
};

interface Moved {
  /** Rows a second, by round. */
  gate: number[];
  copy: number[];
  plain_copy: number[];
  /** The gate through each copy, median of the rounds. */
  ratio: number;
  plain_ratio: number;
}

export interface StreamResult {
  [partitions: `partitions_${number}`]: Moved;
  latency_ms: { rows_per_second: number; p50: number; p99: number };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

export async function benchStream(seed: number, effort = STREAM_EFFORT): Promise<StreamResult> {
  const kafka = await KafkaServer.start({ isFast: true });
  const data = new GateData();
  try {
    const most = effort.partitions.at(-1)!;
    await kafka.createTopics(['live', 'live.clean', 'live.held'], most);
    const rows = rowsOf(seed);
    const result = {} as StreamResult;
    for (const partitions of effort.partitions)
      result[`partitions_${partitions}`] = await movedBy(kafka, data, partitions, effort, rows);
    const half = Math.round(median(result[`partitions_${most}`]!.gate) / 2);
    return { ...result, latency_ms: await latencyOf(kafka, data, most, half, effort.latencySeconds, rows) };
  } finally {
    await kafka.remove();
    data.remove();
    rmSync(data.folder, { recursive: true, force: true });
  }
}

async function movedBy(
  kafka: KafkaServer,
  data: GateData,
  partitions: number,
  { rows, rounds }: StreamEffort,
  row: (i: number) => string,
): Promise<Moved> {
  const topic = `rows-${partitions}`;
  await kafka.createTopics([topic, `${topic}.clean`, `${topic}.held`, `${topic}.copied`], partitions);
  await produce(kafka, topic, partitions, rows, row);
  const speeds = { gate: [] as number[], copy: [] as number[], plain_copy: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    speeds.plain_copy.push(await copied(kafka, `plain-${topic}-${round}`, topic, rows, 'plain'));
    speeds.copy.push(await copied(kafka, `copy-${topic}-${round}`, topic, rows));
    speeds.gate.push(await screened(kafka, data, `gate-${topic}-${round}`, topic, rows));
  }
  const through = (copies: readonly number[]) =>
    Math.round(median(speeds.gate.map((gate, i) => gate / copies[i]!)) * 1000) / 1000;
  return { ...speeds, ratio: through(speeds.copy), plain_ratio: through(speeds.plain_copy) };
}

/** JSON of ten fields, about 200 bytes. */
function rowsOf(seed: number): (i: number) => string {
  const random = new Random(seed);
  return i =>
    JSON.stringify({
      order_id: 1_000_000 + i,
      amount: random.between(100, 99_999) / 100,
      items: random.between(1, 9),
      status: random.pick(['new', 'paid', 'sent', 'returned']),
      country: random.pick(['DE', 'FR', 'GB', 'US', 'JP']),
      currency: random.pick(['EUR', 'USD', 'GBP']),
      email: `customer${random.between(1, 99_999)}@example.com`,
      is_gift: random.chance(0.1),
      weight: random.between(1, 5000),
      score: Math.round(random.unit() * 1000) / 1000,
    });
}

async function produce(
  kafka: KafkaServer,
  topic: string,
  partitions: number,
  count: number,
  row: (i: number) => string,
): Promise<void> {
  const producer = kafka.client.producer();
  await producer.connect();
  for (let start = 0; start < count; start += PRODUCED_AT_ONCE) {
    const messages = Array.from({ length: Math.min(PRODUCED_AT_ONCE, count - start) }, (_, k) => ({
      key: `k${start + k}`,
      value: row(start + k),
      partition: (start + k) % partitions,
    }));
    await producer.send({ topic, messages });
  }
  await producer.disconnect();
}

async function copied(
  kafka: KafkaServer,
  group: string,
  topic: string,
  rows: number,
  ...way: string[]
): Promise<number> {
  const places = [kafka.address, group, topic, `${topic}.copied`];
  const child = Bun.spawn([process.execPath, COPY, ...places, ...way], {
    stdout: 'ignore',
    stderr: 'ignore',
  });
  try {
    return await rateOf(kafka, group, topic, rows);
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
}

const configOf = (kafka: KafkaServer, group: string, topic: string, ms: number) => ({
  brokers: [kafka.address],
  group,
  inputs: [{ topic, source: 'rows', clean: `${topic}.clean`, held: `${topic}.held` }],
  window: { rows: 5000, ms },
  on_block: 'pass',
});

async function screened(
  kafka: KafkaServer,
  data: GateData,
  group: string,
  topic: string,
  rows: number,
): Promise<number> {
  const gate = await data.begin(configOf(kafka, group, topic, 1000));
  try {
    return await rateOf(kafka, group, topic, rows);
  } finally {
    await gate.kill();
  }
}

/** Rows a second from the first tenth to the end. */
async function rateOf(kafka: KafkaServer, groupId: string, topic: string, rows: number): Promise<number> {
  return kafka.withAdmin(async admin => {
    let begun: { at: number; rows: number } | null = null;
    for (;;) {
      // Until the first member joins, the group has no coordinator.
      const [found] = await admin.fetchOffsets({ groupId, topics: [topic] }).catch(() => []);
      const done = (found?.partitions ?? []).reduce(
        (sum, { offset }) => sum + Math.max(0, Number(offset)),
        0,
      );
      const at = performance.now();
      // A short topic may be done between two looks.
      if (begun === null || done < rows * WARM_SHARE) begun = { at, rows: done };
      if (done >= rows) return Math.round((done - begun.rows) / ((at - begun.at) / 1000));
      await Bun.sleep(POLL_MS);
    }
  });
}

async function latencyOf(
  kafka: KafkaServer,
  data: GateData,
  partitions: number,
  rate: number,
  seconds: number,
  row: (i: number) => string,
): Promise<StreamResult['latency_ms']> {
  const gate = await data.start(configOf(kafka, 'live', 'live', 200));
  const took: number[] = [];
  const consumer = kafka.client.consumer({ groupId: 'reader', maxWaitTimeInMs: 20 });
  await consumer.connect();
  await consumer.subscribe({ topics: ['live.clean', 'live.held'], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      const now = Date.now();
      for (const { timestamp } of batch.messages) took.push(now - Number(timestamp));
    },
  });
  const producer = kafka.client.producer();
  await producer.connect();
  const begin = performance.now();
  let sent = 0;
  const produced = async (untilMs: number) => {
    while (performance.now() - begin < untilMs) {
      const due = Math.floor(((performance.now() - begin) / 1000) * rate) - sent;
      const at = String(Date.now());
      const messages = Array.from({ length: Math.min(due, PRODUCED_AT_ONCE) }, (_, k) => ({
        value: row(sent + k),
        partition: (sent + k) % partitions,
        timestamp: at,
      }));
      if (messages.length > 0) await producer.send({ topic: 'live', messages });
      sent += messages.length;
      await Bun.sleep(10);
    }
  };
  try {
    // The first part joins groups and warms up.
    await produced(seconds * 300);
    const warm = took.length;
    await produced(seconds * 1000);
    // The last rows are those that took longest, if the gate did not keep up.
    while (took.length < sent) await Bun.sleep(POLL_MS);
    const counted = took.slice(warm).sort((a, b) => a - b);
    const at = (share: number) => counted[Math.floor(share * (counted.length - 1))] ?? Number.NaN;
    return { rows_per_second: rate, p50: at(0.5), p99: at(0.99) };
  } finally {
    await Promise.all([producer.disconnect(), consumer.disconnect(), gate.kill()]);
  }
}
