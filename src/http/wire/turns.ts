/**
 * Shares the event loop among connections. One read of a socket may bring thousands of requests, frames or chunks. A connection handles
 * one request, or `TURN_BYTES` of the others, and what is left waits here: between two turns the loop serves all other clients.
 *
 * In each turn a few of those that wait go on, first come, first served, so that many connections hold the loop no longer than few.
 */

/** Bun reads a socket again that has filled a read, ten times in a turn. */
export const READ_BYTES = 512 * 1024;
/** Work of one connection in one turn: 0.1 ms, and 1 ms if all of it is rows of one byte. */
export const TURN_BYTES = 32 * 1024;
/** What a frame or a chunk counts besides its bytes. */
export const ITEM_BYTES = 128;
/** Connections that go on in one turn. */
const AT_ONCE = 8;

export class Turns {
  #queue: (() => void)[] = [];
  #used = 0;
  #isScheduled = false;

  constructor(readonly nextTurn: (run: () => void) => void = setImmediate) {}

  /** Runs `work` at once if few connections have gone on in this turn, else in a later one. */
  run(work: () => void): void {
    if (this.#queue.length > 0 || this.#used >= AT_ONCE) {
      this.later(work);
      return;
    }
    this.#used++;
    this.#schedule();
    work();
  }

  /** Runs `work` in a later turn. */
  later(work: () => void): void {
    this.#queue.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.nextTurn(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    // What they leave is for the turn after this one.
    this.#used = Math.min(this.#queue.length, AT_ONCE);
    if (this.#used > 0) this.#schedule();
    for (let i = this.#used; i > 0; i--) this.#queue.shift()!();
  }
}
