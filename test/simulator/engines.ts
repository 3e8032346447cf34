/** Engines that all gates of all runs share. An engine is begun again for each batch, so one that a killed gate held is as good as any. */
import { join } from 'node:path';
import { compileEngine, Engine } from '../../src/engine/engine.ts';
import type { Engines } from '../../src/intake/engine-lease.ts';

const compiled = await compileEngine(
  await Bun.file(join(import.meta.dir, '../../build/engine.wasm')).bytes(),
);
const MAX_BODY_BYTES = 64 * 1024;
/** Each memory after the eighth is slow. */
const MOST = 6;

const free: Engine[] = [];
let made = 0;

/** Those of one gate. */
export class GateEngines implements Engines<Engine> {
  readonly #lent = new Set<Engine>();
  readonly #queue: ((engine: Engine) => void)[] = [];

  get waiting(): number {
    return this.#queue.length;
  }

  async lend(): Promise<Engine> {
    const engine = free.pop() ?? (made < MOST || this.#lent.size === 0 ? newEngine() : await this.#next());
    this.#lent.add(engine);
    return engine;
  }

  giveBack(engine: Engine): void {
    if (!this.#lent.delete(engine)) throw new Error('an engine came back that was not lent');
    const next = this.#queue.shift();
    if (next) next(engine);
    else free.push(engine);
  }

  giveUp(engine: Engine): void {
    this.giveBack(engine);
  }

  /** When the gate is killed. */
  takeBack(): void {
    free.push(...this.#lent);
    this.#lent.clear();
  }

  #next(): Promise<Engine> {
    return new Promise(resolve => this.#queue.push(resolve));
  }
}

function newEngine(): Engine {
  made++;
  return new Engine(compiled, MAX_BODY_BYTES);
}
