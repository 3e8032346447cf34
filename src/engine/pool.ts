/**
 * Lends engines. At most 8: JavaScriptCore guards that many memories by page faults, a ninth would check every access.
 * Who finds none waits in line. An engine that trapped, or whose memory a hostile batch has blown up, is given up and
 * made anew when it is next needed.
 */
import { Engine } from './engine.ts';

export const MAX_ENGINES = 8;

/** Address space past the body's that an engine may keep between batches: room for about 500 columns. */
const KEPT_BYTES = 128 * 1024 * 1024;

export class EnginePool {
  #idle: Engine[] = [];
  #lent = 0;
  #waiting: ((engine: Engine) => void)[] = [];

  constructor(
    readonly module: WebAssembly.Module,
    readonly maxBodyBytes: number,
    readonly size = MAX_ENGINES,
  ) {}

  /** Resolves with an engine, at once or when one is given back: first come, first served. */
  async lend(): Promise<Engine> {
    if (this.#lent === this.size) return new Promise(resolve => this.#waiting.push(resolve));
    this.#lent++;
    return this.#idle.pop() ?? new Engine(this.module, this.maxBodyBytes);
  }

  giveBack(engine: Engine): void {
    if (engine.memoryBytes > this.maxBodyBytes + KEPT_BYTES) this.giveUp();
    else this.#passOn(engine);
  }

  /** Instead of `giveBack`: the engine is not to be used again. */
  giveUp(): void {
    if (this.#waiting.length > 0) this.#passOn(new Engine(this.module, this.maxBodyBytes));
    else this.#lent--;
  }

  #passOn(engine: Engine): void {
    const next = this.#waiting.shift();
    if (next) {
      next(engine);
      return;
    }
    this.#lent--;
    this.#idle.push(engine);
  }

  /** Engines lent now. */
  get lent(): number {
    return this.#lent;
  }

  /** Callers that wait for an engine. */
  get waiting(): number {
    return this.#waiting.length;
  }
}
