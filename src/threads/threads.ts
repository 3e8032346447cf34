/**
 * The threads of a process: each has one engine, and takes one batch at a time. A batch waits for the thread where its source lives, because that has decoded the
 * baseline and fitted the history; if that thread is stuck with another batch it goes to any one that is free, where the source lives from then on.
 *
 * An upload that is still coming may be parsed meanwhile, but gives its thread back as soon as another batch wants one. A thread whose task takes too long is
 * ended and replaced. While all threads are stuck, more are started: JavaScriptCore guards 8 memories of WebAssembly by page faults, and a ninth is slow.
 */
import { Rejection } from '../errors.ts';
import type { Known, StoredBaseline } from '../stores/ports.ts';
import { NOT_HELD } from '../baseline/sources.ts';
import type { OrderOf, ResultOf, TaskName } from './messages.ts';
import { MAX_THREADS } from './limits.ts';
import type { SourceReply } from './source-tasks.ts';
import type { Tasks } from './tasks.ts';
import { type Thread, ThreadEnded } from './thread.ts';

/** Names a source among those of all accounts. */
export const keyOf = (account: string, source: string): string => `${JSON.stringify(account)}:${source}`;

/** A batch goes to another thread that is free when the one of its source has been at one batch for this long: another thread has to decode the baseline and to fit the history again. */
const STUCK_MS = 200;
/** How often waiting batches are looked at. */
const LOOK_MS = 10;
/** A further thread is started when each one has been at one batch for this long. */
const ALL_STUCK_MS = 500;
/** How long a batch waits for a thread at all: less than the idle timeout of a connection. */
const MAX_WAIT_MS = 20_000;
/** Further threads end when they have not been used for this long. */
const SPARE_IDLE_MS = 30_000;
/** How long it takes until a thread that could not open is replaced. */
const RESTART_MS = 1000;
/** Sources whose threads are remembered. */
const MAX_HOMES = 10_000;

/** A thread that a batch has for itself. */
export interface Slot {
  readonly thread: Thread;
  /** Set while the batch can give its thread back at once: called when another one wants it. */
  interrupt: (() => void) | null;
  release(): void;
}

interface Place {
  thread: Thread;
  hasOpened: boolean;
  slot: Slot | null;
  /** When its slot was given or released last, in ms. */
  changedAt: number;
}

interface Waiter {
  key: string | null;
  since: number;
  resolve(slot: Slot): void;
  reject(error: unknown): void;
}

/** Where a source lives, and what of it its thread holds. */
interface Home {
  place: Place;
  known: Known | null;
}

type SourceTask = {
  [Name in TaskName]: Tasks[Name] extends (order: never) => SourceReply<unknown> ? Name : never;
}[TaskName];
type SourceResult<Name extends TaskName> = Tasks[Name] extends (order: never) => SourceReply<infer Result>
  ? Result
  : never;

/** Starts a thread. Calls `onEnd` once when it has ended. */
export type StartThread = (onEnd: () => void) => Thread;

export class Threads {
  readonly #start: StartThread;
  readonly #usual: number;
  readonly #now: () => number;
  #places: Place[] = [];
  #waiters: Waiter[] = [];
  readonly #homes = new Map<string, Home>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isClosed = false;

  /** `usual`: how many threads there are unless all are busy for long; at least 1. */
  constructor(start: StartThread, usual: number, now: () => number = () => performance.now()) {
    this.#start = start;
    this.#usual = usual;
    this.#now = now;
    for (let i = 0; i < usual; i++) this.#add();
  }

