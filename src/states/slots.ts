/** Counts of the values of a column by equal intervals of their hashes: one frequent value among many shows there. */
import { SLOTS } from '../../assembly/abi-parts.ts';
import type { Values } from './values.ts';

const SLOT_WIDTH = 2 ** 53 / SLOTS;
export const slotOf = (hash: number): number => Math.floor(hash / SLOT_WIDTH);

/** Counts of all values by the slots of their hashes. */
export function slotsOf({
  slots,
  values: { hashes, counts },
}: {
  slots: Float64Array | null;
  values: Values;
}): Float64Array {
  return slots ?? slotsOfHashes(hashes, counts);
}

/** `counts`: how often each occurs; once without it. */
export function slotsOfHashes(hashes: Float64Array, counts?: Float64Array): Float64Array {
  const slots = new Float64Array(SLOTS);
  for (let i = 0; i < hashes.length; i++) slots[slotOf(hashes[i]!)]! += counts ? counts[i]! : 1;
  return slots;
}
