/**
 * Virtual time. Everything that happens later is an event in one queue, and the seed decides the order of events at the same time. One event
 * runs at a time, with all promises that it settles, so a run depends on nothing but its seed.
 *
 * Each event belongs to a process or to nobody. Events of a process that was killed never run. Code gets its timers and clocks from here: the
 * global functions are replaced while a run lasts.
 */
import { drainMicrotasks } from 'bun:jsc';
import { Random } from './random.ts';

/** 2027-05-17T09:00:00Z */
export const START = Date.UTC(2027, 4, 17, 9);

/** A simulated process, from its start to its end. */
export class Life {
  isAlive = true;
  /** A stopped process (SIGSTOP) goes on at this time, in ms. */
  stoppedUntil = 0;

  constructor(
    readonly name: string,
    /** How far its clock is ahead, in ms. */
    readonly skewMs = 0,
  ) {}
}

interface Event {
  at: number;
  /** Decides between events of the same time. */
  order: number;
  life: Life | null;
  run: () => void;
  isCancelled: boolean;
}

export class World {
  readonly random: Random;
  readonly trace: string[] = [];
  now = START;
  /** Whose event runs now; null: nobody's. */
  current: Life | null = null;
  readonly #queue: Event[] = [];

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  note(who: string, what: string): void {
    const ms = String(Math.round(this.now - START)).padStart(6);
    this.trace.push(`${ms} ms  ${who.padEnd(8)} ${what}`);
  }

  /** Runs a function after so many ms. It belongs to `life`. */
  after(ms: number, life: Life | null, run: () => void): Event {
    const event = {
      at: this.now + Math.max(0, ms),
      order: this.random.next(),
      life,
      run,
      isCancelled: false,
    };
    let place = this.#queue.length;
    // The next event is the last of the list.
    while (place > 0 && isBefore(this.#queue[place - 1]!, event)) place--;
    this.#queue.splice(place, 0, event);
    return event;
  }

  sleep(ms: number): Promise<void> {
    const life = this.current;
    return new Promise(resolve => this.after(ms, life, resolve));
  }

  /** Runs events until there are none, `isDone`, or virtual time `until`. Returns whether it stopped before `until`. */
  run(isDone: () => boolean, until: number): boolean {
    drainMicrotasks();
    while (!isDone()) {
      const event = this.#queue.pop();
      if (event === undefined) return true;
      if (event.isCancelled || event.life?.isAlive === false) continue;
      if (event.life !== null && event.life.stoppedUntil > event.at) {
        this.after(event.life.stoppedUntil - this.now, event.life, event.run);
        continue;
      }
      if (event.at > until) return false;
      this.now = event.at;
      this.current = event.life;
      event.run();
      drainMicrotasks();
      this.current = null;
    }
    return true;
  }

  /** The wall clock of the process that runs now. */
  clock(): number {
    return Math.floor(this.now) + (this.current?.skewMs ?? 0);
  }

  /** Runs a function with virtual timers and clocks in place of the real ones. */
  within<T>(run: () => T): T {
    const restores = REPLACEMENTS.map(([object, changes]) => replaced(object, changes));
    running = this;
    try {
      return run();
    } finally {
      for (const restore of restores) restore();
    }
  }

  every(run: () => void, ms: number): { isCancelled: boolean } {
    const life = this.current;
    const interval = { isCancelled: false };
    const again = () => {
      if (interval.isCancelled) return;
      run();
      this.after(ms, life, again);
    };
    this.after(ms, life, again);
    return interval;
  }
}

/** Objects that outlive a run keep the functions that they found at their making: these go by the run of the moment. */
let running: World;

const later = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
  running.after(Math.max(1, Math.ceil(ms)), running.current, () => run(...given));

const clear = (timer: { isCancelled: boolean } | undefined) => {
  if (timer) timer.isCancelled = true;
};

const REPLACEMENTS: readonly [object, Record<string, unknown>][] = [
  [
    globalThis,
    {
      setTimeout: later,
      setInterval: (run: () => void, ms: number) => running.every(run, ms),
      setImmediate: (run: () => void) => running.after(0, running.current, run),
      clearTimeout: clear,
      clearInterval: clear,
    },
  ],
  [Date, { now: () => running.clock() }],
  // It measures work, which takes no virtual time: nothing is ever due for a pause.
  [performance, { now: () => 0 }],
  [Math, { random: () => running.random.next() }],
  [crypto, { randomUUID: () => String(running.random.next()) }],
  [
    Bun,
    {
      sleep: (ms: number) => running.sleep(ms),
      // These use threads, whose end no seed decides.
      zstdCompress: async (bytes: Uint8Array<ArrayBuffer>) => Bun.zstdCompressSync(bytes),
      zstdDecompress: async (bytes: Uint8Array<ArrayBuffer>) => Bun.zstdDecompressSync(bytes),
    },
  ],
];

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

function replaced(object: object, changes: Record<string, unknown>): () => void {
  const target = object as Record<string, unknown>;
  const before = Object.keys(changes).map(name => [name, Object.hasOwn(target, name), target[name]] as const);
  Object.assign(target, changes);
  return () => {
    for (const [name, isOwn, value] of before)
      if (isOwn) target[name] = value;
      else delete target[name];
  };
}
