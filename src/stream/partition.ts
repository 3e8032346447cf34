/**
 * Screens one input partition, window after window.
 *
 * A window's jobs are written before its rows are. So that they are found again if the process is killed in between, the end of
 * a window is promised before it is screened, with the group's offset: whoever comes next cuts the same window and gets the same
 * answers. Under load the promise is part of the transaction of the window before, and costs nothing.
 */
import type { Logger } from 'pino';
import { Rejection } from '../terms/errors.ts';
import type { Input, StreamConfig } from './config.ts';
import { inTime, type Waits } from './in-time.ts';
import type { Judge, JudgedWindow } from './judge.ts';
import type { StreamMeter } from './meter.ts';
import { type Note, noteOf, type Promised } from './note.ts';
import {
  type FetchedRange,
  type Kafka,
  KafkaFailure,
  type Message,
  type Outgoing,
  type Reader,
  type Refusal,
  type TopicPartition,
  type Writer,
} from './port.ts';
import { type Outputs, outgoingOf, verdictsOf } from './outgoing.ts';
import { startOf } from './start.ts';
import { Windows } from './windows.ts';

export interface PartitionDependencies {
  config: StreamConfig;
  kafka: Kafka;
  judge: Judge;
  meter: StreamMeter;
  log: Logger;
  /** In ms, never set back. */
  now(): number;
  waits: Waits;
}

/** Delays of tries after a failure. */
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 10_000;

export class PartitionLoop {
  readonly #at: TopicPartition;
  readonly #input: Input;
  readonly #reader: Reader;
  readonly #deps: PartitionDependencies;
  readonly #windows: Windows;
  #writer: Writer | null = null;
  /** The next offset that we have not seen. */
  #next = 0;
  /** Why reading cannot go on. */
  #fault: KafkaFailure | null = null;
  /** Offsets that the broker did not have, by topic and partition. When a partition is opened again, the offset may have another message. */
  readonly #refused: Map<string, number>;
  /** The offset after the last message of the partition. */
  #end = 0;
  /** The note that is kept with the offset of the group. */
  #note: Note = { promised: null, topicId: null, partitions: null };
  /** Reading began with the offset of our writer. */
  #isOpen = false;
  #isPaused = true;
  #isStopped = false;
  #failures = 0;
  #wake = () => {};
  /** Resolves when the loop has ended. */
  readonly ended: Promise<void>;

  /** `refused`: see `#refused`. It outlives the loop, which ends at a rebalance. */
  constructor(
    at: TopicPartition,
    input: Input,
    reader: Reader,
    deps: PartitionDependencies,
    refused: Map<string, number>,
  ) {
    this.#at = at;
    this.#refused = refused;
    this.#input = input;
    this.#reader = reader;
    this.#deps = deps;
    this.#windows = new Windows(deps.config.window, deps.now);
    this.ended = this.#run();
  }

  add(messages: readonly Message[], { from, next, end }: FetchedRange): void {
    if (!this.#isOpen || this.#isStopped || this.#fault) return;
    if (from > this.#next) {
      this.#stumble(new KafkaFailure('other', `messages ${this.#next} to ${from - 1} were left out`));
      return;
    }
    const news = messages.filter(({ offset }) => offset >= this.#next);
    this.#next = Math.max(this.#next, next);
    this.#windows.add(news, this.#next);
    this.#end = end;
    if (this.#windows.isFull && !this.#isPaused) this.#pause();
    this.#wake();
  }

  outOfRange(offset: number): void {
    if (!this.#isOpen || this.#isStopped || this.#fault) return;
    this.#refused.set(this.#name, offset);
    this.#stumble(new KafkaFailure('out_of_range', `the broker has no offset ${offset}`));
  }

  get #name(): string {
    return `${this.#at.topic}/${this.#at.partition}`;
  }

  #stumble(fault: KafkaFailure): void {
    this.#fault = fault;
    this.#wake();
  }

  /** Lets the window end that is being screened. The reader may read the partition for the next loop: this one leaves it alone. */
  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped)
      try {
        await this.#open();
        await this.#screenAll();
      } catch (error) {
        await this.#fail(error);
      }
    void this.#writer?.close();
    this.#deps.meter.left(this.#at);
  }

