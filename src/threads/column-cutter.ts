import type { CutBody } from '../columns/cut.ts';
import type { CutOrder } from './cutting.ts';
import { type Thread, ThreadEnded } from './thread.ts';
import { unavailable } from './threads.ts';

/** Of one file, without the time in which nobody asked for its next body. */
export const MAX_CUTTING_MS = 600_000;

/** Cuts uploaded files of columns, each in a thread of its own. Those of one account come one after the other, so that they do not keep others waiting. */
export class ColumnCutter {
  readonly #start: () => Thread;
  readonly #now: () => number;
  /** Files that may be cut yet. */
  #free: number;
  /** Accounts whose files are cut. */
  readonly #served = new Set<string>();
  readonly #waiting: { account: string; begin: () => void }[] = [];

  /** `atOnce`: files that are cut at the same time. Others wait. */
  constructor(start: () => Thread, atOnce: number, now: () => number = () => performance.now()) {
    this.#start = start;
    this.#now = now;
    this.#free = atOnce;
  }

  /** In order, at least one. Throws `Rejection`. */
  async *bodies(account: string, order: CutOrder): AsyncGenerator<CutBody> {
    await new Promise<void>(begin => {
      this.#waiting.push({ account, begin });
      this.#beginNext();
    });
    const thread = this.#start();
    let took = 0;
    const timed = async (asked: Promise<CutBody | null>) => {
      const since = this.#now();
      const body = await asked;
      took += this.#now() - since;
      if (took > MAX_CUTTING_MS) throw new ThreadEnded(true);
      return body;
    };
    try {
      let body = await timed(thread.ask('cutFile', order));
      for (; body !== null; body = await timed(thread.ask('nextCut', undefined))) yield body;
    } catch (error) {
      throw unavailable(error);
    } finally {
      thread.end();
      this.#free++;
      this.#served.delete(account);
      this.#beginNext();
    }
  }

  #beginNext(): void {
    if (this.#free === 0) return;
    const i = this.#waiting.findIndex(({ account }) => !this.#served.has(account));
    const [next] = i < 0 ? [] : this.#waiting.splice(i, 1);
    if (next === undefined) return;
    this.#free--;
    this.#served.add(next.account);
    next.begin();
  }
}
