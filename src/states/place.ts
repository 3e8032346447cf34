/** A place in a batch: the number of the part, from 0, and a number that grows within the part. */
export type Place = readonly [part: number, place: number];

export const isBefore = (a: Place, b: Place): boolean => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);

/** The earlier one of those that there are. */
export const firstOf = (a: Place | null, b: Place | null): Place | null =>
  a === null || b === null ? (a ?? b) : isBefore(b, a) ? b : a;