  /** Nobody else can move the offset from here on. */
  async #open(): Promise<void> {
    const { config, kafka, log: logger, meter, waits } = this.#deps;
    const opening = kafka.openWriter(this.#at);
    try {
      this.#writer = await inTime('Opening a writer', waits.open, opening);
    } catch (error) {
      void opening.then(writer => writer.close()).catch(() => {});
      throw error;
    }
    const { positions } = this.#writer;
    const { partition } = this.#at;
    const committed = positions.get(partition)?.offset ?? 0;
    const log = await inTime('Reading offsets', waits.open, kafka.logOf(this.#at, committed));
    const refused = this.#refused.get(this.#name) ?? null;
    const { offset, note, moved } = startOf(partition, positions, log, config.from, refused);
    this.#windows.clear();
    this.#fault = null;
    this.#note = note;
    this.#windows.promise(note.promised?.last ?? null);
    if (this.#isStopped) return;
    if (moved !== null) {
      meter.failed(moved.kind);
      logger.error({ ...this.#at, kind: moved.kind, from: moved.from, to: offset }, moved.message);
    }
    // Commits the offset, so that it is decided only once: `latest` moves with each new message.
    if (offset !== positions.get(partition)?.offset) await this.#commit([], offset, note.promised);
    this.#refused.delete(this.#name);
    this.#seek(offset);
  }

  #seek(offset: number): void {
    this.#next = offset;
    this.#isOpen = true;
    this.#isPaused = false;
    if (!this.#isStopped) this.#reader.resume(this.#at, offset);
  }

  #pause(): void {
    this.#isPaused = true;
    if (!this.#isStopped) this.#reader.pause(this.#at);
  }

  #unpause(): void {
    if (this.#isStopped || !this.#isPaused || this.#windows.isFull) return;
    this.#isPaused = false;
    this.#reader.unpause(this.#at);
  }

  async #screenAll(): Promise<void> {
    for (;;) {
      const count = await this.#ready();
      if (count === 0) return;
      const since = this.#windows.since;
      await this.#promise(this.#windows.lastOf(count));
      const window = this.#windows.take(count);
      this.#unpause();
      const judging = this.#deps.judge.judge(window, this.#at, this.#input);
      const judged = await inTime('Screening a window', this.#deps.waits.judge, judging);
      const isBlocked = judged.verdicts.some(({ report }) => report.status === 'BLOCK');
      if (isBlocked && this.#deps.config.onBlock === 'halt') return this.#halt(window, judged);
      const refused = await this.#pass(window, judged);
      this.#failures = 0;
      this.#deps.meter.passed(this.#at, {
        messages: window.length,
        held: judged.held.size + refused,
        verdicts: judged.verdicts,
        ms: this.#deps.now() - since,
        lag: Math.max(0, this.#end - window.at(-1)!.next),
      });
    }
  }

  /** How many messages the next window has; 0 when we stop. */
  async #ready(): Promise<number> {
    for (;;) {
      if (this.#isStopped) return 0;
      if (this.#fault) throw this.#fault;
      const { ready, dueInMs } = this.#windows;
      if (ready > 0) return ready;
      const isWoken = await this.#wait(dueInMs ?? this.#deps.waits.quiet);
      if (isWoken || dueInMs !== null) continue;
      await this.#checkPromise();
      // Usually there is nothing. If the reader has lost its place, this finds it again.
      this.#seek(this.#next);
    }
  }

  /** Drops the promise if the log was cut before the promised message: the window would wait until the log is so long again. */
  async #checkPromise(): Promise<void> {
    const last = this.#windows.promised;
    if (last === null) return;
    const { kafka, waits } = this.#deps;
    const next = this.#next;
    const { end } = await inTime('Reading offsets', waits.open, kafka.logOf(this.#at, last + 1));
    if (end > last) return;
    if (end < next) return this.outOfRange(next);
    this.#note = { ...this.#note, promised: null };
    this.#windows.promise(null);
  }

  async #promise(last: number): Promise<void> {
    if (this.#note.promised?.last === last) return;
    await this.#commit([], this.#windows.first, { last, told: false });
  }

  /** Returns how many messages `clean` has refused. They are held. */
  async #commit(
    messages: readonly Outgoing[],
    offset: number,
    promised: Promised | null = null,
  ): Promise<number> {
    const note = { ...this.#note, promised };
    const writing = this.#writer!.commit(messages, { offset, note: noteOf(note) });
    const refusals = await inTime('Writing a window', this.#deps.waits.commit, writing);
    this.#note = note;
    if (refusals.length > 0) this.#tell(refusals);
    return refusals.filter(({ topic }) => topic === this.#input.clean).length;
  }

  /** Logs refusals. A message may have two, of `clean` and of `held`. */
  #tell(refusals: readonly Refusal[]): void {
    const { log, meter } = this.#deps;
    for (const same of Map.groupBy(refusals, ({ topic, kind }) => `${topic} ${kind}`).values()) {
      const { kind, message } = same[0]!;
      meter.failed(kind);
      log.warn({ ...this.#at, kind, messages: same.length }, `${message}; it is held`);
    }
  }

  /** Returns how many messages `clean` has refused. */
  async #pass(window: readonly Message[], judged: JudgedWindow): Promise<number> {
    const outputs = await this.#outputs();
    const messages = [
      ...outgoingOf(window, judged, this.#at, outputs),
      ...(this.#note.promised?.told ? [] : verdictsOf(judged, this.#at, outputs)),
    ];
    const full = this.#windows.full;
    const promised = full > 0 ? { last: this.#windows.lastOf(full), told: false } : null;
    const refused = await this.#commit(messages, window.at(-1)!.next, promised);
    this.#windows.promise(promised?.last ?? null);
    return refused;
  }

  /** Stays until the partition goes to another process, or this one ends. */
  async #halt(window: readonly Message[], judged: JudgedWindow): Promise<void> {
    const [first, last] = [window[0]!.offset, window.at(-1)!.offset];
    this.#pause();
    if (!this.#note.promised?.told) {
      const outputs = await this.#outputs();
      await this.#commit(verdictsOf(judged, this.#at, outputs), first, { last, told: true });
    }
    this.#windows.clear();
    const [blocked] = judged.verdicts.filter(({ report }) => report.status === 'BLOCK');
    this.#deps.meter.halted(this.#at, true);
    this.#deps.log.error(
      {
        ...this.#at,
        first,
        last,
        requestId: blocked!.report.request_id,
        reason: blocked!.report.decision.reason,
      },
      'a window is BLOCKed and on_block is halt: the partition stops here; to go on, start with on_block: divert or pass',
    );
    while (!this.#isStopped) await this.#wait(null);
    this.#deps.meter.halted(this.#at, false);
  }

  async #outputs(): Promise<Outputs> {
    const { config, kafka, waits } = this.#deps;
    const { clean, held } = this.#input;
    const place = async (topic: string) => {
      const count = await inTime(`Asking for the topic ${topic}`, waits.topic, kafka.partitionsOf(topic));
      return { topic, partition: this.#at.partition % count };
    };
    const verdicts = config.verdicts === null ? null : await place(config.verdicts);
    return { clean: await place(clean), held: await place(held), verdicts };
  }

  /** Everything since the last commit is read and done again, by a new writer. */
  async #fail(error: unknown): Promise<void> {
    const kind = kindOf(error);
    if (kind === null) throw error;
    this.#isOpen = false;
    this.#pause();
    this.#windows.clear();
    const old = this.#writer;
    this.#writer = null;
    void old?.close();
    if (this.#isStopped) return;
    const retryMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures++);
    this.#deps.meter.failed(kind);
    const then = kind === 'out_of_range' ? 'looking up where to go on' : 'nothing is lost, it is tried again';
    this.#deps.log.warn({ ...this.#at, kind, retryMs }, `${(error as Error).message}; ${then}`);
    const until = this.#deps.now() + retryMs;
    while (!this.#isStopped && this.#deps.now() < until) await this.#wait(until - this.#deps.now());
  }

  /** Until something has come (true), or for so long. */
  #wait(ms: number | null): Promise<boolean> {
    return new Promise(resolve => {
      const timer = ms === null ? undefined : setTimeout(() => resolve(false), Math.ceil(ms));
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}

/** Null: a bug. */
function kindOf(error: unknown): string | null {
  if (error instanceof KafkaFailure) return error.kind;
  if (!(error instanceof Rejection)) return null;
  if (error.code === 'PLAN_LIMIT_EXCEEDED') return 'plan';
  return error.code === 'AUTH_INVALID' ? 'key' : 'store';
}
