/** The state of a batch while its slices come, one after the other. */
import type { BoundsOf } from '../engine/part-measures.ts';
import { GrowingColumn, NO_SKETCHES } from './growing-column.ts';
import { boundsFor } from './part-bounds.ts';
import { mergeStates, type State } from './state.ts';

/** Columns, of several slices, that are merged with those before at once. */
const MERGED_AT_ONCE = 1024;

export class GrowingState {
  /** Without what `#columns` has. */
  #state: State | null = null;
  #newest: State[] = [];
  /** Slices in `#state`. */
  #merged = 0;
  readonly #columns = new Map<string, GrowingColumn>();

  /** For the next slice. */
  readonly bounds: BoundsOf = boundsFor(name => this.#columns.get(name)?.bounds);

  /** Of a slice, which must not be used any more. */
  add(state: State): void {
    for (const [name, column] of state.columns) {
      const known = this.#columns.get(name);
      if (known) known.add(column);
      else this.#columns.set(name, new GrowingColumn(column));
      Object.assign(column, NO_SKETCHES);
    }
    this.#newest.push(state);
    const most = Math.min(this.#merged, MERGED_AT_ONCE / state.columns.size);
    if (this.#newest.length > most) this.#merge();
  }

  /** Of slices before: rows that findings may name, and other figures, but no values and no numbers. */
  get known(): State | null {
    return this.#state;
  }

  /** Of all slices; null without one. Nothing can be added any more. */
  end(): State | null {
    this.#merge();
    for (const [name, column] of this.#state?.columns ?? [])
      Object.assign(column, this.#columns.get(name)!.sketches);
    return this.#state;
  }

  #merge(): void {
    this.#merged += this.#newest.length;
    const newest = mergedInPairs(this.#newest);
    this.#newest = [];
    this.#state = newest && this.#state ? mergeStates(this.#state, newest) : (newest ?? this.#state);
  }
}

function mergedInPairs(states: readonly State[]): State | null {
  let left = states;
  while (left.length > 1)
    left = left.flatMap((state, i) =>
      i % 2 === 1 ? [] : left[i + 1] ? mergeStates(state, left[i + 1]!) : state,
    );
  return left[0] ?? null;
}
