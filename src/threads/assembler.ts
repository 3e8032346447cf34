/** The thread that puts batches together. It starts with the first batch that needs it, and ends when none has needed it for a minute. */
import type { SliceKeys } from '../engine/row-keys.ts';
import type { DeclaredRules } from '../rules/declared/constraint.ts';
import type { TakesKeys } from '../states/repeated-rows.ts';
import type { State } from '../states/state.ts';
import type { OrderOf, ResultOf, TaskName } from './messages.ts';
import type { Thread } from './thread.ts';
import { unavailable } from './threads.ts';

const IDLE_MS = 60_000;

export class Assembler {
  readonly #start: (onEnd: () => void) => Thread;
  #thread: Thread | null = null;
  #batches = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(start: (onEnd: () => void) => Thread) {
    this.#start = start;
  }

  /** `batch`: its id. End it. */
  begin(batch: string): Assembly {
    clearTimeout(this.#timer);
    this.#thread ??= this.#newThread();
    this.#batches++;
    return new Assembly(batch, this.#thread, () => this.#ended());
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#thread?.end();
  }

  #newThread(): Thread {
    const thread: Thread = this.#start(() => {
      if (this.#thread === thread) this.#thread = null;
    });
    return thread;
  }

  #ended(): void {
    this.#batches--;
    if (this.#batches > 0) return;
    this.#timer = setTimeout(() => this.close(), IDLE_MS);
    this.#timer.unref();
  }
}

/** One batch that is put together. All methods throw `Rejection` SERVICE_UNAVAILABLE if its thread has ended: what it had been given is lost. */
export class Assembly implements TakesKeys {
  readonly #batch: string;
  readonly #thread: Thread;
  readonly #onEnd: () => void;

  constructor(batch: string, thread: Thread, onEnd: () => void) {
    this.#batch = batch;
    this.#thread = thread;
    this.#onEnd = onEnd;
  }

  add(keys: readonly SliceKeys[], { part, row }: { part: number; row: number }): Promise<void> {
    return this.#ask('addKeys', { batch: this.#batch, keys: [...keys], part, row });
  }

  addStoredKeys(part: number, bytes: Uint8Array): Promise<void> {
    return this.#ask('addStoredKeys', { batch: this.#batch, part, bytes });
  }

  addStoredState(bytes: Uint8Array): Promise<void> {
    return this.#ask('addStoredState', { batch: this.#batch, bytes });
  }

  /** The stored states that were added, as one. */
  mergedStates(): Promise<Uint8Array> {
    return this.#ask('mergedStates', { batch: this.#batch });
  }

  /** All that was added, with repeated rows counted. `state`: of the slices; null: the stored ones. `rules`: those that the slices were checked by. */
  whole(state: State | null, rules: DeclaredRules | null): Promise<State> {
    return this.#ask('wholeState', { batch: this.#batch, state, rules });
  }

  /** After `whole`: the indexes of the rows of a slice that repeat others, as whole rows and by each `unique` rule. */
  repeatsIn(part: number, row: number, rows: number): Promise<Uint16Array[]> {
    return this.#ask('repeatsIn', { batch: this.#batch, part, row, rows });
  }

  end(): void {
    this.#thread.ask('forgetBatch', { batch: this.#batch }).catch(() => {});
    this.#onEnd();
  }

  async #ask<Name extends TaskName>(name: Name, order: OrderOf<Name>): Promise<ResultOf<Name>> {
    try {
      return await this.#thread.ask(name, order);
    } catch (error) {
      throw unavailable(error);
    }
  }
}
