/** A run of gates that screen topics, while brokers and stores fail, gates are killed and logs lose messages. */
import type { StreamConfig } from '../../src/stream/config.ts';
import { streamOptionsIn } from '../../src/stream/window/options.ts';
import { Broker, type BrokerPlant } from './broker.ts';
import { type Held, heldBy, PERIOD } from './held.ts';
import { BROKER_PLANTS, type Plant } from './plants.ts';
import type { Outcome, Simulator } from './simulator.ts';
import { connecting } from './batch-run.ts';
import { StreamGate, type StreamSetting } from './stream-gate.ts';
import type { Deployment } from './stores.ts';
import type { Faults } from './wire.ts';
import { START, type World } from './world.ts';

/** All rows are passed on by then, in ms of virtual time. */
const MOST_MS = 5 * 60_000;
/** Nothing is produced or lost any more, in ms. */
const QUIET_MS = 6000;
/** What is in progress ends within this time, in ms. */
const SETTLED_MS = 3000;
const DEPLOYMENTS: readonly Deployment[] = ['shared', 'servers'];
const CLEAN = { topic: 'clean', partition: 0 };
const HELD = { topic: 'held', partition: 0 };

/** A message as a producer wrote it. */
interface Produced {
  key: string;
  partition: number;
  /** Whether it is a row that the engine can read. */
  isRow: boolean;
  isCut: boolean;
}

export function runStream(world: World, simulator: Simulator, plant: Plant | null): Outcome {
  const { random } = world;
  const deployment = random.pick(DEPLOYMENTS);
  const faults: Faults = { left: random.int(0, 5), chance: random.pick([0.02, 0.06]) };
  const mostFaults = faults.left;
  const inputs = Array.from({ length: random.int(1, 2) }, (_, partition) => ({ topic: 'rows', partition }));
  const broker = new Broker(
    world,
    inputs,
    plant !== null && plant in BROKER_PLANTS ? (plant as BrokerPlant) : null,
  );
  simulator.files.empty(PERIOD, 0);
  const said: string[] = [];
  const bugs: string[] = [];
  let numbers = 0;
  const setting: StreamSetting = {
    config: configOf(world),
    broker,
    faults,
    said: message => said.push(message),
    failed: error => bugs.push(`a gate failed: ${error instanceof Error ? error.stack : String(error)}`),
    number: () => ++numbers,
  };
  const connect = connecting(world, simulator, { deployment, faults, plant });
  const gates = Array.from(
    { length: random.int(1, 2) },
    (_, i) => new StreamGate(world, `gate ${i}`, connect, setting),
  );
  const produced = produce(world, broker);
  const loss = loseMessages(world, broker, produced);
  for (let i = random.int(0, 2); i > 0; i--)
    world.after(random.next() * 4000, null, () => broker.rebalance());
  const isDone = world.run(() => world.now > START + QUIET_MS && isAllRead(broker), START + MOST_MS);
  const used = mostFaults - faults.left;
  faults.left = 0;
  world.run(() => false, world.now + SETTLED_MS);
  const kills = gates.reduce((sum, gate) => sum + gate.kills, 0);
  const held = heldBy(simulator, ['orders'], 0, kills);
  const violations = [
    ...bugs,
    ...(isDone ? [] : ['a partition is not read to its end']),
    ...violationsOfRows(broker, produced, loss, said),
    ...(loss !== null ? [] : violationsOfJobs(held, produced)),
  ];
  const facts = `stream ${deployment}, gates ${gates.length}, rows ${produced.length}, faults ${used}, kills ${kills}`;
  return { facts: loss === null ? facts : `${facts}, ${loss.name}`, violations };
}

function configOf({ random }: World): StreamConfig {
  return {
    brokers: [],
    group: 'g',
    inputs: [
      {
        topic: 'rows',
        source: { kind: 'name', name: 'orders' },
        format: 'json',
        columns: [],
        clean: 'clean',
        held: 'held',
      },
    ],
    verdicts: random.chance(0.3) ? 'verdicts' : null,
    window: { rows: random.int(2, 5), bytes: 1024, ms: random.pick([50, 500]) },
    onBlock: random.pick(['divert', 'pass']),
    options: { ...streamOptionsIn(undefined), rowVerdicts: true, fullScan: true },
    givenOptions: {},
    from: 'earliest',
    sessionMs: 1500,
    tls: null,
    sasl: null,
  };
}

