/**
 * Statistics: what is compared from batch to batch. Each is derived from measurements, and says what it is called, whether it
 * reveals values, which rows show it, how exactly a batch of its size tells it, and how it is forecast.
 */
import { BUCKETS, type Like, MAX_INSPECTED, PACK } from '../../assembly/abi.ts';

/** Reads a measurement of one field in one batch, by its place. NaN where it is not known. */
export type At = (place: number) => number;
export type Reader = (at: At, rows: number) => number;

/** One statistic of one batch. */
export interface Reading {
  /** A share in 0..1, or a level on a scale on which a step means the same everywhere. 0 for a distribution. */
  value: number;
  /** Cells behind it, above 0. */
  size: number;
  /** Levels: variance of one cell, so that `value` has the sampling variance `variance / size`. 0 for others. */
  variance: number;
  /** Levels: variance that the farthest number of the batch causes. One cell must not raise an alarm. */
  extraVariance: number;
  /** Distributions: cells by bucket. */
  counts: Float64Array | null;
}

export type Kind = 'share' | 'level' | 'distribution';

/** Part of a field that a statistic is about. */
export type Family =
  | 'nulls'
  | 'types'
  | 'empties'
  | 'values'
  | 'numbers'
  | 'texts'
  | 'neighbours'
  | 'dates'
  | 'rows';

/** `value`: in the unit of the field's own numbers. `widths`: in interquartile ranges. */
export type Unit = 'share' | 'value' | 'widths' | 'characters' | 'hours' | 'rows';

/** In words, of units that labels do not say. */
export const UNIT_NAMES: Partial<Record<Unit, string>> = {
  widths: 'interquartile ranges',
  characters: 'characters',
  hours: 'hours',
};

/** How to find the rows that show a statistic. `like`: rows that are like something, or that are not. */
export type RowQuery =
  | { query: 'nulls' | 'empty' | 'new' | 'repeated' | 'types' | 'outliers' | 'far' | 'duplicates' }
  | { query: 'like'; like: Like; has: boolean };

/** Whether the statistic is above or below what was expected. */
export type Direction = 'up' | 'down';
export type RowsOf = (direction: Direction) => RowQuery | null;

/** What people see of a statistic. */
export interface Description {
  /** Its name in the API. */
  id: string;
  /** Its name in sentences. */
  label: string;
  family: Family;
  unit: Unit;
  /** Whether its figures are values of the payload, or as good as values. Then they are not stored under STORE_VALUES=false. */
  isPrivate: boolean;
  /** Which rows show it; null where no rows do. */
  rows: RowsOf;
  /** A few rows cannot move it: without the rows that show it the batch may still be unusual. */
  needsManyRows: boolean;
  /** Present if a job's profile shows it: its description in the API document. */
  inProfile?: string;
}

/** A standard deviation, the root of the sum of the squares of its parts. */
export interface Assumed {
  /** In the statistic's own unit. */
  difference?: number;
  /** In deviations of one cell. */
  deviations?: number;
  /** Of the value itself. */
  ratio?: number;
}

