/** How much a state keeps of a column, and what the next part of a batch may leave out of it. */
import type { BoundsOf, PartBounds } from '../engine/part-measures.ts';
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

/** For a part of a batch. `known`: what the parts before have left out of a column already. */
export const boundsFor =
  (known: (name: string) => Pick<PartBounds, 'end' | 'level'> | undefined): BoundsOf =>
  (given, isHeader) => {
    const { names } = namesIn(given, isHeader);
    const { values: most } = keptOf(names.length);
    return names.map(name => ({ ...(known(name) ?? ALL), most }));
  };

const ALL = { end: HASH_END, level: LEAST_LEVEL };

/** For the first part. */
export const NO_BOUNDS = boundsFor(() => undefined);
