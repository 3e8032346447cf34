/**
 * Kills gates and the broker at random, and freezes the broker, while rows pass through; in the middle the broker is away for a minute. In the end every row must be in exactly one of the outputs, once, as
 * Kafka's own consumer reads them, in the order of its partition; and the jobs must have counted the same rows. As a command:
 *
 *     npm run stream-faults -- --rounds 20 --rows 200000 --seed 7
 *
 * What is expected is read from the input topic: a producer that is not sure whether a row arrived may write it twice.
 */
import '../../scripts/built.ts';
import { parseArgs } from 'node:util';
import { Random } from '../../bench/random.ts';
import { KafkaServer, type ReadMessage } from '../servers/kafka.ts';
import { PostgresServer } from '../servers/postgres.ts';
import { eventually } from '../servers/process.ts';
import { RedisServer } from '../servers/redis.ts';
import { GateData, type GateProcess } from './gate.ts';

export interface StreamFaults {
  rounds: number;
  rows: number;
  seed: number;
  /** In the middle the broker is away for so long, and gates must say so. 0: it is not. */
  awayMs: number;
  report?: (line: string) => void;
}

export interface StreamFaultsResult {
  kills: Record<string, number>;
  read: number;
  clean: number;
  held: number;
  jobs: number;
  /** What does not add up; empty in a run that held. */
  wrong: string[];
}

const PARTITIONS = 4;
const GATES = 2;
const TOPICS = ['orders', 'orders.clean', 'orders.held', 'verdicts'];
const SETTLE_MS = 1_200_000;
/** Longest wait of a round before something is killed. */
const KILL_WITHIN_MS = 3000;
/** Longer than requests wait for an answer. */
const FROZEN_WITHIN_MS = 40_000;

export async function streamFaults({
  rounds,
  rows,
  seed,
  awayMs,
  report = () => {},
}: StreamFaults): Promise<StreamFaultsResult> {
  const source = new Random(seed);
  const random = () => source.unit();
  // One after the other: a machine that is busy starts none of them in time.
  const postgres = await PostgresServer.start();
  const redis = await RedisServer.start();
  const kafka = await KafkaServer.start();
  const database = await postgres.newDatabase();
  const data = new GateData({ REDIS_URL: redis.url, DATABASE_URL: database, STORE_TIMEOUT_MS: '5000' });
  const gates: GateProcess[] = [];
  try {
    await redis.settled();
    await kafka.createTopics(TOPICS, PARTITIONS);
    const config = configOf(kafka);
    const begin = () => data.begin(config, { METRICS_PORT: '0' });
    for (let i = 0; i < GATES; i++) {
      gates.push(await begin());
      await gates[i]!.says('screening');
    }
    const kills: Record<string, number> = {};
    for (let round = 0; round < rounds; round++) {
      await produce(kafka, Math.ceil((rows * round) / rounds), Math.ceil((rows * (round + 1)) / rounds));
      // A gate that has not begun has nothing to lose.
      await Promise.all(gates.map(gate => gate.says('partitions', SETTLE_MS)));
      await Bun.sleep(random() * KILL_WITHIN_MS);
      const kind = random();
      const isAway = awayMs > 0 && round === Math.floor(rounds / 2);
      const victim = isAway
        ? 'broker, for long'
        : kind < 0.25
          ? 'broker'
          : kind < 0.35
            ? 'frozen broker'
            : `gate ${Math.floor(random() * GATES)}`;
      kills[victim] = (kills[victim] ?? 0) + 1;
      report(`round ${round + 1} of ${rounds}: ${victim}`);
      if (isAway) await removeBroker(kafka, gates, awayMs);
      else if (victim === 'broker') await killBroker(kafka);
      else if (victim === 'frozen broker') await freezeBroker(kafka, random() * FROZEN_WITHIN_MS);
      else await killGate(gates, Number(victim.at(-1)), begin);
    }
    report('waiting until everything is consumed');
    await settled(kafka).catch(error => {
      throw new Error(`${error.message}\n${gates.map(({ said }) => said).join('\n')}`);
    });
    report('stopping');
    for (const gate of gates) await gate.stop();
    report('checking');
    return { kills, ...(await checked(kafka, postgres, database)) };
  } finally {
    for (const gate of gates) await gate.kill();
    await Promise.all([kafka, redis.process, postgres.process].map(server => server.remove()));
    data.remove();
  }
}

const configOf = (kafka: KafkaServer) => ({
  brokers: [kafka.address],
  group: 'gates',
  inputs: [{ topic: 'orders', source: 'orders', clean: 'orders.clean', held: 'orders.held' }],
  verdicts: 'verdicts',
  window: { rows: 500, ms: 200 },
  session_ms: 3000,
  on_block: 'divert',
});

async function killBroker(kafka: KafkaServer): Promise<void> {
  await kafka.process.end('SIGKILL');
  await kafka.restart();
}