  /** Resolves when all threads can be asked. */
  async opened(): Promise<void> {
    await Promise.all(this.#places.map(({ thread }) => thread.opened));
  }

  /** Threads that have a batch. */
  get busy(): number {
    return this.#places.filter(({ slot }) => slot !== null).length;
  }

  /** Batches that wait for a thread. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** A thread if one is free at once, and nobody waits; else null. */
  free(key: string | null): Slot | null {
    if (this.#waiters.length > 0) return null;
    const place = this.#choose(key);
    return place && this.#give(place);
  }

  /** A thread for a batch: that of its source, if that is known and free soon. Throws `Rejection` SERVICE_UNAVAILABLE. */
  acquire(key: string | null): Promise<Slot> {
    const slot = this.free(key);
    if (slot) return Promise.resolve(slot);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ key, since: this.#now(), resolve, reject });
      this.#interruptOne(key);
      this.#look();
    });
  }

  /** Asks the thread of a source. `read`: reads the baseline, or what is new since. Throws what the task and `read` throw. */
  async ask<Name extends SourceTask>(
    name: Name,
    order: Omit<OrderOf<Name>, 'read'> & { key: string },
    read: (since: Known | null) => Promise<StoredBaseline>,
  ): Promise<SourceResult<Name>> {
    for (let tries = 0; ; tries++)
      try {
        const place = this.#homeOf(order.key)?.place ?? this.#quietest();
        return await this.askAt(place.thread, name, order, read);
      } catch (error) {
        if (!(error instanceof ThreadEnded) || error.isOvertime || tries > 0) throw unavailable(error);
      }
  }

  /** The same in this thread, where the source lives from now on. */
  async askAt<Name extends SourceTask>(
    thread: Thread,
    name: Name,
    order: Omit<OrderOf<Name>, 'read'> & { key: string },
    read: (since: Known | null) => Promise<StoredBaseline>,
  ): Promise<SourceResult<Name>> {
    const { key } = order;
    const place = this.#places.find(each => each.thread === thread);
    if (!place) throw new ThreadEnded(false);
    let since = this.knownIn(thread, key);
    for (let tries = 0; ; tries++) {
      const asked = { ...order, read: { stored: await read(since), since } } as unknown as OrderOf<Name>;
      const { result, known } = (await thread.ask(name, asked)) as SourceReply<SourceResult<Name>>;
      this.#setHome(key, { place, known });
      if (result !== NOT_HELD) return result;
      // What it holds is not what was thought: from there, or at last from the beginning.
      since = tries === 0 ? known : null;
    }
  }

  /** What is held of a source, in the thread where it lives; null for nothing. */
  known(key: string): Known | null {
    return this.#homeOf(key)?.known ?? null;
  }

  /** The same in this thread. */
  knownIn(thread: Thread, key: string): Known | null {
    const home = this.#homeOf(key);
    return home?.place.thread === thread ? home.known : null;
  }

