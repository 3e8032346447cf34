/**
 * Lets other requests through. Pieces of a body that have arrived already are read without a turn of the event loop, so a
 * wide batch would keep small requests waiting until its end, and with several of them until the last one's.
 *
 * All batches share the time of a turn: when it is used up, who still has work goes on one by one, each in a turn
 * of its own. Were each to take its slice in every turn, a small request would wait for as many slices as there are batches.
 *
 * A small batch never waits: its work is shorter than a turn. It has to be answered before the loop goes round for another reason
 * too: Bun 1.4 closes a connection on which a second request arrives while the first is unanswered.
 */

/** Work of all batches together goes on this long at most before others have their turn, in ms. */
const SLICE_MS = 1;

/** A batch of fewer bytes is small. */
const SMALL_BYTES = 16 * 1024;

/** The event loop as batches share it. */
export class Loop {
  #workedMs = 0;
  #waiting: (() => void)[] = [];

  constructor(
    readonly now: () => number = () => performance.now(),
    readonly nextTurn: (go: () => void) => void = setImmediate,
  ) {}

  /** Null when this turn has time left, else resolves in a later one: first come, first served. */
  time(): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#workedMs < SLICE_MS) return null;
    return new Promise(resolve => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.nextTurn(() => this.#turn());
    });
  }

  /** Batches that wait for their turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  worked(ms: number): void {
    this.#workedMs += ms;
  }

  #turn(): void {
    this.#workedMs = 0;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.nextTurn(() => this.#turn());
  }
}

export const loopOfThisProcess = new Loop();

export class Pace {
  /** Time spent waiting for a turn, in ms. */
  waitedMs = 0;
  #bytes = 0;

  constructor(readonly loop = loopOfThisProcess) {}

  /** Does a piece of work, which takes so many bytes more of the batch, when there is time for it. */
  async slice<T>(work: () => T | Promise<T>, bytes = 0): Promise<T> {
    this.#bytes += bytes;
    const later = this.#bytes < SMALL_BYTES ? null : this.loop.time();
    if (later) await this.#wait(later);
    const since = this.loop.now();
    try {
      return await work();
    } finally {
      this.loop.worked(this.loop.now() - since);
    }
  }

  async #wait(turn: Promise<void>): Promise<void> {
    const since = this.loop.now();
    await turn;
    this.waitedMs += this.loop.now() - since;
  }
}
