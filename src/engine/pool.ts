/**
 * Lends engines, at most 8. JavaScriptCore guards 8 memories by page faults. A ninth checks every access and is copied whenever it
 * grows: a batch of 2,000 columns then held the process for half a minute. A caller that finds no free engine waits in a queue,
 * for a limited time. One account leaves some to the others, however many batches it sends.
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

/** So many engines are left to others by each account. */
const LEFT_TO_OTHERS = 2;

interface Waiter {
  account: string | null;
  resolve(engine: Engine): void;
  reject(error: unknown): void;
  timer: ReturnType<typeof setTimeout>;
}

export class EnginePool {
  #idle: Engine[] = [];
  /** Engines that were lent since the last `trim`. */
  readonly #wanted = new Set<Engine>();
  /** The lent engines, with the account that has each; null: the process itself, which may have all. */
  readonly #lent = new Map<Engine, string | null>();
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
  async lend(account: string | null = null): Promise<Engine> {
    if (!this.#hasRoomFor(account)) return this.#wait(account);
    const engine = this.#idle.pop() ?? this.#make();
    this.#lent.set(engine, account);
    this.#wanted.add(engine);
    return engine;
  }

  giveBack(engine: Engine): void {
    this.#lent.delete(engine);
    this.#idle.push(engine);
    this.#serveNext();
  }

  /** Instead of `giveBack`: the engine must not be used again. */
  giveUp(engine: Engine): void {
    this.#lent.delete(engine);
    this.#gone++;
    this.#serveNext();
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
    return this.#lent.size;
  }

  /** Callers that wait for an engine. */
  get waiting(): number {
    return this.#waiting.length;
  }

  #hasRoomFor(account: string | null): boolean {
    if (this.#lent.size >= this.size || account === null) return this.#lent.size < this.size;
    let held = 0;
    for (const holder of this.#lent.values()) if (holder === account) held++;
    return held < Math.max(1, this.size - LEFT_TO_OTHERS);
  }

  #wait(account: string | null): Promise<Engine> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#timeOut(waiter), this.maxWaitMs);
      const waiter = { account, resolve, reject, timer };
      this.#waiting.push(waiter);
    });
  }

  #serveNext(): void {
    const next = this.#waiting.findIndex(({ account }) => this.#hasRoomFor(account));
    if (next < 0) return;
    const [{ account, resolve, reject, timer }] = this.#waiting.splice(next, 1) as [Waiter];
    clearTimeout(timer);
    this.lend(account).then(resolve, reject);
  }

  #timeOut(waiter: Waiter): void {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    waiter.reject(unavailable('All engines are at work'));
  }

  #isEnlarged(engine: Engine): boolean {
    return engine.memoryBytes > this.maxBodyBytes + KEPT_BYTES;
  }

  #make(): Engine {
    if (this.#lent.size + this.#gone >= this.size) this.#collectGone();
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
