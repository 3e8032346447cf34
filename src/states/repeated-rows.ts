/** The rows of a batch that repeat others, wherever its slices were cut: whole rows, and the fields of each `unique` rule. */
import type { Constraint, DeclaredRules } from '../rules/declared/constraint.ts';
import type { SliceKeys } from '../engine/row-keys.ts';
import { ROWS_LISTED } from '../terms/policy.ts';
import type { FirstRows } from './first-rows.ts';
import { type HeldKeys, KeySet } from './keys/key-set.ts';
import type { Repeats } from './keys/repeats.ts';
import { hasNullishTexts } from './settle.ts';
import type { SlicePlace } from './slice-rows.ts';
import { rowAtPlace, stretchesOf } from './stretches.ts';
import type { State } from './state.ts';

/** Of all sets together: beyond it, keys go to disk. */
const MEMORY_BYTES = 64 * 1024 * 1024;

export const uniqueRules = (rules: DeclaredRules | null): (Constraint & { kind: 'unique' })[] =>
  (rules?.constraints ?? []).filter(each => each.kind === 'unique');

/** What repeats in the whole batch: first whole rows, then what each `unique` rule is about. */
export type AllRepeats = readonly Repeats[];

/** Of a slice that begins with `row` of the part: the indexes of its rows that repeat others, as whole rows and by each `unique` rule. */
export const repeatsIn = (
  [ofRows, ...ofRules]: AllRepeats,
  { part, row, rows }: { part: number; row: number; rows: number },
): Uint16Array[] =>
  [ofRows!.repeatingIn(part, row, rows), ...ofRules.map(each => each.sharingIn(part, row, rows))].map(
    indexes => Uint16Array.from(indexes),
  );

/** Takes the keys of slices. */
export interface TakesKeys {
  /** `keys`: of a slice, as `WholeBatch` makes them. */
  add(keys: readonly SliceKeys[], place: Pick<SlicePlace, 'part' | 'row'>): void | Promise<void>;
}

/** Collects the keys of slices, in any order. Close it. */
export class RepeatedRows implements TakesKeys {
  readonly #sets: KeySet[] = [];
  readonly #memoryBytes: number;

  /** `share`: of the memory, where several threads collect keys. */
  constructor(share = 1) {
    this.#memoryBytes = MEMORY_BYTES * share;
  }

  /** Throws `Rejection` SERVICE_UNAVAILABLE if the disk takes no more. */
  add(keys: readonly SliceKeys[], { part, row }: Pick<SlicePlace, 'part' | 'row'>): void {
    for (const [i, each] of keys.entries()) this.#setAt(i, keys.length).add(each, part, row);
  }

  /** Gives all keys to another thread of this process. Nothing can be added any more. */
  handOver(): HeldKeys[] {
    return this.#sets.map(set => set.handOver());
  }

  /** Takes what another thread has given. */
  adopt(held: readonly HeldKeys[]): void {
    for (const [i, each] of held.entries()) this.#setAt(i, held.length).adopt(each);
  }

  /** Call it once, when all slices are there. */
  finish(state: State): AllRepeats {
    return this.#sets.map(set => set.finish(field => hasNullishTexts(state, field)));
  }

  close(): void {
    for (const set of this.#sets) set.close();
  }

  #setAt(i: number, sets: number): KeySet {
    const kind = i === 0 ? 'rows' : 'values';
    this.#sets[i] ??= new KeySet({ kind, memoryBytes: this.#memoryBytes / sets });
    return this.#sets[i];
  }
}

/** The state with repeated rows counted over all slices. */
export function withRepeats(state: State, rules: DeclaredRules | null, repeats: AllRepeats): State {
  const [rows, ...ofRules] = repeats;
  if (rows === undefined) return state;
  const stretches = stretchesOf(state.stretches);
  const listed = (places: ReturnType<Repeats['firstRepeating']>): FirstRows =>
    places.flatMap(({ part, row }) => rowAtPlace(stretches, [part, row]) ?? []);
  const unique = uniqueRules(rules);
  const tallies = state.rules?.map((tally, i) => {
    const found = ofRules[unique.indexOf(rules!.constraints[i] as (typeof unique)[number])];
    if (found === undefined) return tally;
    const first = listed(found.firstSharing(ROWS_LISTED));
    return { ...tally, count: found.sharing, rows: first };
  });
  return {
    ...state,
    duplicateRows: rows.repeating,
    rowsOf: new Map([...state.rowsOf, ['duplicate', listed(rows.firstRepeating(ROWS_LISTED))]]),
    rules: tallies ?? null,
  };
}
