/**
 * Shares the event loop among connections. One read of a socket may bring thousands of requests, frames or chunks. In a turn, a connection
 * handles one request, or `TURN_BYTES` of frames or chunks. The rest waits here. Between two turns the loop serves all other clients.
 *
 * In each turn a few of the waiting connections go on, first come, first served, so many connections block the loop no longer than a few.
 */

/** Bytes of a full read. After a full read Bun reads the socket again in the same turn, up to ten times. */
export const READ_BYTES = 512 * 1024;
/** Bytes that one connection handles in a turn. They take 0.1 ms, or 1 ms if each row has one byte. */
export const TURN_BYTES = 32 * 1024;
/** Bytes that a frame or a chunk counts in addition to its own. */
export const ITEM_BYTES = 128;
/** Connections that are served in one turn while none waits. */
const AT_ONCE = 8;
/** Connections that go on in one turn: a flood is among them, and others wait for each turn that it takes. */
const GO_ON = 3;

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
    // What they queue now runs in a later turn.
    this.#used = Math.min(this.#queue.length, GO_ON);
    if (this.#used > 0) this.#schedule();
    for (let i = this.#used; i > 0; i--) this.#queue.shift()!();
  }
}
