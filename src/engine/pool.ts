/**
 * Lends engines, at most 8. JavaScriptCore guards 8 memories by page faults. A ninth checks every access and is copied whenever it
 * grows: a batch of 2,000 columns then held the process for half a minute. A caller that finds no free engine waits in a queue,
 * for a limited time.
 *
 * An engine that trapped is discarded, and the next caller gets a new one. Its memory counts until it is collected, so the pool
 * collects garbage first when there could be more than 8 memories. An engine whose memory a wide batch has enlarged stays in use
 * and is released after it has been idle for a while.
 */
import { fullGC } from 'bun:jsc';
import { Rejection } from '../errors.ts';
import { Engine } from './engine.ts';

export const MAX_ENGINES = 8;

/** Address space beyond the body that an idle engine may keep: about 500 columns. */
const KEPT_BYTES = 128 * 1024 * 1024;

/** How long a caller waits for an engine: less than the idle timeout of a connection. */
const MAX_WAIT_MS = 20_000;

interface Waiter {
  resolve(engine: Engine): void;
  reject(error: unknown): void;
  timer: ReturnType<typeof setTimeout>;
}

export class EnginePool {
  #idle: Engine[] = [];
  /** Engines that were lent since the last `trim`. */
  readonly #wanted = new Set<Engine>();
  #lent = 0;
  /** Engines released since the last collection: their memories may still exist. */
  #gone = 0;
  #waiting: Waiter[] = [];

  constructor(
    readonly module: WebAssembly.Module,
    readonly maxBodyBytes: number,
    readonly size = MAX_ENGINES,
    readonly maxWaitMs = MAX_WAIT_MS,
    readonly collect: () => unknown = fullGC,
  ) {}

  /** Resolves with an engine, at once or when one is returned: first come, first served. Throws SERVICE_UNAVAILABLE. */
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

  /** Instead of `giveBack`: the engine must not be used again. */
  giveUp(): void {
    this.#lent--;
    this.#gone++;
    const next = this.#waiting.shift();
    if (!next) return;
    clearTimeout(next.timer);
    this.lend().then(next.resolve, next.reject);
  }

  /** Releases idle engines with an enlarged memory that nobody has used since the last call. Call it every few minutes. */
  trim(): void {
    const kept = this.#idle.filter(engine => this.#wanted.has(engine) || !this.#isEnlarged(engine));
    const gone = this.#idle.length - kept.length;
    this.#idle = kept;
    this.#wanted.clear();
    this.#gone += gone;
    if (gone > 0) this.collect();
  }

  /** Engines that are lent now. */
  get lent(): number {
    return this.#lent;
  }

  /** Callers that wait for an engine. */
  get waiting(): number {
    return this.#waiting.length;
  }

  #wait(): Promise<Engine> {
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject, timer: setTimeout(() => this.#timeOut(waiter), this.maxWaitMs) };
      this.#waiting.push(waiter);
    });
  }

  #timeOut(waiter: Waiter): void {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    waiter.reject(unavailable('All engines are at work'));
  }

  #isEnlarged(engine: Engine): boolean {
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
