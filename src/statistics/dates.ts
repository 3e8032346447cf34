/** Dates: texts that are dates, and numbers that are seconds or milliseconds since 1970. */
import { Column, Like } from '../../assembly/abi.ts';
import { HOUR_MS } from '../time/durations.ts';
import { addedByBaseline, buckets, count, measurementFamily } from './measurement.ts';
import type { NumberSummary } from './measurement.ts';
import { NEIGHBOURS } from './neighbours.ts';
import {
  type At,
  at,
  DECIDED_BY_RULE,
  distribution,
  level,
  likeness,
  type Reader,
  type Statistic,
  UNKNOWN_AT_FIRST,
} from './statistic.ts';
import { NUMBERS } from './numbers.ts';
import { TEXTS } from './texts.ts';
import { independence, shareOfDraws } from './values.ts';

export const DATES = measurementFamily(NEIGHBOURS.end, {
  // Over the inspected texts.
  timed_dates: count(Column.TIMED_DATES, 'texts'),
  hour_buckets: buckets(Column.FIRST_HOUR_BUCKET, Column.LAST_HOUR_BUCKET, 'texts'),
  /** Hours from the newest dates to the arrival of the batch, and from the oldest ones to the newest. */
  date_age: { ...addedByBaseline('cells'), storage: 'f32' },
  date_range: { ...addedByBaseline('cells'), storage: 'f32' },
});

const { timed_dates: timedDates, hour_buckets: hourBuckets, date_age: age, date_range: range } = DATES.place;
const { inspected_texts: inspectedTexts, dates } = TEXTS.place;
const { finite } = NUMBERS.place;

/** Between these, in ms since 1970, lie all dates of a field but one or two. */
export interface DateRange {
  low: number;
  high: number;
}

// ---- numbers that are dates ----

/** Seconds and milliseconds from September 2001, when seconds got their tenth digit, to 2039. */
const EPOCHS = [
  { unit: 'seconds', ms: 1000, least: 1e9, most: 2.2e9 },
  { unit: 'milliseconds', ms: 1, least: 1e12, most: 2.2e12 },
] as const;

export type EpochUnit = (typeof EPOCHS)[number]['unit'];

/** The unit of numbers that are all times of our age; null for other numbers. */
export function epochUnitOf(record: Float64Array, { points }: NumberSummary): EpochUnit | null {
  if (record[Column.INTEGERS] !== record[Column.INSPECTED_NUMBERS]) return null;
  const isWithin = ({ least, most }: (typeof EPOCHS)[number]): boolean =>
    points[0]! >= least && points.at(-1)! < most;
  return EPOCHS.find(isWithin)?.unit ?? null;
}

export const msOf = (unit: EpochUnit): number => EPOCHS.find(each => each.unit === unit)!.ms;

/** Null for a field that has no dates, or too few. At least half of its texts must be dates. */
export function dateRangeOf(record: Float64Array, summary: NumberSummary | null): DateRange | null {
  const [low, high] = [record[Column.DATE_LOW]!, record[Column.DATE_HIGH]!];
  if ((low !== 0 || high !== 0) && 2 * record[Column.DATES]! >= record[Column.INSPECTED_TEXTS]!)
    return { low, high };
  const unit = summary && epochUnitOf(record, summary);
  if (!unit) return null;
  const { points } = summary;
  return { low: points[1]! * msOf(unit), high: points[points.length - 2]! * msOf(unit) };
}

// ---- what is judged ----

export const hoursOf = (ms: number): number => ms / HOUR_MS;

/** Batches come an hour sooner or later without a reason. */
const USUAL_HOURS = 1;
/** Dates that lie far apart from each other, such as those of births, end where they happen to: a few gaps between two of them sooner or later. */
const USUAL_GAPS = 3;
const countOf = (read: At): number => Math.max(1, read(dates) || read(finite));
const hoursVariance: Reader = read => USUAL_HOURS ** 2 + ((USUAL_GAPS * read(range)) / countOf(read)) ** 2;
/** A range differs by a quarter of itself, and at both ends by a few gaps. */
const varianceOfLogRange: Reader = read => 0.25 ** 2 + ((2 * USUAL_GAPS) / countOf(read)) ** 2;
/** Ranges of less than an hour are alike. */
const LEAST_HOURS = 1;

export const DATE_STATISTICS: readonly Statistic[] = [
  shareOfDraws(
    {
      id: 'date_share',
      label: 'share of dates',
      family: 'texts',
      isPrivate: false,
      rows: likeness(Like.DATE),
    },
    at(dates),
    at(inspectedTexts),
    DECIDED_BY_RULE,
  ),
  level(
    {
      id: 'date_age',
      label: 'age of the newest dates',
      family: 'dates',
      unit: 'hours',
      isPrivate: true,
    },
    at(age),
    () => 1,
    hoursVariance,
    // After a gap in the data all dates are younger.
    { ...UNKNOWN_AT_FIRST, atMostWarn: true, mayJump: true, goesWithGap: true },
  ),
  level(
    {
      id: 'date_range',
      label: 'time from the oldest dates to the newest',
      family: 'dates',
      unit: 'hours',
      isPrivate: true,
    },
    read => Math.log(read(range) + LEAST_HOURS),
    () => 1,
    varianceOfLogRange,
    {
      ...UNKNOWN_AT_FIRST,
      atMostWarn: true,
      // After a day without a file comes a file of two days. Half of a day is half of a file.
      riseFactor: 0.5,
      inverse: value => Math.exp(value) - LEAST_HOURS,
    },
  ),
  {
    // A batch of a quarter of the day says nothing of the next one.
    ...distribution(
      { id: 'hour_distribution', label: 'mix of hours of the day', family: 'dates', isPrivate: false },
      { buckets: hourBuckets, cells: timedDates },
      independence,
    ),
    ...UNKNOWN_AT_FIRST,
    atMostWarn: true,
  },
];
