/**
 * A simulated Kafka: logs, one group, and writers that end the transactions of the writers before them. A log may be cut (an unclean election, a
 * restored broker) or lose its beginning (retention).
 */
import {
  type Handlers,
  type Kafka,
  KafkaFailure,
  type Message,
  type Outgoing,
  type PartitionLog,
  type Position,
  type Reader,
  type Refusal,
  type TopicPartition,
  type Writer,
} from '../../src/stream/port.ts';
import { MessageHeaders } from '../../src/stream/headers.ts';
import { Rejection } from '../../src/terms/errors.ts';
import type { Wire } from './wire.ts';
import type { Life, World } from './world.ts';

/** A group waits so long for a member that has gone, in ms. */
const SESSION_MS = 1500;
const POLL_MS = 150;
const MOST_FETCHED = 5;

export interface LogRecord {
  offset: number;
  key: string;
  value: Uint8Array | null;
  isFetched: boolean;
}

export class Log {
  readonly records: LogRecord[] = [];
  start = 0;
  end = 0;
  /** The offset after all that was fetched. */
  fetchedTo = 0;
  /** The offset after the last message that was deleted. */
  deletedTo = 0;
  /** Of a log that was cut: the end of what was fetched before. Null for others, and once a process was told of the cut and goes on. */
  unseenFrom: number | null = null;
  /** The process that was told last that it has an offset no more, and the first of its writers that can mind it. */
  told: { life: Life; epoch: number } | null = null;

  append(key: string, value: Uint8Array | null): void {
    this.records.push({ offset: this.end++, key, value, isFetched: false });
  }

  /** A marker of a transaction takes an offset. */
  skip(): void {
    this.end++;
  }

  /** Loses what comes from this offset on. */
  cut(end: number): void {
    this.unseenFrom = this.fetchedTo;
    this.end = Math.max(this.start, end);
    while ((this.records.at(-1)?.offset ?? -1) >= this.end) this.records.pop();
  }

  /** Loses what comes before this offset. */
  forget(start: number): void {
    this.start = Math.min(start, this.end);
    while ((this.records[0]?.offset ?? this.start) < this.start)
      this.deletedTo = this.records.shift()!.offset + 1;
  }
}

interface Member {
  life: Life;
  handlers: Handlers;
  reader: Reader | null;
  generation: number;
  /** By name of the partition. */
  fetches: Map<string, Fetch>;
}

interface Fetch {
  at: TopicPartition;
  offset: number;
  isPaused: boolean;
}

interface Opened {
  epoch: number;
  /** By partition. */
  positions: ReadonlyMap<number, Position>;
}

/** A planted fault: of commits, or of the end of a log, which the broker keeps to itself. */
export type BrokerPlant = 'offset apart' | 'offset first' | 'unfenced' | 'cut unseen' | null;

const nameOf = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;

export class Broker {
  readonly logs = new Map<string, Log>();
  readonly positions = new Map<string, Position>();
  readonly #epochs = new Map<string, number>();
  readonly #members = new Set<Member>();
  #generation = 0;

  constructor(
    readonly world: World,
    readonly inputs: readonly TopicPartition[],
    readonly plant: BrokerPlant,
  ) {
    for (const at of inputs) this.logs.set(nameOf(at), new Log());
  }

  log(at: TopicPartition): Log {
    const name = nameOf(at);
    const log = this.logs.get(name) ?? new Log();
    this.logs.set(name, log);
    return log;
  }

