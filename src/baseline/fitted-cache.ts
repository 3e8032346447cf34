/**
 * What was fitted to baselines: fitting costs milliseconds and depends on the baseline only. Held as long as somebody holds the baseline; the newest of a
 * source a while longer, since the next one follows from it at less cost.
 */
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
  /** By source, the least recently fitted first. */
  readonly #newest = new Map<string, { baseline: WeakRef<Baseline>; fitted: Fitted }>();
  #size = 0;

  constructor(
    fitter: Fitter<Fitted>,
    readonly maxSize = MAX_SIZE,
  ) {
    this.#fitter = fitter;
  }

  /** Fits a baseline of a source when it is first asked for, and again after its settings have changed. */
  of(source: string, baseline: Baseline, settleAfter: number): Fitted {
    const known = this.#fitted.get(baseline);
    if (known && this.#fitter.isFor(known, settleAfter)) return known;
    const fitted = this.#fitter.fit(baseline, settleAfter, this.#newest.get(source)?.fitted);
    this.#hold(source, baseline, fitted);
    return fitted;
  }

  #hold(source: string, baseline: Baseline, fitted: Fitted): void {
    this.#fitted.set(baseline, fitted);
    this.#takeOut(source);
    this.#newest.set(source, { baseline: new WeakRef(baseline), fitted });
    this.#size += this.#fitter.sizeOf(fitted);
    for (const oldest of this.#newest.keys()) {
      if (this.#size <= this.maxSize || oldest === source) return;
      this.forget(oldest);
    }
  }

  forget(source: string): void {
    const left = this.#takeOut(source)?.deref();
    if (left) this.#fitted.delete(left);
  }

  #takeOut(source: string): WeakRef<Baseline> | undefined {
    const newest = this.#newest.get(source);
    if (!newest) return undefined;
    this.#newest.delete(source);
    this.#size -= this.#fitter.sizeOf(newest.fitted);
    return newest.baseline;
  }
}
