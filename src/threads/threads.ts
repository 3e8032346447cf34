/**
 * The threads of a process: each has one engine, and takes one batch at a time. A batch waits for the thread where its source lives, because that has decoded the
 * baseline and fitted the history; if that thread is stuck with another batch it goes to any one that is free, where the source lives from then on.
 *
 * Who waits is served by account, the one with the fewest threads first, so that one account's batches delay no other account. Small batches have a thread more than
 * large ones: at least one is never at work on a large batch.
 *
 * An upload that is still coming may be parsed meanwhile, but gives its thread back as soon as another batch wants one. A thread whose task takes too long is
 * ended and replaced.
 */
import { LRUCache } from 'lru-cache';
import { Rejection } from '../terms/errors.ts';
import type { Known, StoredBaseline } from '../stores/ports.ts';
import { NOT_HELD } from '../baseline/sources.ts';
import type { OrderOf, ResultOf, TaskName } from './messages.ts';
import type { SourceReply } from './source-tasks.ts';
import type { Tasks } from './tasks.ts';
import { type Thread, ThreadEnded } from './thread.ts';

/** Names a source among those of all accounts. */
export const keyOf = (account: string, source: string): string => `${JSON.stringify(account)}:${source}`;

/** A batch goes to another thread that is free when the one of its source has been at one batch for this long: another thread has to decode the baseline and to fit the history again. */
const STUCK_MS = { small: 25, large: 200 };
/** How often waiting batches are looked at. */
const LOOK_MS = 10;
/** How long a batch of a client waits for a thread at all: less than the idle timeout of a connection. */
const MAX_WAIT_MS = 20_000;
/** How long it takes until a thread that could not open is replaced. */
const RESTART_MS = 1000;
/** Sources whose threads are remembered. */
const MAX_HOMES = 10_000;

/** What a batch asks for. */
export interface Want {
  /** Null: the process itself. */
  account: string | null;
  /** Of its source; null: not known yet. */
  key: string | null;
  isSmall: boolean;
}

/** A thread that a batch has for itself. */
export interface Slot {
  readonly thread: Thread;
  readonly want: Want;
  /** Set while the batch can give its thread back at once: called when another one wants it. */
  interrupt: (() => void) | null;
  release(): void;
}

interface Place {
  thread: Thread;
  /** No large batch comes here. */
  isForSmall: boolean;
  hasOpened: boolean;
  slot: Slot | null;
  /** When its slot was given or released last, in ms. */
  changedAt: number;
}

interface Waiter {
  want: Want;
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

/** Starts a thread. Calls `onEnd` once when it has ended. `isForSmall`: it gets small batches only. */
export type StartThread = (onEnd: () => void, isForSmall: boolean) => Thread;

export class Threads {
  readonly #start: StartThread;
  readonly #large: number;
  readonly #forSmall: number;
  readonly #now: () => number;
  readonly #maxWaitMs: number;
  #places: Place[] = [];
  #waiters: Waiter[] = [];
  readonly #homes = new LRUCache<string, Home>({ max: MAX_HOMES });
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isClosed = false;

  /** `large`: how many threads large batches may have; at least 1. `forSmall`: how many there are besides. */
  constructor(
    start: StartThread,
    large: number,
    forSmall = 0,
    now: () => number = () => performance.now(),
    maxWaitMs = MAX_WAIT_MS,
  ) {
    this.#start = start;
    this.#large = large;
    this.#forSmall = forSmall;
    this.#now = now;
    this.#maxWaitMs = maxWaitMs;
    this.#fill();
  }

