import type { CutBody } from '../columns/cut.ts';
import type { CutOrder } from './cutting.ts';
import type { Thread } from './thread.ts';
import { unavailable } from './threads.ts';

/** Cuts uploaded files of columns, each in a thread of its own. */
export class ColumnCutter {
  readonly #start: () => Thread;
  /** Files that may be cut yet. */
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** `atOnce`: files that are cut at the same time. Others wait. */
  constructor(start: () => Thread, atOnce: number) {
    this.#start = start;
    this.#free = atOnce;
  }

  /** In order, at least one. Throws `Rejection`. */
  async *bodies(order: CutOrder): AsyncGenerator<CutBody> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>(resolve => this.#waiting.push(resolve));
    const thread = this.#start();
    try {
      for (
        let body = await thread.ask('cutFile', order);
        body !== null;
        body = await thread.ask('nextCut', undefined)
      )
        yield body;
    } catch (error) {
      throw unavailable(error);
    } finally {
      thread.end();
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
