/**
 * What was fitted to baselines: fitting costs milliseconds and depends on the baseline only. Held as long as somebody holds the baseline; the newest of a
 * source a while longer, since the next one follows from it at less cost.
 */
import { LRUCache } from 'lru-cache';
import type { Baseline } from './baseline.ts';

export interface Fitter<Fitted extends object> {
  /** `settleAfter`: number of agreeing batches after which a new normal holds. `before`: what was fitted to another baseline of the source; it does not change the result. */
  fit(baseline: Baseline, settleAfter: number, before?: Fitted): Fitted;
  /** Whether it was fitted so. */
  isFor(fitted: Fitted, settleAfter: number): boolean;
  /** In units of SIZE_BYTES. */
  sizeOf(fitted: Fitted): number;
}

/** What one fitted statistic takes. */
export const SIZE_BYTES = 600;
/** Of all that is held: as much as 75 sources of 20 fields take, 43 MB. */
export const MAX_SIZE = 72_000;

export class FittedCache<Fitted extends object> {
  readonly #fitter: Fitter<Fitted>;
  readonly #fitted = new WeakMap<Baseline, Fitted>();
  /** By source. */
  readonly #newest: LRUCache<string, { baseline: WeakRef<Baseline>; fitted: Fitted }>;

  constructor(fitter: Fitter<Fitted>, maxSize = MAX_SIZE) {
    this.#fitter = fitter;
    this.#newest = new LRUCache({
      maxSize,
      sizeCalculation: ({ fitted }) => Math.max(1, fitter.sizeOf(fitted)),
      dispose: ({ baseline }, _, reason) => {
        const left = baseline.deref();
        if (left && reason !== 'set') this.#fitted.delete(left);
      },
    });
  }

  /** Fits a baseline of a source when it is first asked for, and again after its settings have changed. */
  of(source: string, baseline: Baseline, settleAfter: number): Fitted {
    const known = this.#fitted.get(baseline);
    if (known && this.#fitter.isFor(known, settleAfter)) return known;
    const fitted = this.#fitter.fit(baseline, settleAfter, this.#newest.get(source)?.fitted);
    this.#fitted.set(baseline, fitted);
    this.#newest.set(source, { baseline: new WeakRef(baseline), fitted });
    return fitted;
  }

  forget(source: string): void {
    this.#newest.delete(source);
  }
}
