/**
 * Lends engines. At most 8: JavaScriptCore guards that many memories by page faults. A ninth checks every access and is
 * copied whole whenever it grows, which for a batch of 2,000 columns was half a minute that nothing else ran in.
 * Who finds none waits in line, for a while.
 *
 * An engine that trapped is given up and made anew when it is next needed. Its memory counts until it is collected, so that is
 * done first where it could be one of more than 8. One whose memory a wide batch has blown up goes on serving, and is
 * let go when nobody has wanted it for a while.
 */
import { fullGC } from 'bun:jsc';
import { Rejection } from '../errors.ts';
import { Engine } from './engine.ts';

export const MAX_ENGINES = 8;

/** Address space past the body's that an engine may keep while it is idle: room for about 500 columns. */
const KEPT_BYTES = 128 * 1024 * 1024;

/** How long a caller waits in line: less than after what time a connection without traffic is cut. */
const MAX_WAIT_MS = 20_000;

interface Waiter {
  resolve(engine: Engine): void;
  reject(error: unknown): void;
  timer: ReturnType<typeof setTimeout>;
}

export class EnginePool {
  #idle: Engine[] = [];
  /** Lent since the last `trim`. */
  readonly #wanted = new Set<Engine>();
  #lent = 0;
  /** Let go since garbage was collected last: their memories may still be there. */
  #gone = 0;
  #waiting: Waiter[] = [];

  constructor(
    readonly module: WebAssembly.Module,
    readonly maxBodyBytes: number,
    readonly size = MAX_ENGINES,
    readonly maxWaitMs = MAX_WAIT_MS,
    readonly collect: () => unknown = fullGC,
  ) {}

  /** Resolves with an engine, at once or when one is given back: first come, first served. Throws SERVICE_UNAVAILABLE. */
  async lend(): Promise<Engine> {
    if (this.#lent >= this.size) return this.#wait();
    const engine = this.#idle.pop() ?? this.#make();
    this.#lent++;
    this.#wanted.add(engine);
    return engine;
  }

  giveBack(engine: Engine): void {
    const next = this.#waiting.shift();
    if (next) {
      clearTimeout(next.timer);
      next.resolve(engine);
      return;
    }
    this.#lent--;
    this.#idle.push(engine);
  }

  /** Instead of `giveBack`: the engine is not to be used again. */
  giveUp(): void {
    this.#lent--;
    this.#gone++;
    const next = this.#waiting.shift();
    if (!next) return;
    clearTimeout(next.timer);
    this.lend().then(next.resolve, next.reject);
  }

  /** Lets engines go that lie idle with a blown-up memory, if nobody has wanted them since the last call. To be called now and then. */
  trim(): void {
    const kept = this.#idle.filter(engine => this.#wanted.has(engine) || !this.#isBlownUp(engine));
    const gone = this.#idle.length - kept.length;
    this.#idle = kept;
    this.#wanted.clear();
    this.#gone += gone;
    if (gone > 0) this.collect();
  }

  /** Engines lent now. */
  get lent(): number {
    return this.#lent;
  }

  /** Callers that wait for an engine. */
  get waiting(): number {
    return this.#waiting.length;
  }

  #wait(): Promise<Engine> {
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject, timer: setTimeout(() => this.#turnAway(waiter), this.maxWaitMs) };
      this.#waiting.push(waiter);
    });
  }

  #turnAway(waiter: Waiter): void {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    waiter.reject(unavailable('All engines are at work'));
  }

  #isBlownUp(engine: Engine): boolean {
    return engine.memoryBytes > this.maxBodyBytes + KEPT_BYTES;
  }

  #make(): Engine {
    if (this.#lent + this.#gone >= this.size) this.#collectGone();
    try {
      return new Engine(this.module, this.maxBodyBytes);
    } catch {
      throw unavailable('There is no memory for another engine');
    }
  }

  #collectGone(): void {
    this.collect();
    this.#gone = 0;
  }
}

const unavailable = (why: string) =>
  new Rejection('SERVICE_UNAVAILABLE', `${why}; try again in a moment`, { 'Retry-After': '1' });
