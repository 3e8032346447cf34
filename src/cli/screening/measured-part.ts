/** What a file says as a part of a larger batch. */
import type { SliceKeys } from '../../engine/row-keys.ts';
import { type KeysOfSlice, keysInSets } from '../../states/bytes/keys.ts';
import { checkKeys, type MeasuredFor, type PartsState, printOf } from '../../states/bytes/state-bytes.ts';
import type { TakesKeys } from '../../states/repeated-rows.ts';
import type { Reading } from '../input/reading.ts';
import type { Terminal } from '../terminal.ts';
import type { Local } from './local.ts';
import type { Memory } from './local-store.ts';
import type { JsonObject } from './named-batch.ts';
import { namedBatches } from './screening.ts';
import { behind, measuredIn } from './slices.ts';

export interface Part {
  part: number;
  /** Null: its values are compared with no past. */
  source: string | null;
  options: JsonObject;
}

/** Nothing is stored of it. */
const NO_SOURCE = 'unnamed';

/** Throws `Failure`, `Rejection`, and `StateError` for a file that is too long. */
export async function measuredPart(
  file: string,
  reading: Reading,
  { part, source, options }: Part,
  { local, memory }: { local: Local; memory: Memory },
  terminal: Terminal,
): Promise<PartsState> {
  const named = { source: source ?? NO_SOURCE, options };
  const batches = namedBatches(file, reading, named, local, terminal);
  try {
    const { value: first } = await batches.next();
    const { begin, ...slices } = await local.whole.begin(named);
    const kept = new KeptKeys();
    const state = await measuredIn(local.threads, { ...slices, begin, part }, behind(first!, batches), kept);
    const { generation } = begin!.read.stored;
    const measuredFor = measuredForOf(memory.salt, options, { source, generation });
    return { measuredFor, state, keys: kept.byPart };
  } finally {
    await batches.return(undefined);
  }
}

/** `options`: those of the request. */
export const measuredForOf = (
  salt: Uint8Array,
  { rules }: JsonObject,
  past: Pick<MeasuredFor, 'source' | 'generation'>,
): MeasuredFor => ({
  salt: printOf(salt),
  rules: rules === undefined ? 0n : printOf(JSON.stringify(rules)),
  ...past,
});

class KeptKeys implements TakesKeys {
  readonly byPart = new Map<number, KeysOfSlice[]>();
  #count = 0;

  add(sets: readonly SliceKeys[], { part, row }: { part: number; row: number }): void {
    const slices = this.byPart.get(part) ?? [];
    slices.push({ row, sets });
    this.byPart.set(part, slices);
    this.#count += keysInSets(sets);
    checkKeys(this.#count);
  }
}
