/**
 * Whether a history is linearizable (Herlihy and Wing, 1990): whether each operation can have happened at one moment between its call and its
 * answer, so that all answers are those of one process that does one thing at a time. The search is that of Wing and Gong (1993), and remembers
 * what it has tried.
 */

/** What a baseline holds: its batches, by number. An accept merges what its gate knew, so nobody can say which others are merged. */
export type State = ReadonlyMap<number, Place>;
export type Place = 'learned' | 'accepted';

export interface Operation {
  /** For people. */
  name: string;
  /** In ms; an operation without an answer may happen at any time after its call: infinite. */
  called: number;
  answered: number;
  /** Nobody heard whether it happened. */
  mayBeMissing: boolean;
  /** The state after it, if its answer is right for the state before; else null. */
  apply(state: State): State | null;
}

/** More than enough for the histories of a run. */
const MOST_STEPS = 200_000;

/** Null: nobody knows, because there are too many orders to try. */
export function isLinearizable(operations: readonly Operation[], initial: State): boolean | null {
  const tried = new Set<string>();
  let steps = 0;
  const search = (left: readonly Operation[], state: State): boolean | null => {
    if (left.every(({ mayBeMissing }) => mayBeMissing)) return true;
    if (++steps > MOST_STEPS) return null;
    const key = `${left.map(each => operations.indexOf(each)).join()} ${textOf(state)}`;
    if (tried.has(key)) return false;
    tried.add(key);
    const firstAnswer = Math.min(...left.map(({ answered }) => answered));
    for (const next of left) {
      if (next.called > firstAnswer) continue;
      const after = next.apply(state);
      if (after === null) continue;
      const found = search(
        left.filter(each => each !== next),
        after,
      );
      if (found !== false) return found;
    }
    return false;
  };
  return search(operations, initial);
}

const textOf = (state: State): string =>
  [...state]
    .sort(([a], [b]) => a - b)
    .map(([batch, place]) => `${batch}${place[0]}`)
    .join();

// ---- what people and batches do to a baseline ----

type Apply = Operation['apply'];

/** A batch is learned once. */
export const learn =
  (batch: number): Apply =>
  state =>
    state.has(batch) ? null : new Map([...state, [batch, 'learned']]);

/** A request that failed takes back what it has learned. */
export const unlearn =
  (batch: number): Apply =>
  state =>
    state.get(batch) === 'learned' ? without(state, batch) : null;

/** Makes the batch the new normal. One that was merged already can be accepted again after a rollback. */
export const accept =
  (batch: number, hasChanged: boolean): Apply =>
  state => {
    const isAccepted = state.get(batch) === 'accepted';
    if (!hasChanged) return isAccepted ? state : null;
    return isAccepted ? null : new Map([...state, [batch, 'accepted']]);
  };

export const dismiss =
  (batch: number, hasChanged: boolean): Apply =>
  state => {
    if (!hasChanged) return state.has(batch) ? null : state;
    return state.get(batch) === 'learned' ? without(state, batch) : null;
  };

export const admit =
  (batch: number, hasChanged: boolean): Apply =>
  state => {
    if (!hasChanged) return state.has(batch) ? state : null;
    return state.has(batch) ? null : new Map([...state, [batch, 'learned']]);
  };

export const replace =
  (by: State): Apply =>
  () =>
    by;

export const see =
  (seen: State): Apply =>
  state =>
    textOf(state) === textOf(seen) ? state : null;

const without = (state: State, batch: number): State =>
  new Map([...state].filter(([each]) => each !== batch));
