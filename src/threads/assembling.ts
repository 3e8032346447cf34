/**
 * Puts a batch together from what its slices and parts left behind: their states, and the keys of their rows. It runs in a thread of its own, as looking for repeated rows among
 * millions takes seconds.
 */
import type { SliceKeys } from '../engine/row-keys.ts';
import type { DeclaredRules } from '../rules/declared/constraint.ts';
import { decodeKeys } from '../states/bytes/keys.ts';
import {
  decodeStateBytes,
  mergePartsStates,
  type PartsState,
  StateError,
} from '../states/bytes/state-bytes.ts';
import { type AllRepeats, RepeatedRows, repeatsIn, withRepeats } from '../states/repeated-rows.ts';
import type { State } from '../states/state.ts';
import { Rejection } from '../terms/errors.ts';
import { encodedState } from './encoded-state.ts';

/** Of the memory for keys: several batches may be put together at once. */
const SHARE = 0.5;

export interface AddKeysOrder {
  batch: string;
  keys: SliceKeys[];
  /** Where the slice begins. */
  part: number;
  row: number;
}

export interface PartBytes {
  batch: string;
  bytes: Uint8Array;
}

export interface WholeOrder {
  batch: string;
  /** Of the slices; null: the stored ones that were added. */
  state: State | null;
  /** Those that the slices were checked by. */
  rules: DeclaredRules | null;
}

const OTHER_PARTS = 'Parts of the batch cannot be put together: open another batch, and send them again';

interface Assembled {
  repeated: RepeatedRows;
  parts: PartsState | null;
  repeats: AllRepeats | null;
}

export class Assembling {
  readonly #batches = new Map<string, Assembled>();

  /** Of a slice. */
  addKeys({ batch, keys, part, row }: AddKeysOrder): void {
    this.#of(batch).repeated.add(keys, { part, row });
  }

  /** Of a part, as they were stored. */
  addStoredKeys({ batch, part, bytes }: PartBytes & { part: number }): void {
    for (const { row, sets } of decodeKeys(bytes)) this.#of(batch).repeated.add(sets, { part, row });
  }

  /** Merges a stored state with those before. Throws `Rejection` if it cannot be read or does not belong to them. */
  addStoredState({ batch, bytes }: PartBytes): void {
    const of = this.#of(batch);
    try {
      const added = decodeStateBytes(bytes);
      of.parts = of.parts === null ? added : mergePartsStates(of.parts, added);
    } catch (error) {
      // Another release may have stored it.
      if (error instanceof StateError)
        throw new Rejection('PART_CONFLICT', `${OTHER_PARTS}. ${error.message}`);
      throw error;
    }
  }

  /** The stored states that were added, as one. Throws `Rejection` PAYLOAD_TOO_LARGE. */
  mergedStates({ batch }: { batch: string }): Uint8Array {
    return encodedState(this.#of(batch).parts!);
  }

  /** All that was added, with repeated rows counted. */
  wholeState({ batch, state, rules }: WholeOrder): State {
    const of = this.#of(batch);
    const whole = state ?? of.parts!.state;
    // Those of posts are kept with their states.
    for (const [part, slices] of state ? [] : of.parts!.keys)
      for (const { row, sets } of slices) of.repeated.add(sets, { part, row });
    of.repeats = of.repeated.finish(whole);
    return withRepeats(whole, rules, of.repeats);
  }

  /** After `wholeState`: the indexes of the rows of a slice that repeat others, as whole rows and by each `unique` rule. */
  repeatsIn(of: { batch: string; part: number; row: number; rows: number }): Uint16Array[] {
    return repeatsIn(this.#of(of.batch).repeats!, of);
  }

  forgetBatch({ batch }: { batch: string }): void {
    this.#batches.get(batch)?.repeated.close();
    this.#batches.delete(batch);
  }

  #of(batch: string): Assembled {
    const known = this.#batches.get(batch);
    if (known) return known;
    const assembled = { repeated: new RepeatedRows(SHARE), parts: null, repeats: null };
    this.#batches.set(batch, assembled);
    return assembled;
  }
}
