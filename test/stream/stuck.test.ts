/** A promise that never settles must not stop a partition: each wait has an end, a line in the log, and a new try. */
import { describe, expect, test } from 'bun:test';
import pino from 'pino';
import type { Kafka as Client } from 'kafkajs';
import type { Input, StreamConfig } from '../../src/stream/config.ts';
import { Gate } from '../../src/stream/gate.ts';
import { MessageHeaders } from '../../src/stream/headers.ts';
import type { Waits } from '../../src/stream/in-time.ts';
import type { Judge } from '../../src/stream/judge.ts';
import { GroupReader } from '../../src/stream/kafka/reader.ts';
import { StreamMeter } from '../../src/stream/meter.ts';
import {
  type Handlers,
  type Kafka,
  KafkaFailure,
  type Message,
  type Outgoing,
  type PartitionLog,
  type Position,
  type Writer,
} from '../../src/stream/port.ts';
import { eventually } from '../servers/process.ts';

const NEVER = new Promise<never>(() => {});
const AT = { topic: 'orders', partition: 0 };
const WAITS: Waits = { open: 50, commit: 50, judge: 50, topic: 50, quiet: 50 };

const messages = (from: number, count: number): Message[] =>
  Array.from({ length: count }, (_, i) => ({
    offset: from + i,
    next: from + i + 1,
    key: null,
    value: Buffer.from('{}'),
    headers: MessageHeaders.NONE,
    timestamp: 0n,
    fault: null,
  }));

/** A broker with one partition, whose answers may be left out. */
class Broker implements Kafka {
  log: Message[] = messages(0, 10);
  position: Position | null = null;
  beginning = 0;
  topicId = 'one';
  written: Outgoing[] = [];
  /** How many of the next calls are not answered. */
  readonly silent = { openWriter: 0, commit: 0, partitionsOf: 0 };
  /** How many of the next commits are refused. */
  refused = 0;
  /** How many of the next times to read on are not heard. */
  deaf = 0;
  isPaused = true;
  /** Messages from this offset on are not fetched yet. */
  shown = Infinity;
  handlers!: Handlers;
  /** A new generation of the group, with the same member. */
  rebalance!: () => void;

  read(_: readonly string[], handlers: Handlers) {
    this.handlers = handlers;
    const reader = {
      resume: (_: unknown, from: number) => {
        this.isPaused = false;
        if (this.deaf-- > 0) return;
        const end = Math.min(this.#end, this.shown);
        const found = this.log.filter(({ offset }) => offset >= from && offset < end);
        if (from < this.beginning || from > end) queueMicrotask(() => handlers.outOfRange(AT, from));
        else if (found.length > 0)
          queueMicrotask(() => handlers.messages(AT, found, { from, next: end, end }));
      },
      pause: () => {
        this.isPaused = true;
      },
      unpause: () => {
        this.isPaused = false;
      },
      stop: async () => {},
    };
    this.rebalance = () => handlers.assigned([AT], reader);
    queueMicrotask(() => this.rebalance());
    return reader;
  }

  async openWriter(): Promise<Writer> {
    if (this.silent.openWriter-- > 0) return NEVER;
    const commit = async (sent: readonly Outgoing[], position: Position) => {
      if (this.silent.commit-- > 0) return NEVER;
      if (this.refused-- > 0) throw new KafkaFailure('fenced', 'refused');
      this.written.push(...sent);
      this.position = position;
      return [];
    };
    const positions = new Map(this.position === null ? [] : [[AT.partition, this.position]]);
    return { positions, commit, close: async () => {} };
  }

  get #end(): number {
    return this.log.at(-1)!.next;
  }

