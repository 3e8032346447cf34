/** The state of a batch while its slices come, one after the other. */
import type { TakersOf } from '../engine/part-measures.ts';
import { GrowingColumn } from './growing-column.ts';
import { keptOf, namesIn } from './part-bounds.ts';
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

  /** For the next slice. What they take is added at once: then `add` the slice. */
  readonly takersOf: TakersOf = (given, isHeader) => {
    const { names } = namesIn(given, isHeader);
    const kept = keptOf(names.length);
    return names.map(name => {
      const known = this.#columns.get(name) ?? new GrowingColumn();
      this.#columns.set(name, known);
      return known.taker(kept);
    });
  };

  /** Of a slice that was measured with `takersOf`. It must not be used any more. */
  add(state: State): void {
    for (const [name, column] of state.columns) this.#columns.get(name)!.takeFigures(column);
    this.#newest.push(state);
    const most = Math.min(this.#merged, MERGED_AT_ONCE / state.columns.size);
    if (this.#newest.length > most) this.#merge();
  }

  /** Of slices before, without what grows: with rows that findings may name. */
  get known(): State | null {
    return this.#state;
  }

  /** Of all slices; null without one. Nothing can be added any more. */
  end(): State | null {
    this.#merge();
    for (const [name, column] of this.#state?.columns ?? [])
      Object.assign(column, this.#columns.get(name)!.figures);
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
