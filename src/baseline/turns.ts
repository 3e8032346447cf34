/** Lets other requests through between the pieces of long work that no answer waits for: merging and folding thousands of fields. */
import { setImmediate } from 'node:timers/promises';

/** Pieces go on this long before others have their turn, in ms. */
const SLICE_MS = 2;

export class Turns {
  #since: number;

  constructor(
    readonly now: () => number = () => performance.now(),
    readonly nextTurn: () => Promise<unknown> = () => setImmediate(),
    readonly sliceMs = SLICE_MS,
  ) {
    this.#since = now();
  }

  /** To be called after each piece; null while this turn has time left. */
  next(): Promise<void> | null {
    return this.now() - this.#since < this.sliceMs ? null : this.#give();
  }

  async #give(): Promise<void> {
    await this.nextTurn();
    this.#since = this.now();
  }
}