  async logOf(): Promise<PartitionLog> {
    return { topicId: this.topicId, partitions: 1, beginning: this.beginning, end: this.#end };
  }

  async partitionsOf(): Promise<number> {
    return this.silent.partitionsOf-- > 0 ? NEVER : 1;
  }

  async close(): Promise<void> {}
}

function newGate(broker: Broker, { silentVerdicts = 0, waits = WAITS } = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const meter = new StreamMeter();
  let silent = silentVerdicts;
  const judge = {
    judge: async () => (silent-- > 0 ? NEVER : { held: new Map(), verdicts: [] }),
  } as unknown as Judge;
  const input = { topic: 'orders', clean: 'clean', held: 'held' } as Input;
  const config = {
    inputs: [input],
    verdicts: null,
    window: { rows: 5, bytes: 1e6, ms: 200 },
    from: 'earliest',
  } as StreamConfig;
  const gate = new Gate({ config, kafka: broker, judge, meter, log, now: () => performance.now(), waits });
  return { gate, meter, lines };
}

/** Runs until all 10 messages are written, each once. */
async function passed(broker: Broker, { gate }: ReturnType<typeof newGate>): Promise<void> {
  await gate.start();
  await eventually(async () => expect(broker.position?.offset).toBe(10));
  await gate.stop();
  expect(broker.written).toHaveLength(10);
}

const failuresOf = async ({ meter }: ReturnType<typeof newGate>, kind: string) =>
  Number(new RegExp(`sluice_stream_failures_total\\{kind="${kind}"\\} (\\d+)`).exec(await meter.text())![1]);

describe('a partition goes on', () => {
  test.each(['openWriter', 'commit'] as const)('when %s is never answered', async call => {
    const broker = new Broker();
    broker.silent[call] = 2;
    const gate = newGate(broker);
    await passed(broker, gate);
    expect(await failuresOf(gate, 'timed_out')).toBe(2);
    expect(gate.lines.find(({ kind }) => kind === 'timed_out')).toMatchObject({ ...AT, level: 40 });
  });

  test('when the topics of its outputs are asked for in vain', async () => {
    const broker = new Broker();
    const gate = newGate(broker);
    await gate.gate.start();
    broker.silent.partitionsOf = 1;
    await eventually(async () => expect(broker.position?.offset).toBe(10));
    await gate.gate.stop();
    expect(broker.written).toHaveLength(10);
    expect(await failuresOf(gate, 'timed_out')).toBe(1);
  });

  test('when a verdict never comes', async () => {
    const broker = new Broker();
    const gate = newGate(broker, { silentVerdicts: 1 });
    await passed(broker, gate);
    expect(await failuresOf(gate, 'timed_out')).toBe(1);
  });

  test('when the reader has lost its place', async () => {
    const broker = new Broker();
    broker.deaf = 2;
    await passed(broker, newGate(broker));
  });

  test('when a window was promised that has no message any more', async () => {
    const broker = new Broker();
    broker.log = messages(5, 5);
    broker.position = { offset: 0, note: 'sluice2 one 1 4' };
    const { gate } = newGate(broker);
    await gate.start();
    await eventually(async () => expect(broker.position?.offset).toBe(10));
    await gate.stop();
    expect(broker.written).toHaveLength(5);
  });

  /** A gate that has read 5 to 7 of a window that was promised to 9. */
  async function promised() {
    const broker = new Broker();
    broker.position = { offset: 5, note: 'sluice2 one 1 9' };
    broker.shown = 8;
    const { gate } = newGate(broker, { waits: { ...WAITS, quiet: 200 } });
    await gate.start();
    await eventually(async () => expect(broker.isPaused).toBe(false));
    return { broker, gate };
  }

  test('when the log was cut before the end of a window that was promised', async () => {
    const { broker, gate } = await promised();
    broker.log = messages(0, 8);
    await eventually(async () => expect(broker.position?.offset).toBe(8));
    await gate.stop();
    expect(broker.written).toHaveLength(3);
  });

  test('at its beginning when the log was cut before what was read of a window that was promised', async () => {
    const { broker, gate } = await promised();
    broker.shown = Infinity;
    broker.logOf = async () => {
      broker.log = messages(0, 9);
      return { topicId: 'one', partitions: 1, beginning: 0, end: 6 };
    };
    await eventually(async () => expect(broker.position?.offset).toBe(9));
    await gate.stop();
    expect(broker.written).toHaveLength(9);
  });

  test('when its first commit fails and the group has no offset yet: what was read is read again', async () => {
    const broker = new Broker();
    broker.refused = 1;
    const gate = newGate(broker);
    await passed(broker, gate);
    expect(await failuresOf(gate, 'fenced')).toBe(1);
  });

  test('when messages were deleted before they were read, and says which', async () => {
    const broker = new Broker();
    broker.log = messages(5, 5);
    broker.position = { offset: 2, note: 'sluice1 4' };
    broker.beginning = 5;
    const gate = newGate(broker);
    await gate.gate.start();
    await eventually(async () => expect(broker.position?.offset).toBe(10));
    await gate.gate.stop();
    expect(broker.written).toHaveLength(5);
    expect(gate.lines.find(({ msg }) => String(msg).includes('deleted'))).toMatchObject({
      from: 2,
      to: 5,
      level: 50,
    });
    expect(await failuresOf(gate, 'deleted')).toBe(1);
  });
});

test.each([
  ['out_of_range', { offset: 30, note: '' }, 'has lost messages'],
  ['recreated', { offset: 2, note: 'sluice2 two 1 4' }, 'created again'],
] as const)(
  'a partition whose offset is %s begins again, and says so once',
  async (kind, position, words) => {
    const broker = new Broker();
    broker.position = position;
    const gate = newGate(broker);
    await passed(broker, gate);
    expect(gate.lines.filter(({ msg }) => String(msg).includes(words))).toMatchObject([
      { kind, from: position.offset, to: 0, level: 50 },
    ]);
    expect(await failuresOf(gate, kind)).toBe(1);
  },
);

test('a partition whose offset the broker has no more, while it is read, looks again where it is', async () => {
  const broker = new Broker();
  const gate = newGate(broker);
  await gate.gate.start();
  await eventually(async () => expect(broker.position?.offset).toBe(10));
  broker.log = messages(0, 6);
  broker.topicId = 'two';
  broker.handlers.outOfRange(AT, 10);
  await eventually(async () => expect(broker.position?.offset).toBe(6));
  await gate.gate.stop();
  expect(broker.written).toHaveLength(16);
  expect(await failuresOf(gate, 'recreated')).toBe(1);
  expect(await failuresOf(gate, 'out_of_range')).toBe(1);
});

test.each([
  ['the group waits for it', 10],
  ['more was read than is committed', 12],
])(
  'a partition whose offset the broker refused goes on at its beginning, although it has that offset again: %s',
  async (_, refused) => {
    const broker = new Broker();
    const gate = newGate(broker);
    await gate.gate.start();
    await eventually(async () => expect(broker.position?.offset).toBe(10));
    broker.log = messages(0, 12);
    broker.handlers.outOfRange(AT, refused);
    await eventually(async () => expect(broker.position?.offset).toBe(12));
    await gate.gate.stop();
    expect(broker.written).toHaveLength(10 + 12);
    expect(gate.lines.filter(({ level }) => level === 50)).toMatchObject([
      { kind: 'out_of_range', from: 10, to: 0 },
    ]);
  },
);

test('a refusal is not forgotten where the group gives the partitions anew', async () => {
  const broker = new Broker();
  const gate = newGate(broker);
  await gate.gate.start();
  await eventually(async () => expect(broker.position?.offset).toBe(10));
  broker.log = messages(0, 12);
  broker.handlers.outOfRange(AT, 10);
  broker.rebalance();
  await eventually(async () => expect(broker.position?.offset).toBe(12));
  await gate.gate.stop();
  expect(broker.written).toHaveLength(10 + 12);
});

test('a loop that fails after a rebalance does not pause the partition of the next loop', async () => {
  const broker = new Broker();
  broker.silent.commit = 1;
  const { gate } = newGate(broker);
  await gate.start();
  await eventually(async () => expect(broker.silent.commit).toBe(0));
  broker.rebalance();
  await eventually(async () => expect(broker.position?.offset).toBe(10));
  // Waits for the first loop, whose commit is never answered.
  await gate.stop();
  expect(broker.isPaused).toBe(false);
});

/** A consumer of kafkajs that joins and then says nothing more. */
class SilentConsumer {
  readonly events = { GROUP_JOIN: 'join', CRASH: 'crash', FETCH: 'fetch' };
  readonly listeners: Record<string, (event: object) => void> = {};
  isDisconnected = false;

