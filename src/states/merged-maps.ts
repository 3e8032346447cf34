/** Both maps, with values of the same key merged. */
export function mergedMaps<Key, Value>(
  a: ReadonlyMap<Key, Value>,
  b: ReadonlyMap<Key, Value>,
  merge: (x: Value, y: Value) => Value,
): ReadonlyMap<Key, Value> {
  if (a.size === 0 || b.size === 0) return a.size === 0 ? b : a;
  const merged = new Map(a);
  for (const [key, value] of b) {
    const known = merged.get(key);
    merged.set(key, known === undefined ? value : merge(known, value));
  }
  return merged;
}
