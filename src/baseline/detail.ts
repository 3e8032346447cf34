/** How much a record keeps of a field. `limits.ts` decides it: the first fields keep most. */
import { COUNTS } from '../statistics/counts.ts';
import type { Group } from '../statistics/measurement.ts';
import { MEASUREMENTS, WIDTH } from '../statistics/registry.ts';

export type Detail = typeof BRIEF | typeof STANDARD | typeof FULL;
/** Type, presence, nulls, empty texts and values by type; the same of each of the last batches. */
export const BRIEF = 0;
/** Also what is known of its values, and of each of the last batches the groups `rows` and `numbers`. */
export const STANDARD = 1;
/** Also all other measurements of each of the last batches. */
export const FULL = 2;

export const least = (a: Detail, b: Detail): Detail => (a < b ? a : b);

/** Measurements of each of the last batches that a brief field keeps. */
export const BRIEF_MEASUREMENTS = COUNTS.measurements.filter(({ group }) => group === 'rows');
const STANDARD_GROUPS: readonly Group[] = ['rows', 'numbers'];
/** What a standard field keeps beside them, by group; what a full field keeps beside these. */
export const STANDARD_MEASUREMENTS = STANDARD_GROUPS.map(group =>
  MEASUREMENTS.filter(each => each.group === group && !BRIEF_MEASUREMENTS.includes(each)),
);
export const FULL_MEASUREMENTS = MEASUREMENTS.filter(({ group }) => !STANDARD_GROUPS.includes(group));

/** Numbers of a brief field in one batch: each measurement is one. */
export const BRIEF_WIDTH = BRIEF_MEASUREMENTS.length;
/** Their places in the registry. */
export const BRIEF_PLACES = Uint16Array.from(BRIEF_MEASUREMENTS, ({ place }) => place);
/** The index of each place of the registry among them; -1 for the others. */
export const BRIEF_INDEX = Int16Array.from({ length: WIDTH }, (_, place) => BRIEF_PLACES.indexOf(place));

/** Places that only full fields have. */
export const FULL_PLACES = Uint16Array.from(
  FULL_MEASUREMENTS.flatMap(({ place, width }) => Array.from({ length: width }, (_, i) => place + i)),
);
