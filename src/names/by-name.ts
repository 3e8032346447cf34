/** A map of the report keyed by names from the payload: without a prototype, so that `__proto__` is a name like any other. */
export function byName<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  const map: Record<string, Value> = Object.create(null);
  for (const [name, value] of entries) map[name] = value;
  return map;
}
