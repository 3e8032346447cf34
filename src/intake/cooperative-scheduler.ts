/**
 * Schedules the work of batches so that other requests run in between. Reading the pieces of a body that have already
 * arrived takes no turn of the event loop. Without a scheduler, a wide batch would delay small requests until it is
 * done, and several wide batches would delay them until the last one is done.
 *
 * All batches share one time budget for each turn of the event loop. When the budget is used up, the waiting batches run
 * one for each turn, small ones and others in alternation, and first come, first served among each. If each batch had a
 * budget of its own, a small request would wait for as many slices as there are batches.
 *
 * A small batch does not wait at first, because its work is mostly shorter than one turn.
 */
import { CooperativeYield, type Pieces, slice } from '../cooperative-yield.ts';

/** Time budget of all batches together for one turn of the event loop, in ms. */
const TURN_BUDGET_MS = 1;

/** A batch of fewer bytes is small, */
const SMALL_BYTES = 16 * 1024;
/** until it has taken this long: a few bytes may meet a baseline of thousands of fields. */
const SMALL_MS = 2;

/** The event loop as all batches share it. */
export class CooperativeScheduler {
  #usedMs = 0;
  readonly #small: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #wasSmall = false;

  constructor(
    readonly now: () => number = () => performance.now(),
    readonly nextTurn: (run: () => void) => void = setImmediate,
  ) {}

  /** Null if this turn has time left; else resolves in a later turn. */
  acquire(isSmall: boolean): Promise<void> | null {
    return this.waiting === 0 && this.#usedMs < TURN_BUDGET_MS ? null : this.later(isSmall);
  }

  /** Resolves in a later turn. */
  later(isSmall = false): Promise<void> {
    return new Promise(resolve => {
      if (this.waiting === 0) this.nextTurn(() => this.#turn());
      (isSmall ? this.#small : this.#others).push(resolve);
    });
  }

  /** Batches in the queue. */
  get waiting(): number {
    return this.#small.length + this.#others.length;
  }

  /** Counts time that work has used. */
  use(ms: number): void {
    this.#usedMs += ms;
  }

  #turn(): void {
    this.#usedMs = 0;
    this.#wasSmall = this.#small.length > 0 && (this.#others.length === 0 || !this.#wasSmall);
    (this.#wasSmall ? this.#small : this.#others).shift()?.();
    if (this.waiting > 0) this.nextTurn(() => this.#turn());
  }
}

export const processScheduler = new CooperativeScheduler();

/** Pauses for work that is no request's: each lasts until it is its turn among the batches. */
export const processPauses = (): CooperativeYield =>
  new CooperativeYield(undefined, () => processScheduler.later());

/** The work of one batch. */
export class CooperativeTask {
  /** Time spent in the queue, in ms. */
  waitedMs = 0;
  #bytes = 0;
  /** Time that its pieces took. */
  #usedMs = 0;

  constructor(readonly scheduler = processScheduler) {}

  /** Runs a piece of work when there is time for it. `bytes` is how many bytes of the batch this piece adds. */
  async run<T>(work: () => T | Promise<T>, bytes = 0): Promise<T> {
    this.#bytes += bytes;
    const isSmall = this.#bytes < SMALL_BYTES;
    const turn = isSmall && this.#usedMs < SMALL_MS ? null : this.scheduler.acquire(isSmall);
    if (turn) await this.#wait(turn);
    const startedAt = this.scheduler.now();
    try {
      return await work();
    } finally {
      this.scheduler.use(this.scheduler.now() - startedAt);
    }
  }

  /** Runs long work slice by slice, each when there is time for it. */
  async runPieces<T>(work: Pieces<T>): Promise<T> {
    const { now } = this.scheduler;
    for (;;) {
      const { done, value } = await this.run(() => {
        const since = now();
        const result = slice(work, now);
        this.#usedMs += now() - since;
        return result;
      });
      if (done) return value;
    }
  }

  /** Pauses of work that others may share: each lasts until it is the turn of this batch. */
  pauses(): CooperativeYield {
    return new CooperativeYield(this.scheduler.now, () => this.#wait(this.scheduler.later()));
  }

  async #wait(turn: Promise<void>): Promise<void> {
    const since = this.scheduler.now();
    await turn;
    this.waitedMs += this.scheduler.now() - since;
  }
}
