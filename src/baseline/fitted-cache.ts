/** What was fitted to baselines, as long as somebody holds them: fitting costs milliseconds and depends on the baseline only. */
import { type CooperativeYield, type Pieces, withPauses } from '../cooperative-yield.ts';
import type { Baseline } from './baseline.ts';

export interface Fitter<Fitted extends object> {
  /** `settleAfter`: number of agreeing batches after which a new normal holds. */
  fit(baseline: Baseline, settleAfter: number): Pieces<Fitted>;
  /** Whether it was fitted so. */
  isFor(fitted: Fitted, settleAfter: number): boolean;
  /** Statistics that were fitted: each takes about 600 bytes. */
  sizeOf(fitted: Fitted): number;
}

/** Statistics of all fits that are held: as many as those of 75 sources of 20 fields. */
const MAX_SIZE = 40_000;

export class FittedCache<Fitted extends object> {
  readonly #fitter: Fitter<Fitted>;
  readonly #fitted = new WeakMap<Baseline, Fitted>();
  /** Fits in progress: a batch that comes meanwhile waits for the same one. */
  readonly #pending = new WeakMap<Baseline, Promise<Fitted>>();
  /** In the order in which they were made. A baseline that nobody holds any more takes its fit along. */
  readonly #order: { baseline: WeakRef<Baseline>; size: number }[] = [];
  #size = 0;

  constructor(fitter: Fitter<Fitted>) {
    this.#fitter = fitter;
  }

  /** Fits a baseline when it is first asked for. */
  async of(baseline: Baseline, yielding: CooperativeYield, settleAfter: number): Promise<Fitted> {
    // Settings may have changed since it was fitted.
    const isRight = (fitted: Fitted | undefined) => fitted && this.#fitter.isFor(fitted, settleAfter);
    const known = this.#fitted.get(baseline);
    if (isRight(known)) return known!;
    const awaited = this.#pending.get(baseline);
    if (awaited && isRight(await awaited)) return awaited;
    const pending = withPauses(this.#fitter.fit(baseline, settleAfter), yielding);
    this.#pending.set(baseline, pending);
    try {
      const fitted = await pending;
      this.#hold(baseline, fitted);
      return fitted;
    } finally {
      this.#pending.delete(baseline);
    }
  }

  #hold(baseline: Baseline, fitted: Fitted): void {
    const size = this.#fitter.sizeOf(fitted);
    this.#fitted.set(baseline, fitted);
    this.#order.push({ baseline: new WeakRef(baseline), size });
    this.#size += size;
    while (this.#size > MAX_SIZE && this.#order.length > 1) {
      const oldest = this.#order.shift()!;
      this.#size -= oldest.size;
      const left = oldest.baseline.deref();
      if (left) this.#fitted.delete(left);
    }
  }
}
