/**
 * Lets other requests through. Pieces of a body that have arrived already are read without a turn of the event loop, so a
 * wide batch would keep small requests waiting until its end, and with several of them until the last one's.
 */
import { setImmediate } from 'node:timers/promises';

/** Work goes on this long at most before others have their turn, in ms. */
const SLICE_MS = 1;

export class Pace {
  #since: number;

  constructor(readonly now: () => number = () => performance.now()) {
    this.#since = now();
  }

  /** To be awaited between pieces of work. */
  async breathe(): Promise<void> {
    if (this.now() - this.#since < SLICE_MS) return;
    await setImmediate();
    this.#since = this.now();
  }
}