/** How a statistic is forecast. */
export interface Forecasting {
  /** Only a rise counts. */
  onlyRise: boolean;
  /** Levels: a rise counts as a distance so many times as long; by default 1. */
  riseFactor?: number;
  /** Spread that is assumed before there is a history, in sampling errors. */
  priorSpread: number;
  /** How far two batches of any source may differ before a history says it, by default ASSUMED of its kind. Null: it is not judged before. */
  assumed?: Assumed | null;
  /** Share of the budget of false alarms that it has for itself, from MIN_BATCHES of history on. By default an equal part. */
  budget?: number;
  /** However far it lies, it is no BLOCK by itself. */
  atMostWarn?: boolean;
  /** What was alarmed once is usual from then on: new values become known. */
  keepsStrays?: boolean;
  /** How texts are written, which goes with the calendar in a column of dates like 1/2/2026. */
  isOfForm?: boolean;
  /** It goes with the time since the batch before: compared only with batches that came at the same rhythm. */
  goesWithGap?: boolean;
  /** Where it jumped and stayed there, it goes on from there: one alarm a jump. */
  mayJump?: boolean;
  /**
   * Shares that fall as the number of cells grows, such as that of distinct values; or that rise with it by chance, such as that of rows which repeat
   * another: there are more pairs of rows.
   */
  withSize?: 'falls' | 'rises';
  /** Whether a single cell may raise an alarm. */
  oneCellCounts: boolean;
  /** A mean of cells, whose variance is that of the batch: a single cell that explains both is no alarm. */
  isMean?: boolean;
  /** Places of one quantile, or of two whose distance it is. It is no more unusual than the share of numbers below, or between, them. */
  limitedByRanks?: readonly number[];
  /** The first batches only show how little was known then: the oldest third is ignored. */
  ignoresOldest?: boolean;
  /**
   * If no number was below zero before, it counts only where the minimum is at least one usual interquartile range, and the range of all minima,
   * below the lowest number so far. Otherwise a level has only continued to fall.
   */
  onlyFarBelowMinimum?: boolean;
  /** Counts only where the batch's extreme lies beyond all earlier ones. `either`: one of both does, beyond those of batches that were not alarmed. */
  onlyBeyond?: 'minimum' | 'maximum' | 'either';
  /** Counts only in batches where the place of the other numbers does not explain it. */
  onlyWhere?: (at: At) => boolean;
  /** Inverse of the transform, for a level that is not compared on its own scale. */
  inverse?(value: number): number;
}

export interface Statistic extends Description, Forecasting {
  kind: Kind;
  /** Null where the batch has nothing to read. */
  read(at: At, rows: number): Reading | null;
}

/** What a definition must say; `isPrivate` has no default. */
type Described = Pick<Description, 'id' | 'label' | 'family' | 'isPrivate'> &
  Partial<Pick<Description, 'rows' | 'needsManyRows' | 'inProfile'>>;

type Defaulted = 'rows' | 'needsManyRows' | 'onlyRise' | 'priorSpread' | 'oneCellCounts';

/**
 * Every member, so that all statistics have the same members in the same order: the judge reads them a hundred thousand times in a fit, and the runtime
 * finds a member at once only where few shapes of objects come by.
 */
const DEFAULTS = {
  ...{ id: undefined, label: undefined, kind: undefined, family: undefined, unit: undefined },
  ...{ isPrivate: undefined, inProfile: undefined, read: undefined },
  rows: () => null,
  needsManyRows: false,
  onlyRise: false,
  priorSpread: 1,
  oneCellCounts: false,
  ...{ riseFactor: undefined, assumed: undefined, budget: undefined, atMostWarn: undefined },
  ...{ keepsStrays: undefined, isOfForm: undefined, goesWithGap: undefined, mayJump: undefined },
  ...{ withSize: undefined, isMean: undefined, limitedByRanks: undefined, ignoresOldest: undefined },
  ...{ onlyFarBelowMinimum: undefined, onlyBeyond: undefined, onlyWhere: undefined },
  ...{ inverse: undefined },
} satisfies Record<keyof Statistic, unknown> as Pick<Statistic, Defaulted>;

// ---- rows ----

export const inBothDirections =
  (query: RowQuery): RowsOf =>
  () =>
    query;
export const onRise =
  (query: RowQuery): RowsOf =>
  direction =>
    direction === 'up' ? query : null;
export const onFall =
  (query: RowQuery): RowsOf =>
  direction =>
    direction === 'down' ? query : null;
/** On a rise the rows that are like that, on a fall those that are not. */
export const likeness =
  (like: Like): RowsOf =>
  direction => ({ query: 'like', like, has: direction === 'up' });

// ---- readers ----

export const at =
  (place: number): Reader =>
  read =>
    read(place);

// ---- kinds ----

