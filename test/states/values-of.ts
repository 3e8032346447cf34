import { HASH_END, MAX_VALUES, mergeValues, type Values } from '../../src/states/values.ts';

/** Of hashes in any order, as the engine lists them. */
export function valuesOf(hashes: Float64Array, most = MAX_VALUES): Values {
  const counts = new Map<number, number>();
  for (const hash of hashes.toSorted()) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const all = { hashes: Float64Array.from(counts.keys()), counts: Float64Array.from(counts.values()) };
  const none = { hashes: new Float64Array(), counts: new Float64Array(), end: HASH_END, most };
  return mergeValues({ ...all, end: HASH_END, most }, none);
}