  on(name: string, listener: (event: object) => void): void {
    this.listeners[name] = listener;
  }

  connect = async () => {};
  subscribe = async () => {};
  run = () => NEVER;
  pause = () => {};
  disconnect = async () => {
    this.isDisconnected = true;
  };
}

test('a consumer that says nothing is replaced, and leaves if it joins the group later', async () => {
  const consumers: SilentConsumer[] = [];
  const client = {
    consumer: () => {
      const consumer = new SilentConsumer();
      consumers.push(consumer);
      return consumer;
    },
  } as unknown as Client;
  const failures: KafkaFailure[] = [];
  const assigned: unknown[] = [];
  const reader = GroupReader.start(
    client,
    { group: 'gates', sessionMs: 1000, from: 'earliest', silentMs: 100, mostBytes: 1e6 },
    ['orders'],
    {
      assigned: partitions => assigned.push(partitions),
      messages: () => {},
      outOfRange: () => {},
      failed: error => failures.push(error),
    },
  );
  await eventually(async () => expect(consumers).toHaveLength(2));
  expect(failures[0]).toMatchObject({ kind: 'timed_out', message: expect.stringContaining('silent') });
  consumers[0]!.isDisconnected = false;
  consumers[0]!.listeners.join!({ payload: { memberAssignment: { orders: [0] } } });
  consumers[0]!.listeners.fetch!({});
  expect(consumers[0]!.isDisconnected).toBe(true);
  expect(assigned).toEqual([]);
  consumers[1]!.listeners.join!({ payload: { memberAssignment: { orders: [0] } } });
  expect(assigned).toEqual([[AT]]);
  await reader.stop();
});