  /** As a process sees it. */
  connected(life: Life, wire: Wire): Kafka {
    const ask = <T>(name: string, run: () => T): Promise<T> =>
      wire.call(`kafka.${name}`, run).catch((error: unknown) => {
        throw error instanceof Rejection
          ? new KafkaFailure('broker_away', `${name}: ${error.message}`)
          : error;
      });
    return {
      partitionsOf: () => ask('partitionsOf read', () => 1),
      logOf: at => ask('logOf read', () => this.#logOf(at, life)),
      read: (_, handlers) => this.#join(life, handlers),
      openWriter: async input => {
        const opened = await ask(`openWriter ${nameOf(input)}`, () => this.#open(input));
        return this.#writer(input, life, opened, ask);
      },
      close: async () => {},
    };
  }

  /** The process has ended: the group notices after a while. */
  gone(life: Life): void {
    const gone = [...this.#members].filter(member => member.life === life);
    this.world.after(SESSION_MS, null, () => {
      for (const member of gone) this.#members.delete(member);
      this.rebalance();
    });
  }

  /** Gives the partitions to the members anew. A stopped member hears of it when it goes on. */
  rebalance(): void {
    const { world } = this;
    const members = [...this.#members];
    if (members.length === 0) return;
    const generation = ++this.#generation;
    const shift = world.random.int(0, members.length);
    for (const [i, member] of members.entries()) {
      const own = this.inputs.filter((_, k) => (k + shift) % members.length === i);
      world.after(world.random.next() * 20, member.life, () => this.#assign(member, generation, own));
    }
  }

  #join(life: Life, handlers: Handlers): Reader {
    const member: Member = { life, handlers, reader: null, generation: 0, fetches: new Map() };
    this.#members.add(member);
    this.world.after(1, null, () => this.rebalance());
    const fetchOf = (at: TopicPartition) => member.fetches.get(nameOf(at));
    const reader: Reader = {
      resume: (at, offset) => {
        const fetch = fetchOf(at);
        if (fetch === undefined) return;
        Object.assign(fetch, { isPaused: false, offset });
      },
      pause: at => void Object.assign(fetchOf(at) ?? {}, { isPaused: true }),
      unpause: at => void Object.assign(fetchOf(at) ?? {}, { isPaused: false }),
      stop: async () => {
        this.#members.delete(member);
        this.rebalance();
      },
    };
    member.reader = reader;
    return reader;
  }

  #assign(member: Member, generation: number, own: readonly TopicPartition[]): void {
    if (generation < member.generation) return;
    member.generation = generation;
    member.fetches = new Map(own.map(at => [nameOf(at), { at, offset: 0, isPaused: true }]));
    member.handlers.assigned([...own], member.reader!);
    for (const fetch of member.fetches.values()) this.#poll(member, generation, fetch);
  }

  #poll(member: Member, generation: number, fetch: Fetch): void {
    const { world } = this;
    world.after(world.random.next() * POLL_MS, member.life, () => {
      if (member.generation !== generation) return;
      if (!fetch.isPaused) this.#fetch(member, fetch);
      this.#poll(member, generation, fetch);
    });
  }

  #fetch({ handlers, life }: Member, fetch: Fetch): void {
    const { at } = fetch;
    const log = this.log(at);
    if (fetch.offset > log.end && this.plant === 'cut unseen') return;
    if (fetch.offset > log.end || fetch.offset < log.start) {
      this.world.note(
        'broker',
        `${nameOf(at)} has no offset ${fetch.offset}: it has ${log.start} to ${log.end}`,
      );
      fetch.isPaused = true;
      // A window in progress is still committed by the writer before.
      log.told = { life, epoch: this.#epochOf(nameOf(at)) + 1 };
      handlers.outOfRange(at, fetch.offset);
      return;
    }
    const from = fetch.offset;
    const found = log.records
      .filter(({ offset }) => offset >= from)
      .slice(0, this.world.random.int(1, MOST_FETCHED));
    if (from === log.end) return;
    const messages = found.map(messageOf);
    for (const record of found) record.isFetched = true;
    // Markers at the end of a log come without messages.
    fetch.offset = messages.at(-1)?.next ?? log.end;
    log.fetchedTo = Math.max(log.fetchedTo, fetch.offset);
    handlers.messages(at, messages, { from, next: fetch.offset, end: log.end });
  }

  #logOf(at: TopicPartition, life: Life): PartitionLog {
    const log = this.log(at);
    const { start, end: last } = log;
    if (last < (this.positions.get(nameOf(at))?.offset ?? 0))
      log.told = { life, epoch: this.#epochOf(nameOf(at)) };
    const end = this.plant === 'cut unseen' ? Number.MAX_SAFE_INTEGER : last;
    return { topicId: 'rows', partitions: this.inputs.length, beginning: start, end };
  }

  #epochOf = (name: string): number => this.#epochs.get(name) ?? 0;

  #open(input: TopicPartition): Opened {
    const name = nameOf(input);
    const epoch = this.#epochOf(name) + 1;
    this.#epochs.set(name, epoch);
    const own = this.inputs.filter(at => at.topic === input.topic && this.positions.has(nameOf(at)));
    return { epoch, positions: new Map(own.map(at => [at.partition, this.positions.get(nameOf(at))!])) };
  }

  #writer(
    input: TopicPartition,
    life: Life,
    { epoch, positions }: Opened,
    ask: <T>(name: string, run: () => T) => Promise<T>,
  ): Writer {
    const name = nameOf(input);
    const fenced = () => {
      if (this.#epochs.get(name) !== epoch && this.plant !== 'unfenced')
        throw new KafkaFailure('fenced', `another writer of ${name} was opened`);
    };
    const write = (messages: readonly Outgoing[]) => {
      fenced();
      for (const { topic, partition, key, value } of messages)
        this.log({ topic, partition }).append(Buffer.from(key!).toString(), value);
    };
    const move = (to: Position) => {
      fenced();
      this.positions.set(name, to);
      const log = this.log(input);
      const { told } = log;
      if (told?.life === life && epoch < told.epoch) return;
      if (told?.life === life) log.unseenFrom = null;
      log.told = null;
    };
    const commit = async (messages: readonly Outgoing[], to: Position): Promise<readonly Refusal[]> => {
      const what = `commit ${name} ${messages.length} messages, offset ${to.offset}`;
      if (this.plant === 'offset first') await ask(`${what}: offset`, () => move(to));
      await ask(what, () => {
        write(messages);
        if (this.plant !== 'offset first' && this.plant !== 'offset apart') move(to);
      });
      if (this.plant === 'offset apart') await ask(`${what}: offset`, () => move(to));
      return [];
    };
    return { positions, commit, close: async () => {} };
  }
}

/** Each record has the headers and the time of its kind: none. */
const messageOf = ({ offset, key, value }: LogRecord): Message => ({
  offset,
  next: offset + 1,
  key: Buffer.from(key),
  value,
  headers: MessageHeaders.NONE,
  timestamp: 0n,
  fault: null,
});
