/** Yields to other requests between the pieces of long work. */
import { setImmediate } from 'node:timers/promises';

/** Work continues this long before it yields, in ms. */
const SLICE_MS = 2;

export class CooperativeYield {
  #since: number;

  constructor(
    readonly now: () => number = () => performance.now(),
    readonly nextTurn: () => Promise<unknown> = () => setImmediate(),
    readonly sliceMs = SLICE_MS,
  ) {
    this.#since = now();
  }

  /** Call it after each piece. Null while the slice is not used up. */
  yieldIfDue(): Promise<void> | null {
    return this.now() - this.#since < this.sliceMs ? null : this.#yield();
  }

  async #yield(): Promise<void> {
    await this.nextTurn();
    this.#since = this.now();
  }
}

/** Work in pieces: a `yield` between them. */
export type Pieces<T> = Generator<void, T>;

/** Does the work with pauses between its pieces. */
export async function withPauses<T>(work: Pieces<T>, yielding: CooperativeYield): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    const pause = yielding.yieldIfDue();
    if (pause) await pause;
  }
}

/** Does the work without a pause. */
export function atOnce<T>(work: Pieces<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
