/**
 * How often something occurs in each stretch of a batch, so that a finding can say from where to where it is. A stretch is 10,000 rows at first; when there are too many, two neighbours
 * become one, again and again. That rests only on which slices and columns there are, so states that are merged in another order have the same stretches.
 */
import { Column, MAX_ROWS } from '../../assembly/abi.ts';
import type { ValueType } from '../profile/profile.ts';
import { type ColumnState, COUNTED } from './column-state.ts';
import { COLUMNS_OF_TYPE } from './columns-of-type.ts';
import type { RowAt } from './first-rows.ts';
import { mergedMaps } from './merged-maps.ts';
import { isBefore, type Place } from './place.ts';
import type { SlicePlace } from './slice-rows.ts';

/** Stretches times columns that a batch may have; those of one part are never joined with those of another. */
export const MAX_STRETCHES = 65_536;

export interface Stretches {
  /** A stretch has up to MAX_ROWS * 2 ** level rows. */
  level: number;
  byPlace: ReadonlyMap<string, Stretch>;
}

export interface Stretch {
  /** Its part, and its number there. */
  place: Place;
  rows: number;
  /** Its first row in the part, and the line of that; 0 in a format without lines. */
  first: number;
  line: number;
  /** By how many more lines than rows there are. */
  extraLines: number;
  columns: ReadonlyMap<string, StretchCounts>;
}

/** By `STRETCHED`. */
export type StretchCounts = Float64Array;

/** What is counted of a column in a stretch, over all rows: values by type, and values that the source has not had. */
const OF_ROWS: readonly Column[] = [
  ...[Column.NUMBERS, Column.FALSES, Column.TRUES, Column.STRINGS, Column.EMPTIES],
  ...[Column.OBJECTS, Column.ARRAYS],
];
const PLACES = OF_ROWS.map(column => COUNTED.indexOf(column));
/** Where the other counts are. */
export const PLACE_OF = {
  empty: OF_ROWS.indexOf(Column.EMPTIES),
  unseen: OF_ROWS.length,
  far: OF_ROWS.length + 1,
} as const;

/** Names of all that is counted. */
export const COUNTED_IN_STRETCHES: readonly string[] = [
  ...OF_ROWS.map(column => Column[column]),
  ...['unseen', 'far'],
];

export const typePlaces = (type: ValueType): number[] =>
  COLUMNS_OF_TYPE[type].map(column => OF_ROWS.indexOf(column));

/** Of a slice. `line`: of its first row. */
export function stretchOf(
  { part, row, line, extraLines }: SlicePlace & { extraLines: number },
  rows: number,
  columns: readonly ColumnState[],
): Stretches {
  const counts = ({ counts: all, against }: ColumnState) =>
    Float64Array.from([...PLACES.map(place => all[place]!), against.unseen, against.far]);
  const place: Place = [part, Math.floor(row / MAX_ROWS)];
  const stretch = {
    place,
    rows,
    first: row,
    line,
    extraLines,
    columns: new Map(columns.map(each => [each.name, counts(each)])),
  };
  return { level: 0, byPlace: new Map([[String(place), stretch]]) };
}

/** `columns`: how many the batch has. */
export function mergeStretches(a: Stretches, b: Stretches, columns: number): Stretches {
  const level = Math.max(a.level, b.level);
  let merged = { level, byPlace: mergedMaps(atLevel(a, level), atLevel(b, level), mergeStretch) };
  const parts = new Set([...merged.byPlace.values()].map(({ place }) => place[0])).size;
  const isTooMany = ({ size }: Stretches['byPlace']) => size > parts && size * columns > MAX_STRETCHES;
  while (isTooMany(merged.byPlace))
    merged = { level: merged.level + 1, byPlace: atLevel(merged, merged.level + 1) };
  return merged;
}

function atLevel({ level, byPlace }: Stretches, wanted: number): Stretches['byPlace'] {
  if (level === wanted) return byPlace;
  const joined = new Map<string, Stretch>();
  for (const stretch of byPlace.values()) {
    const [part, number] = stretch.place;
    const place: Place = [part, Math.floor(number / 2 ** (wanted - level))];
    const known = joined.get(String(place));
    joined.set(String(place), known ? mergeStretch(known, stretch) : { ...stretch, place });
  }
  return joined;
}

const mergeStretch = (a: Stretch, b: Stretch): Stretch => ({
  place: isBefore(a.place, b.place) ? a.place : b.place,
  rows: a.rows + b.rows,
  first: Math.min(a.first, b.first),
  line: Math.min(a.line, b.line),
  extraLines: a.extraLines + b.extraLines,
  columns: mergedMaps(a.columns, b.columns, (x, y) => x.map((count, i) => count + y[i]!)),
});

/** In the order of the batch. */
export const stretchesOf = ({ byPlace }: Stretches): Stretch[] =>
  [...byPlace.values()].sort((a, b) => (isBefore(a.place, b.place) ? -1 : 1));

/** With its line, where each row of its stretch has one line; null where only reading the rows again would tell. */
export function rowAtPlace(stretches: readonly Stretch[], place: Place): RowAt | null {
  const [part, row] = place;
  const stretch = stretches.find(
    each => each.place[0] === part && row >= each.first && row < each.first + each.rows,
  );
  if (stretch === undefined || stretch.extraLines > 0) return null;
  return { place, line: stretch.line === 0 ? 0 : stretch.line + row - stretch.first };
}
