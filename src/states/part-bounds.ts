/** How much a state keeps of a column, and who takes the values of a part. */
import type { TakersOf } from '../engine/part-measures.ts';
import { headerNames } from '../profile/names.ts';
import { LEAST_LEVEL, MAX_BUCKETS } from './ranks.ts';
import { HASH_END, MAX_VALUES } from './values.ts';

/** Values of all columns that are kept, and at least so many of each; likewise numbers. */
const ALL_VALUES = 1_048_576;
const ALL_BUCKETS = 262_144;
const LEAST_KEPT = 512;

/** Of a column: all of them together are bounded. */
export const keptOf = (columns: number): { values: number; ranks: number } => ({
  values: Math.min(MAX_VALUES, Math.max(LEAST_KEPT, Math.floor(ALL_VALUES / columns))),
  ranks: Math.min(MAX_BUCKETS, Math.max(LEAST_KEPT, Math.floor(ALL_BUCKETS / columns))),
});

/** The names of the columns of a slice, and those that occur twice in its header. Throws `Rejection` PAYLOAD_TOO_LARGE for a repeated name that is too long. */
export const namesIn = (names: string[], isHeader: boolean): { names: string[]; repeated: string[] } =>
  isHeader ? headerNames(names) : { names, repeated: [] };

/** For a part that is kept by itself: it gets copies. */
export const copiesOf: TakersOf = names => {
  const { values: most } = keptOf(names.length);
  return names.map(() => ({
    ...{ end: HASH_END, most, level: LEAST_LEVEL },
    takeValues: ({ values, slots }) => ({ values: copied(values), slots: slots?.slice() ?? null }),
    takeRanks: ranks => ({ ...copied(ranks), atoms: copied(ranks.atoms) }),
  }));
};

/** With its own arrays. A structured clone would copy all that is in their buffer. */
const copied = <Lists extends object>(lists: Lists): Lists =>
  Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, list instanceof Float64Array ? list.slice() : list]),
  ) as Lists;
