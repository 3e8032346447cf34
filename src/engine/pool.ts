/**
 * Lends engines. At most 8: JavaScriptCore guards that many memories by page faults, a ninth would check every access.
 * Who finds none waits in line, for a while. An engine that trapped, or whose memory a hostile batch has blown up, is
 * given up and made anew when it is next needed.
 */
import { Rejection } from '../errors.ts';
import { Engine } from './engine.ts';

export const MAX_ENGINES = 8;

/** Address space past the body's that an engine may keep between batches: room for about 500 columns. */
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
  #lent = 0;
  #waiting: Waiter[] = [];

  constructor(
    readonly module: WebAssembly.Module,
    readonly maxBodyBytes: number,
    readonly size = MAX_ENGINES,
    readonly maxWaitMs = MAX_WAIT_MS,
  ) {}

  /** Resolves with an engine, at once or when one is given back: first come, first served. Throws SERVICE_UNAVAILABLE. */
  async lend(): Promise<Engine> {
    if (this.#lent >= this.size) return this.#wait();
    const engine = this.#idle.pop() ?? this.#make();
    this.#lent++;
    return engine;
  }

  giveBack(engine: Engine): void {
    if (engine.memoryBytes > this.maxBodyBytes + KEPT_BYTES) this.giveUp();
    else this.#passOn(engine);
  }

  /** Instead of `giveBack`: the engine is not to be used again. */
  giveUp(): void {
    this.#lent--;
    const next = this.#waiting.shift();
    if (!next) return;
    clearTimeout(next.timer);
    this.lend().then(next.resolve, next.reject);
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

  #passOn(engine: Engine): void {
    const next = this.#waiting.shift();
    if (next) {
      clearTimeout(next.timer);
      next.resolve(engine);
      return;
    }
    this.#lent--;
    this.#idle.push(engine);
  }

  #make(): Engine {
    try {
      return new Engine(this.module, this.maxBodyBytes);
    } catch {
      throw unavailable('There is no memory for another engine');
    }
  }
}

const unavailable = (why: string) =>
  new Rejection('SERVICE_UNAVAILABLE', `${why}; try again in a moment`, { 'Retry-After': '1' });