/** Throws if a gate does not say that the broker is away, in its log and its metrics. */
async function removeBroker(kafka: KafkaServer, gates: readonly GateProcess[], ms: number): Promise<void> {
  const before = gates.map(({ lines }) => lines.length);
  await kafka.process.end('SIGKILL');
  await Bun.sleep(ms);
  for (const [i, gate] of gates.entries()) {
    if (!gate.lines.slice(before[i]).some(({ kind }) => kind === 'broker_away'))
      throw new Error(`gate ${i} has not said that the broker is away: ${gate.said}`);
    const { metricsUrl } = await gate.says('screening');
    const text = await (await fetch(String(metricsUrl))).text();
    if (!/sluice_stream_failures_total\{kind="broker_away"\} [1-9]/.test(text))
      throw new Error(`gate ${i} has not counted that the broker is away: ${text}`);
  }
  await kafka.restart();
}

async function freezeBroker(kafka: KafkaServer, ms: number): Promise<void> {
  kafka.process.signal('SIGSTOP');
  await Bun.sleep(ms);
  kafka.process.signal('SIGCONT');
}

async function killGate(gates: GateProcess[], i: number, begin: () => Promise<GateProcess>): Promise<void> {
  await gates[i]!.kill();
  gates[i] = await begin();
}

/** Most rows are fine; some have a wrong type, some are no JSON, some are tombstones. */
function textOf(i: number): string | null {
  if (i % 997 === 0) return null;
  if (i % 499 === 0) return `poison ${i}`;
  const amount = i % 101 === 0 ? 'broken' : ((i * 37) % 1000) / 10;
  return JSON.stringify({ order_id: i, amount, status: ['new', 'paid', 'sent'][i % 3] });
}

async function produce(kafka: KafkaServer, from: number, to: number): Promise<void> {
  const producer = kafka.client.producer({ idempotent: true, retry: { retries: 20 } });
  await producer.connect();
  for (let start = from; start < to; start += 1000) {
    const messages = Array.from({ length: Math.min(1000, to - start) }, (_, k) => {
      const i = start + k;
      return { key: `key-${i}`, value: textOf(i), partition: i % PARTITIONS, headers: { n: String(i) } };
    });
    await producer.send({ topic: 'orders', messages });
  }
  await producer.disconnect();
}

/** Waits until the group has consumed everything. */
async function settled(kafka: KafkaServer): Promise<void> {
  await eventually(
    () =>
      kafka.withAdmin(async admin => {
        const [group] = await admin.fetchOffsets({ groupId: 'gates', topics: ['orders'] });
        for (const { partition, high } of await admin.fetchTopicOffsets('orders')) {
          const found = group!.partitions.find(each => each.partition === partition)!;
          if (Number(found.offset) < Number(high))
            throw new Error(`${partition}: ${found.offset} of ${high}`);
        }
        await Bun.sleep(500);
      }),
    SETTLE_MS,
  );
}

const contentOf = ({ key, value, timestamp, headers }: ReadMessage): string =>
  JSON.stringify([key, value, timestamp, headers[0]]);

async function checked(
  kafka: KafkaServer,
  postgres: PostgresServer,
  database: string,
): Promise<Omit<StreamFaultsResult, 'kills'>> {
  const [orders, clean, held] = [
    await kafka.read('orders'),
    await kafka.read('orders.clean'),
    await kafka.read('orders.held'),
  ];
  const wrong: string[] = [];
  const inputs = orders.map(contentOf).sort();
  const outputs = [...clean, ...held].map(contentOf).sort();
  if (inputs.length !== outputs.length) wrong.push(`${inputs.length} rows in, ${outputs.length} out`);
  const different = inputs.findIndex((content, i) => content !== outputs[i]);
  if (different >= 0) wrong.push(`in: ${inputs[different]}, out: ${outputs[different]}`);
  const numberOf = ({ key }: ReadMessage) => Number(key!.slice('key-'.length));
  for (const topic of [clean, held])
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const numbers = topic.filter(message => message.partition === partition).map(numberOf);
      if (
        numbers.some((number, i) => number % PARTITIONS !== partition || (i > 0 && number <= numbers[i - 1]!))
      )
        wrong.push(`the order of partition ${partition} is another one`);
    }
  const isRow = ({ value }: ReadMessage) => value?.startsWith('{') === true;
  const rows = orders.filter(isRow).length;
  const name = new URL(database).pathname.slice(1);
  const [counted] = await postgres.query(
    'SELECT (SELECT count(*) FROM jobs) AS jobs, (SELECT sum(rows_received) FROM jobs) AS rows, (SELECT sum(rows) FROM ledger) AS ledger',
    name,
  );
  if (Number(counted!.rows) !== rows)
    wrong.push(`the jobs have ${counted!.rows} rows, and there were ${rows}`);
  if (Number(counted!.ledger) !== rows)
    wrong.push(`the ledger has ${counted!.ledger} rows, and there were ${rows}`);
  return { read: orders.length, clean: clean.length, held: held.length, jobs: Number(counted!.jobs), wrong };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '20' },
      rows: { type: 'string', default: '200000' },
      seed: { type: 'string', default: '1' },
      'away-seconds': { type: 'string', default: '60' },
    },
  });
  const result = await streamFaults({
    rounds: Number(values.rounds),
    rows: Number(values.rows),
    seed: Number(values.seed),
    awayMs: Number(values['away-seconds']) * 1000,
    report: console.error,
  });
  console.log(JSON.stringify(result, null, 2));
  process.exit(result.wrong.length === 0 ? 0 : 1);
}
