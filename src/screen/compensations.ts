/** The steps of a request that have to be undone when a later one fails. */
import { compensate } from '../terms/errors.ts';

export class Compensations {
  readonly #steps: (() => Promise<unknown>)[] = [];

  /** `undo` reverses a step that has just been done. */
  add(undo: () => Promise<unknown>): void {
    this.#steps.push(undo);
  }

  /** Undoes the steps, the last one first, as `compensate` does. */
  async run(error: unknown): Promise<void> {
    for (const undo of this.#steps.splice(0).reverse()) await compensate(error, undo);
  }
}
