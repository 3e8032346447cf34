/** The first rows of a batch that have something, such as no value in a column. */
import { ROWS_LISTED } from '../terms/policy.ts';
import { isBefore, type Place } from './place.ts';

/** A row, and the line of its part on which it begins, from 1; 0 in a format without lines. */
export interface RowAt {
  /** Its part, and its row there, from 0. */
  place: Place;
  line: number;
  /** Its value in the column, where that is asked for again. */
  value?: unknown;
}

/** Ascending, at most ROWS_LISTED. */
export type FirstRows = readonly RowAt[];

/** By what the rows have, such as `null`. */
export type RowsByKind = ReadonlyMap<string, FirstRows>;

export const NO_ROWS: RowsByKind = new Map();

/** Whether all that can be listed lies before this place. */
export const areFull = (rows: FirstRows | undefined, before: Place): boolean =>
  rows?.length === ROWS_LISTED && isBefore(rows.at(-1)!.place, before);

export function mergeRows(a: FirstRows, b: FirstRows): FirstRows {
  const all = [...a, ...b].sort((x, y) => (isBefore(x.place, y.place) ? -1 : 1));
  return all.slice(0, ROWS_LISTED);
}
