/** Yields to other requests between the pieces of long work. */
import { setImmediate } from 'node:timers/promises';

/** Work continues this long before it yields, in ms. */
const SLICE_MS = 2;

export class CooperativeYield {
  #since: number;

  constructor(
    readonly now: () => number = () => performance.now(),
    readonly nextTurn: () => Promise<unknown> = () => setImmediate(),
    readonly sliceMs = SLICE_MS,
  ) {
    this.#since = now();
  }

  /** Call it after each piece. Null while the slice is not used up. */
  yieldIfDue(): Promise<void> | null {
    return this.now() - this.#since < this.sliceMs ? null : this.#yield();
  }

  async #yield(): Promise<void> {
    await this.nextTurn();
    this.#since = this.now();
  }
}

/** Work in pieces: a `yield` between them. */
export type Pieces<T> = Generator<void, T>;

/** Does the work with pauses between its pieces. */
export async function withPauses<T>(work: Pieces<T>, yielding: CooperativeYield): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    const pause = yielding.yieldIfDue();
    if (pause) await pause;
  }
}

/** Does the work until `sliceMs` have passed, at least one piece of it. */
export function slice<T>(work: Pieces<T>, now: () => number, sliceMs = SLICE_MS): IteratorResult<void, T> {
  const since = now();
  for (;;) {
    const result = work.next();
    if (result.done || now() - since >= sliceMs) return result;
  }
}

/** Does the work without a pause. */
export function atOnce<T>(work: Pieces<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Numbers, levels or short texts that are read or copied between two pauses. */
const NUMBERS_AT_ONCE = 16_384;

/** Calls `work` for parts of [from, to), with a pause after each. */
export function* spans(from: number, to: number, work: (from: number, to: number) => void): Pieces<void> {
  for (let at = from; at < to; ) {
    const next = Math.min(to, at + NUMBERS_AT_ONCE);
    work(at, next);
    at = next;
    yield;
  }
}

/** Items of a list in pieces that each take well below a slice. */
const AT_ONCE = 256;

/** Calls `visit` for each item, with a pause after every few. */
export function* each<Item>(items: Iterable<Item>, visit: (item: Item) => unknown): Pieces<void> {
  let left = AT_ONCE;
  for (const item of items) {
    visit(item);
    if (--left > 0) continue;
    yield;
    left = AT_ONCE;
  }
}

export function* mapping<Item, Result>(
  items: Iterable<Item>,
  make: (item: Item) => Result,
): Pieces<Result[]> {
  const made: Result[] = [];
  yield* each(items, item => made.push(make(item)));
  return made;
}

export function* filtering<Item>(items: Iterable<Item>, keeps: (item: Item) => boolean): Pieces<Item[]> {
  const kept: Item[] = [];
  yield* each(items, item => keeps(item) && kept.push(item));
  return kept;
}

/** The items in order; those that are equal stay in theirs. */
export function* sorting<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Pieces<Item[]> {
  if (items.length <= AT_ONCE) return items.toSorted(compare);
  const middle = items.length >> 1;
  const left = yield* sorting(items.slice(0, middle), compare);
  const right = yield* sorting(items.slice(middle), compare);
  const sorted: Item[] = [];
  let [i, k] = [0, 0];
  while (i < left.length && k < right.length) {
    sorted.push(compare(left[i]!, right[k]!) <= 0 ? left[i++]! : right[k++]!);
    if (sorted.length % AT_ONCE === 0) yield;
  }
  return sorted.concat(i < left.length ? left.slice(i) : right.slice(k));
}