/** Appends messages for some seconds. */
function produce(world: World, broker: Broker): Produced[] {
  const { random } = world;
  const produced: Produced[] = [];
  const count = random.int(5, 30);
  for (let i = 0; i < count; i++) {
    const at = random.pick(broker.inputs);
    world.after(random.next() * 5000, null, () => {
      const text = random.chance(0.9) ? `{"amount":${i}}` : random.pick(['oops', '{"amount":null}', null]);
      const key = `row-${produced.length}`;
      produced.push({ key, partition: at.partition, isRow: text !== null && text !== 'oops', isCut: false });
      broker.log(at).append(key, text === null ? null : new TextEncoder().encode(text));
      if (random.chance(0.1)) broker.log(at).skip();
    });
  }
  return produced;
}

/** A log that loses its end (an unclean election) or its beginning (retention). */
interface Loss {
  name: 'log cut' | 'log expires';
  /** The group had an offset, and the log its beginning: whoever reads on must notice. */
  isOfKnown: boolean;
}

/** In few runs. */
function loseMessages(world: World, broker: Broker, produced: readonly Produced[]): Loss | null {
  const { random } = world;
  if (!random.chance(0.25)) return null;
  const at = random.pick(broker.inputs);
  const log = broker.log(at);
  const loss: Loss = { name: random.chance(0.7) ? 'log cut' : 'log expires', isOfKnown: false };
  world.after(1000 + random.next() * 3000, null, () => {
    const before = new Set(log.records.map(({ key }) => key));
    if (loss.name === 'log cut') log.cut(log.end - random.int(1, 10));
    else log.forget(log.start + random.int(1, 5));
    loss.isOfKnown = loss.name === 'log expires' && broker.positions.has(`${at.topic}/${at.partition}`);
    const left = new Set(log.records.map(({ key }) => key));
    for (const each of produced) if (before.has(each.key) && !left.has(each.key)) each.isCut = true;
    world.note('broker', `${at.topic}/${at.partition}: ${loss.name}, it has ${log.start} to ${log.end}`);
  });
  return loss;
}

/**
 * Also the messages that were deleted, so that somebody has seen it. An offset after the end of a log that was cut has to be moved first. Messages
 * that nobody asks for, as their offsets were others', are no part of it.
 */
const isAllRead = (broker: Broker): boolean =>
  broker.inputs.every(at => {
    const { records, deletedTo, unseenFrom, end } = broker.log(at);
    const last = records.findLast(({ isFetched, offset }) => isFetched || offset >= (unseenFrom ?? 0));
    const read = broker.positions.get(`${at.topic}/${at.partition}`)?.offset ?? 0;
    return read >= (last === undefined ? deletedTo : last.offset + 1) && read <= end;
  });

/** Each message comes out once. After a loss it may come out again, but none that is there may be left out, and no deletion is unsaid. */
function* violationsOfRows(
  broker: Broker,
  produced: readonly Produced[],
  loss: Loss | null,
  said: readonly string[],
): Generator<string> {
  const out = [...broker.log(CLEAN).records, ...broker.log(HELD).records].map(({ key }) => key);
  const times = (of: string) => out.filter(key => key === of).length;
  for (const { key, isCut } of produced) {
    if (times(key) === 0 && !isCut)
      yield isUnseen(broker, key) ? `${key} was lost, and nobody could know it` : `${key} was lost`;
    if (times(key) > 1 && loss === null) yield `${key} came out ${times(key)} times`;
  }
  const isDeleted = produced.some(({ key, isCut }) => isCut && times(key) === 0);
  if (loss?.isOfKnown && isDeleted && said.length === 0) yield 'messages were deleted and nobody said it';
}

/** Its offset was another message's, which was cut from the log, and no process that could know it went on with the partition. */
const isUnseen = (broker: Broker, key: string): boolean =>
  broker.inputs.some(at => {
    const { records, unseenFrom } = broker.log(at);
    return records.some(each => each.key === key && each.offset < (unseenFrom ?? 0));
  });

function* violationsOfJobs(held: Held, produced: readonly Produced[]): Generator<string> {
  const rows = produced.filter(({ isRow }) => isRow).length;
  const inJobs = held.jobs.reduce((sum, { job }) => sum + job.rowsReceived, 0);
  if (inJobs !== rows) yield `the jobs have ${inJobs} rows, the topic ${rows}`;
  if (held.ledger.rows !== inJobs) yield `the ledger has ${held.ledger.rows} rows, the jobs ${inJobs}`;
  const learned = held.baselines.get('orders')!.length;
  const passed = held.jobs.filter(({ job }) => job.status !== 'BLOCK').length;
  if (learned !== passed) yield `the baseline has ${learned} batches, and ${passed} passed`;
}