  /** Resolves when all threads can be asked. */
  async opened(): Promise<void> {
    await Promise.all(this.#places.map(({ thread }) => thread.opened));
  }

  /** Large batches that may have a thread at once. */
  get large(): number {
    return this.#large;
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
  free(want: Want): Slot | null {
    if (this.#waiters.length > 0) return null;
    const place = this.#choose(want);
    return place && this.#give(place, want);
  }

  /** A thread for a batch: that of its source, if that is known and free soon. Throws `Rejection` SERVICE_UNAVAILABLE. */
  acquire(want: Want): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const waiter = { want, since: this.#now(), resolve, reject };
      this.#waiters.push(waiter);
      this.#dispatch();
      if (this.#waiters.includes(waiter)) this.#interruptOne(want.key);
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
        const home = this.#homes.get(order.key)?.place;
        const place = home && !this.#isStuck(home, STUCK_MS.small) ? home : this.#quietest();
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

  /** A thread has answered to what it was asked of a source besides. */
  heard(thread: Thread, key: string, known: Known | null): void {
    const place = this.#places.find(each => each.thread === thread);
    if (place) this.#setHome(key, { place, known });
  }

  /** A source that lives nowhere lives in this thread from now on. */
  settle(thread: Thread, key: string): void {
    if (!this.#homes.has(key)) this.heard(thread, key, null);
  }

  /** What is held of a source, in the thread where it lives; null for nothing. */
  known(key: string): Known | null {
    return this.#homes.get(key)?.known ?? null;
  }

  /** The same in this thread. */
  knownIn(thread: Thread, key: string): Known | null {
    const home = this.#homes.get(key);
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

  /** Asks every thread. */
  async askEach<Name extends TaskName>(name: Name, order: OrderOf<Name>): Promise<ResultOf<Name>[]> {
    return Promise.all(this.#places.map(({ thread }) => thread.ask(name, order)));
  }

  /** Tells the thread of a source whether the store took its fold. Does nothing if the source lives nowhere any more. */
  async foldEnded(key: string, won: boolean): Promise<void> {
    const place = this.#homes.get(key)?.place;
    if (!place) return;
    const known = await place.thread.ask('foldEnded', { key, won });
    // The source may have moved to another thread meanwhile.
    if (this.#homes.get(key)?.place === place) this.#setHome(key, { place, known });
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    for (const { thread } of this.#places) thread.end();
  }

  #fill(): void {
    for (const [isForSmall, count] of [
      [false, this.#large],
      [true, this.#forSmall],
    ] as const)
      for (let i = this.#places.filter(place => place.isForSmall === isForSmall).length; i < count; i++)
        this.#add(isForSmall);
  }

  #add(isForSmall: boolean): void {
    const place: Place = {
      thread: this.#start(() => this.#ended(place), isForSmall),
      isForSmall,
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
  }

  #ended(place: Place): void {
    this.#places = this.#places.filter(each => each !== place);
    for (const [key, home] of this.#homes) if (home.place === place) this.#homes.delete(key);
    // One that could not open, for want of memory perhaps, is not tried again at once.
    if (place.hasOpened) this.#replace();
    else setTimeout(() => this.#replace(), RESTART_MS).unref();
  }

  #replace(): void {
    if (this.#isClosed) return;
    this.#fill();
    this.#dispatch();
  }

  #setHome(key: string, home: Home): void {
    if (!this.#places.includes(home.place)) return;
    this.#homes.set(key, home);
  }

  /** The place of a source first; any free one for a source without a place, or whose place is stuck. */
  #choose({ key, isSmall }: Want): Place | null {
    const usual = this.#places.filter(({ isForSmall }) => !isForSmall);
    // Each thread compiles and learns for itself: the one for small batches is for when large ones have all others.
    const areLarge = usual.every(({ slot }) => slot !== null && !slot.want.isSmall);
    const places = isSmall && areLarge ? this.#places : usual;
    const free = places.filter(({ slot }) => slot === null);
    const home = key === null ? undefined : this.#homes.get(key)?.place;
    if (home && free.includes(home)) return home;
    const waits = home && places.includes(home);
    if (waits && !this.#isStuck(home, isSmall ? STUCK_MS.small : STUCK_MS.large)) return null;
    // A source that is named behind its rows is mostly that of the batch before.
    const sign = key === null ? -1 : 1;
    return free.toSorted((a, b) => sign * (a.changedAt - b.changedAt))[0] ?? null;
  }

  #isStuck({ slot, changedAt }: Place, ms: number): boolean {
    return slot !== null && this.#now() - changedAt >= ms;
  }

  #quietest(): Place {
    const quietness = ({ slot }: Place) => (slot === null ? 0 : slot.want.isSmall ? 1 : 2);
    const [place] = this.#places.toSorted((a, b) => quietness(a) - quietness(b));
    // All have ended, and a second later there are others.
    if (!place) throw new ThreadEnded(false);
    return place;
  }

  #give(place: Place, want: Want): Slot {
    const slot: Slot = {
      thread: place.thread,
      want,
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

  #dispatch(): void {
    while (this.#waiters.length > 0 && this.#places.some(({ slot }) => slot === null)) {
      const next = this.#next();
      if (next === null) break;
      this.#waiters = this.#waiters.filter(waiter => waiter !== next.waiter);
      next.waiter.resolve(this.#give(next.place, next.waiter.want));
    }
    this.#look();
  }

  /** The account with the fewest threads first, then first come, first served, as far as the wait for a source's own thread allows. */
  #next(): { waiter: Waiter; place: Place } | null {
    let next: { waiter: Waiter; place: Place; held: number } | null = null;
    for (const waiter of this.#waiters) {
      const held = this.#places.filter(({ slot }) => slot?.want.account === waiter.want.account).length;
      if (next !== null && held >= next.held) continue;
      const place = this.#choose(waiter.want);
      if (place) next = { waiter, place, held };
    }
    return next;
  }

  /** Another batch wants a thread: an upload that is still coming gives its one back. */
  #interruptOne(key: string | null): void {
    const home = key === null ? undefined : this.#homes.get(key)?.place;
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
    const late = this.#waiters.filter(({ since }) => now - since > this.#maxWaitMs);
    this.#waiters = this.#waiters.filter(({ since }) => now - since <= this.#maxWaitMs);
    for (const { reject } of late) reject(unavailable(null));
    this.#dispatch();
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
