/**
 * What was fitted to baselines: fitting costs milliseconds and depends on the baseline only. Held as long as somebody holds the baseline; the newest of a
 * source a while longer, since the next one follows from it at less cost.
 */
import { type CooperativeYield, type Pieces, withPauses } from '../cooperative-yield.ts';
import type { Baseline } from './baseline.ts';

export interface Fitter<Fitted extends object> {
  /** `settleAfter`: number of agreeing batches after which a new normal holds. `before`: what was fitted to another baseline of the source; it does not change the result. */
  fit(baseline: Baseline, settleAfter: number, before?: Fitted): Pieces<Fitted>;
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
  /** Fits in progress: a batch that comes meanwhile waits for the same one. */
  readonly #pending = new WeakMap<Baseline, Promise<Fitted>>();
  /** By source, the least recently fitted first. */
  readonly #newest = new Map<string, { baseline: WeakRef<Baseline>; fitted: Fitted }>();
  #size = 0;

  constructor(fitter: Fitter<Fitted>) {
    this.#fitter = fitter;
  }

  /** Fits a baseline of a source when it is first asked for. */
  async of(
    source: string,
    baseline: Baseline,
    yielding: CooperativeYield,
    settleAfter: number,
  ): Promise<Fitted> {
    // Settings may have changed since it was fitted.
    const isRight = (fitted: Fitted | undefined) => fitted && this.#fitter.isFor(fitted, settleAfter);
    const known = this.#fitted.get(baseline);
    if (isRight(known)) return known!;
    const awaited = this.#pending.get(baseline);
    if (awaited && isRight(await awaited)) return awaited;
    const before = this.#newest.get(source)?.fitted;
    const pending = withPauses(this.#fitter.fit(baseline, settleAfter, before), yielding);
    this.#pending.set(baseline, pending);
    try {
      const fitted = await pending;
      this.#hold(source, baseline, fitted);
      return fitted;
    } finally {
      this.#pending.delete(baseline);
    }
  }

  #hold(source: string, baseline: Baseline, fitted: Fitted): void {
    this.#fitted.set(baseline, fitted);
    this.#takeOut(source);
    this.#newest.set(source, { baseline: new WeakRef(baseline), fitted });
    this.#size += this.#fitter.sizeOf(fitted);
    for (const oldest of this.#newest.keys()) {
      if (this.#size <= MAX_SIZE || oldest === source) return;
      this.forget(oldest);
    }
  }

  /** Names of the sources whose fits are held. */
  sources(): string[] {
    return [...this.#newest.keys()];
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