export function share(
  described: Described,
  part: Reader,
  whole: Reader,
  forecasting: Partial<Forecasting> = {},
): Statistic {
  return {
    ...DEFAULTS,
    ...described,
    ...forecasting,
    kind: 'share',
    unit: 'share',
    read(read, rows) {
      const size = whole(read, rows);
      if (!(size > 0)) return null;
      const value = part(read, rows) / size;
      return value >= 0
        ? { value: Math.min(1, value), size, variance: 0, extraVariance: 0, counts: null }
        : null;
    },
  };
}

/** Share of distinct ones among cells. A small batch has fewer repeats, a doubled one more: by itself it is no BLOCK. */
export const distinctShare = (
  described: Described,
  distinct: number,
  whole: number,
  forecasting: Partial<Forecasting> = {},
): Statistic =>
  share(described, at(distinct), at(whole), { atMostWarn: true, withSize: 'falls', ...forecasting });

interface LevelForecasting extends Partial<Forecasting> {
  extraVariance?: Reader;
  /** Fewer cells are not read. */
  minCells?: number;
}

export function level(
  described: Described & { unit: Unit },
  value: Reader,
  size: Reader,
  variance: Reader,
  { extraVariance, minCells = 1, ...forecasting }: LevelForecasting = {},
): Statistic {
  return {
    ...DEFAULTS,
    ...described,
    ...forecasting,
    kind: 'level',
    read(read, rows) {
      const cells = size(read, rows);
      if (!(cells >= minCells)) return null;
      const reading = {
        value: value(read, rows),
        size: cells,
        variance: variance(read, rows),
        extraVariance: extraVariance?.(read, rows) ?? 0,
        counts: null,
      };
      const isKnown = Number.isFinite(reading.value) && Number.isFinite(reading.variance);
      return isKnown ? reading : null;
    },
  };
}

interface DistributionPlaces {
  /** First of BUCKETS / 2 places, two counts in each. */
  buckets: number;
  cells: number;
  /** Distinct values. If nearly all cells differ they fill the buckets evenly, whatever they are: then nothing is read. */
  distinct?: number;
}

const NEARLY_ALL = 0.9;

/** `independence`: share of the cells that are independent draws. */
export function distribution(
  described: Described,
  { buckets, cells, distinct }: DistributionPlaces,
  independence: Reader,
  forecasting: Partial<Forecasting> = {},
): Statistic {
  return {
    ...DEFAULTS,
    ...described,
    ...forecasting,
    kind: 'distribution',
    unit: 'share',
    read(read, rows) {
      const all = read(cells);
      if (!(all > 0) || (distinct !== undefined && read(distinct) > NEARLY_ALL * all)) return null;
      const part = independence(read, rows);
      const counts = new Float64Array(BUCKETS);
      for (let i = 0; i < BUCKETS; i += 2) {
        const two = read(buckets + i / 2);
        counts[i] = part * (two % PACK);
        counts[i + 1] = part * Math.floor(two / PACK);
      }
      return { value: 0, size: sizeOf(counts, part * all), variance: 0, extraVariance: 0, counts };
    },
  };
}

/** `cells`: that are counted. The counts of a large batch are scaled down together: they are worth no more cells than they count. */
function sizeOf(counts: Float64Array, cells: number): number {
  if (cells <= MAX_INSPECTED) return cells;
  return Math.min(
    cells,
    counts.reduce((sum, count) => sum + count),
  );
}

// ---- how statistics of one sort are forecast ----

/** Which type a value has is decided by a program, not by chance: a type that never occurred is news. */
export const DECIDED_BY_PROGRAM = { priorSpread: 0.25, oneCellCounts: true };

/**
 * What a rule usually forbids where it never occurs: gaps in required fields, untrimmed texts, negative numbers, fractions, values outside a
 * closed set, other formats, other alphabets. Halfway between a program's decision and chance.
 */
export const DECIDED_BY_RULE = { priorSpread: 0.5 };

/** The sampling error is only roughly known: its formula is for normal numbers and for independent draws. */
export const ROUGHLY_KNOWN = { priorSpread: 2 };

/** One or two batches do not show what is usual here. */
export const UNKNOWN_AT_FIRST = { assumed: null };
