/** Tasks about large batches that need no engine. */
import type { CutBody } from '../columns/cut.ts';
import type { State } from '../states/state.ts';
import { type AddKeysOrder, Assembling, type PartBytes, type WholeOrder } from './assembling.ts';
import { type CutOrder, Cutting } from './cutting.ts';
import { SourceTasks } from './source-tasks.ts';

export class LargeTasks extends SourceTasks {
  /** Batches that are put together here. */
  readonly #assembling = new Assembling();
  /** The file that is cut here. */
  #cutting: Cutting | null = null;

  // ---- Putting a batch together ----

  addKeys(order: AddKeysOrder): void {
    this.#assembling.addKeys(order);
  }

  addStoredKeys(order: PartBytes & { part: number }): void {
    this.#assembling.addStoredKeys(order);
  }

  addStoredState(order: PartBytes): void {
    this.#assembling.addStoredState(order);
  }

  mergedStates(order: { batch: string }): Uint8Array {
    return this.#assembling.mergedStates(order);
  }

  wholeState(order: WholeOrder): State {
    return this.#assembling.wholeState(order);
  }

  repeatsIn(order: { batch: string; part: number; row: number; rows: number }): Uint16Array[] {
    return this.#assembling.repeatsIn(order);
  }

  forgetBatch(order: { batch: string }): void {
    this.#assembling.forgetBatch(order);
  }

  // ---- Cutting a file of columns ----

  /** The first body of the file. Throws `RefusedBody`. */
  cutFile(order: CutOrder): CutBody | null {
    this.#cutting = new Cutting(order);
    return this.nextCut();
  }

  /** Null behind the last one. Throws `RefusedBody`. */
  nextCut(): CutBody | null {
    return this.#cutting!.next();
  }
}