  /** Asks any thread something that is about no source. */
  async run<Name extends TaskName>(name: Name, order: OrderOf<Name>): Promise<ResultOf<Name>> {
    try {
      return await this.#quietest().thread.ask(name, order);
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Tells the thread of a source something. Null if the source lives nowhere any more. */
  async tell<Name extends TaskName>(name: Name, order: OrderOf<Name> & { key: string }) {
    const home = this.#homeOf(order.key);
    return home ? home.place.thread.ask(name, order as OrderOf<Name>) : null;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    for (const { thread } of this.#places) thread.end();
  }

  #add(): Place {
    const place: Place = {
      thread: this.#start(() => this.#ended(place)),
      hasOpened: false,
      slot: null,
      changedAt: this.#now(),
    };
    place.thread.opened.then(
      () => {
        place.hasOpened = true;
      },
      () => {},
    );
    this.#places.push(place);
    return place;
  }

  #ended(place: Place): void {
    this.#places = this.#places.filter(each => each !== place);
    for (const [key, home] of this.#homes) if (home.place === place) this.#homes.delete(key);
    // One that could not open, for want of memory perhaps, is not tried again at once.
    if (place.hasOpened) this.#replace();
    else setTimeout(() => this.#replace(), RESTART_MS).unref();
  }

  #replace(): void {
    if (this.#isClosed || this.#places.length >= this.#usual) return;
    this.#add();
    this.#dispatch();
  }

  #homeOf(key: string): Home | undefined {
    return this.#homes.get(key);
  }

  #setHome(key: string, home: Home): void {
    if (!this.#places.includes(home.place)) return;
    this.#homes.delete(key);
    this.#homes.set(key, home);
    if (this.#homes.size > MAX_HOMES) this.#homes.delete(this.#homes.keys().next().value!);
  }

  /** The place of a source first; any free one for a source without a place, or whose place is stuck. */
  #choose(key: string | null): Place | null {
    const home = key === null ? undefined : this.#homeOf(key)?.place;
    if (home?.slot === null) return home;
    if (home && this.#now() - home.changedAt < STUCK_MS) return null;
    const free = this.#places.filter(({ slot }) => slot === null);
    // A source that is named behind its rows is mostly that of the batch before.
    if (key === null) return free.toSorted((a, b) => b.changedAt - a.changedAt)[0] ?? null;
    return free.toSorted((a, b) => a.changedAt - b.changedAt)[0] ?? null;
  }

  #quietest(): Place {
    return this.#places.find(({ slot }) => slot === null) ?? this.#places[0]!;
  }

  #give(place: Place): Slot {
    const slot: Slot = {
      thread: place.thread,
      interrupt: null,
      release: () => {
        if (place.slot !== slot) return;
        place.slot = null;
        place.changedAt = this.#now();
        this.#dispatch();
      },
    };
    place.slot = slot;
    place.changedAt = this.#now();
    return slot;
  }

  /** First come, first served, as far as the wait for a source's own thread allows. */
  #dispatch(): void {
    const left: Waiter[] = [];
    for (const waiter of this.#waiters) {
      const place = this.#choose(waiter.key);
      if (place) waiter.resolve(this.#give(place));
      else left.push(waiter);
    }
    this.#waiters = left;
    this.#look();
  }

  /** Another batch wants a thread: an upload that is still coming gives its one back. */
  #interruptOne(key: string | null): void {
    const home = key === null ? undefined : this.#homeOf(key)?.place;
    const place = [home, ...this.#places].find(each => each?.slot?.interrupt);
    const interrupt = place?.slot?.interrupt;
    if (!interrupt) return;
    place.slot!.interrupt = null;
    interrupt();
  }

  /** Looks again while batches wait. */
  #look(): void {
    if (this.#waiters.length === 0 || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#lookNow();
    }, LOOK_MS);
  }

  #lookNow(): void {
    const now = this.#now();
    const late = this.#waiters.filter(({ since }) => now - since > MAX_WAIT_MS);
    this.#waiters = this.#waiters.filter(({ since }) => now - since <= MAX_WAIT_MS);
    for (const { reject } of late) reject(unavailable(null));
    const areStuck = this.#places.every(
      ({ slot, changedAt }) => slot !== null && now - changedAt > ALL_STUCK_MS,
    );
    if (areStuck && this.#waiters.length > 0 && this.#places.length < MAX_THREADS) this.#addSpare();
    this.#dispatch();
  }

  #addSpare(): void {
    const place = this.#add();
    const timer = setInterval(() => {
      const isUsed = place.slot !== null || this.#now() - place.changedAt < SPARE_IDLE_MS;
      if (isUsed && this.#places.includes(place)) return;
      clearInterval(timer);
      place.thread.end();
    }, SPARE_IDLE_MS);
    timer.unref();
  }
}

export function unavailable(error: unknown): unknown {
  if (error !== null && !(error instanceof ThreadEnded)) return error;
  if (error?.isOvertime)
    return new Rejection(
      'PAYLOAD_TOO_LARGE',
      'Too large: the request needs more processor time than one may take; send fewer rows, fields or rules',
    );
  return new Rejection(
    'SERVICE_UNAVAILABLE',
    error === null
      ? 'All threads are at work; try again in a moment'
      : 'The thread that did this request ended; send the request again',
    { 'Retry-After': '1' },
  );
}
