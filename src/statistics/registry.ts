/**
 * All that is measured of a field, and all that is compared from batch to batch. To add a statistic, add its measurement and its entry to the
 * file of its family; a list of entries that is new is named here. The engine's side, where cells are counted, is `assembly/statistics/`.
 */
import { COUNTS, EMPTY_RATE, NULL_RATE, TRUE_SHARE, TYPE_SHARES } from './counts.ts';
import type { Measurement } from './measurement.ts';
import { DATE_STATISTICS, DATES } from './dates.ts';
import { NEIGHBOUR_STATISTICS, NEIGHBOURS } from './neighbours.ts';
import { EXTREMES, LOCATION, NUMBERS, SEQUENCE_COMPLETENESS, SORTS_OF_NUMBERS, SPREAD } from './numbers.ts';
import { BATCH_STATISTICS } from './rows.ts';
import type { Statistic } from './statistic.ts';
import { CHARACTERS, FORMATS, LENGTHS, PADDED_SHARE, TEXTS } from './texts.ts';
import { ADJACENT_VALUES, FREQUENCIES, NEW_VALUE_SHARES, VALUES } from './values.ts';

export { BATCH_STATISTICS, NEIGHBOUR_STATISTICS };

/** Every measurement of a field and batch, by place. */
export const MEASUREMENTS: readonly Measurement[] = [
  COUNTS,
  VALUES,
  NUMBERS,
  TEXTS,
  NEIGHBOURS,
  DATES,
].flatMap(({ measurements }) => measurements);

/** Place of each measurement by its id. */
export const PLACE = {
  ...COUNTS.place,
  ...VALUES.place,
  ...NUMBERS.place,
  ...TEXTS.place,
  ...NEIGHBOURS.place,
  ...DATES.place,
};

/** Numbers of one field in one batch. */
export const WIDTH = DATES.end;

/** Statistics of a field, in the order in which they are named if two are equally unusual. */
export const FIELD_STATISTICS: readonly Statistic[] = [
  NULL_RATE,
  ...TYPE_SHARES,
  EMPTY_RATE,
  TRUE_SHARE,
  PADDED_SHARE,
  ...NEW_VALUE_SHARES,
  ...FREQUENCIES,
  ...LOCATION,
  ...SPREAD,
  ...EXTREMES,
  ...SORTS_OF_NUMBERS,
  SEQUENCE_COMPLETENESS,
  ...LENGTHS,
  ...FORMATS,
  ...CHARACTERS,
  ...DATE_STATISTICS,
  ...ADJACENT_VALUES,
];

/** Statistics that a job's profile shows. */
export const PROFILE_STATISTICS: readonly Statistic[] = FIELD_STATISTICS.filter(
  ({ inProfile }) => inProfile !== undefined,
);

const BY_ID: ReadonlyMap<string, Statistic> = new Map(
  [...FIELD_STATISTICS, ...NEIGHBOUR_STATISTICS, ...BATCH_STATISTICS].map(statistic => [
    statistic.id,
    statistic,
  ]),
);

/** Every statistic, once. */
export const STATISTICS: readonly Statistic[] = [...BY_ID.values()];

/** The statistic with that name in the API; undefined if there is none. */
export const statisticById = (id: string): Statistic | undefined => BY_ID.get(id);
