/** The dates of a field as its profile shows them. */
import { Column } from '../../assembly/abi.ts';
import { DateClock, DateForm, DateStyle, DateZone } from '../../assembly/abi-dates.ts';
import type { ValueQueries } from '../engine/queries.ts';
import { epochUnitOf, msOf } from '../statistics/dates.ts';
import type { FieldProfile } from './profile.ts';

export const DATE_UNITS = ['day', 'hour', 'minute', 'second', 'millisecond'] as const;

export interface DatesDescription {
  /** How most of them are written: `YYYY-MM-DD`, or `epoch seconds` of numbers. */
  format: string;
  /** How many notations there are; above 1 the field mixes them. */
  formats: number;
  /** Of the texts, or of the numbers, of which the engine inspected some: 0.5..1. */
  share: number;
  /** RFC 3339, in UTC where no zone is written. Absent where the order of day and month is not known. */
  earliest?: string;
  latest?: string;
  /** The longest unit that all are multiples of. */
  resolution?: (typeof DATE_UNITS)[number];
}

/** Null for a field of which fewer than half of the texts are dates, and numbers are not times of our age. */
export function describeDates(
  { column, measured: { record, numeric } }: FieldProfile,
  queries: ValueQueries,
): DatesDescription | null {
  const [dates, texts] = [record[Column.DATES]!, record[Column.INSPECTED_TEXTS]!];
  if (dates > 0 && 2 * dates >= texts) {
    const { earliest, latest } = queries.dates(column);
    return {
      format: formatOf(record[Column.DATE_FORM]!, record[Column.DATE_ORDER]!),
      formats: record[Column.DATE_FORMS]!,
      share: dates / texts,
      ...timesOf(earliest, latest),
      ...resolutionOf(record[Column.DATE_UNIT]!),
    };
  }
  const unit = numeric && epochUnitOf(record, { ...numeric, points: numeric.quantiles });
  if (!unit) return null;
  const [first, last] = [numeric.quantiles[0]!, numeric.quantiles.at(-1)!];
  return {
    format: `epoch ${unit}`,
    formats: 1,
    share: 1,
    ...timesOf(first * msOf(unit), last * msOf(unit)),
    resolution: unit === 'seconds' ? 'second' : 'millisecond',
  };
}

/** The first and the last moment that RFC 3339 can write. A zone leads beyond them, and so does rounding. */
const [FIRST_MS, LAST_MS] = ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'].map(Date.parse) as [
  number,
  number,
];

const timesOf = (earliest: number, latest: number): Pick<DatesDescription, 'earliest' | 'latest'> =>
  Number.isNaN(earliest) ? {} : { earliest: isoOf(earliest), latest: isoOf(latest) };

const isoOf = (ms: number): string => new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString();

const MS_OF_UNIT = [86_400_000, 3_600_000, 60_000, 1000, 1];

function resolutionOf(unit: number): Pick<DatesDescription, 'resolution'> {
  const resolution = DATE_UNITS[MS_OF_UNIT.indexOf(unit)];
  return resolution ? { resolution } : {};
}

// ---- formats ----

const DAYS: Partial<Record<DateStyle, string>> = {
  [DateStyle.ISO]: 'YYYY-MM-DD',
  [DateStyle.YEAR_DASHED]: 'YYYY-M-D',
  [DateStyle.YEAR_SLASHED]: 'YYYY/MM/DD',
  [DateStyle.YEAR_DOTTED]: 'YYYY.MM.DD',
  [DateStyle.COMPACT]: 'YYYYMMDD',
  [DateStyle.YEAR_MONTH]: 'YYYY-MM',
  [DateStyle.DOTTED]: 'DD.MM.YYYY',
  [DateStyle.NAMED]: 'DD MMM YYYY',
  [DateStyle.NAMED_FIRST]: 'MMM DD, YYYY',
};
/** By `DateOrder`. */
const SLASHED = ['DD/MM/YYYY or MM/DD/YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY'];
const DASHED = ['DD-MM-YYYY or MM-DD-YYYY', 'DD-MM-YYYY', 'MM-DD-YYYY'];
const CLOCKS: Record<number, string> = { 0: '', [DateClock.MINUTE]: 'HH:mm', [DateClock.SECOND]: 'HH:mm:ss' };
const ZONES: Record<number, string> = {
  0: '',
  [DateZone.Z]: 'Z',
  [DateZone.OFFSET]: '+00:00',
  [DateZone.SHORT_OFFSET]: '+0000',
  [DateZone.NAMED]: ' GMT',
};

function formatOf(form: number, order: number): string {
  const style = form & DateForm.STYLE;
  const long =
    style === DateStyle.EITHER_SLASHED
      ? SLASHED[order]!
      : style === DateStyle.EITHER_DASHED
        ? DASHED[order]!
        : DAYS[style as DateStyle]!;
  const day = form & DateForm.SHORT_YEAR ? long.replaceAll('YYYY', 'YY') : long;
  const clock = CLOCKS[form & DateForm.CLOCK]!;
  if (!clock) return day;
  const isCompact = style === DateStyle.COMPACT;
  const join = form & DateForm.SPACED ? ' ' : isCompact && !(form & DateForm.ZONE) ? '' : 'T';
  // A fraction behind a point may be left out, and is no notation of its own. ISO 8601 allows a comma, RFC 3339 does not.
  const fraction = form & DateForm.COMMA ? ',SSS' : '';
  const half = form & DateForm.TWELVE_HOURS ? ' AM' : '';
  return `${day}${join}${isCompact ? clock.replaceAll(':', '') : clock}${fraction}${half}${ZONES[form & DateForm.ZONE]}`;
}
