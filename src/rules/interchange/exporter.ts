/** What each format of an export is made of. */
import type { Constraint } from '../declared/constraint.ts';

export interface Exporter {
  /** Adds what a constraint says to the document. Returns why the format cannot say it; null if it can. */
  say(constraint: Constraint): string | null;
  /** The document, when all is said. */
  document(): object;
}

export const isStrict = ({ severity, tolerance }: Constraint): boolean =>
  severity === 'block' && tolerance === 0;

/** The value of a map at a key, made if it is not there. */
export function at<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
