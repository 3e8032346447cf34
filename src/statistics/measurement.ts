/**
 * Measurements: the numbers that are kept of one field in one batch. The engine measures nearly all of them; the baseline adds
 * what only it can know. Each has an id, which is its key in stored baselines: never change it, never use it for another number.
 */
import type { Column } from '../../assembly/abi.ts';

/**
 * How a value is stored. `count`: a whole number of 0 or more, in as few bytes as it needs. `f32`: any number, in single
 * precision. `u32`: a whole number below 2^32 - 1, in four bytes. In memory all are single precision: whole up to 2^24.
 */
export type Storage = 'count' | 'f32' | 'u32';

/**
 * When a value is known; else it is NaN. Values of one group are known together.
 * `rows`: whenever the batch has the field. `numbers`: it has finite numbers. `cells`: always, except in baselines of the first
 * release. `texts`: it has texts. `history`: the source's baseline had the field before.
 */
export type Group = 'rows' | 'numbers' | 'cells' | 'texts' | 'history';

/** One number of the engine's record of a column. */
export type ColumnReader = (column: Column) => number;

/** What a baseline keeps of a batch's finite numbers, in double precision. */
export interface NumberSummary {
  mean: number;
  /** Sum of squared deviations from the mean. */
  m2: number;
  /** QUANTILES order statistics, from the minimum to the maximum. */
  points: Float64Array;
}

/** Where a measurement comes from. */
export type Source =
  /** A column of the engine's record; or a formula over several of them, of which `column` belongs to this measurement. */
  | { from: 'engine'; column: Column | null; formula?: (at: ColumnReader, rows: number) => number }
  /** Follows from the summary of the finite numbers, so it is not stored beside it. */
  | {
      from: 'summary';
      columns: readonly Column[];
      formula: (summary: NumberSummary, finite: number) => number;
    }
  /** Set by the baseline. */
  | { from: 'baseline' };

export interface Definition {
  storage: Storage;
  group: Group;
  /** Numbers it consists of: of the engine's record as many columns in a row. */
  width: number;
  source: Source;
}

export interface Measurement extends Definition {
  id: string;
  /** Index of its first number among those of a field and batch. Only for memory: stored baselines go by ids. */
  place: number;
}

export interface MeasurementFamily<Id extends string = string> {
  measurements: readonly Measurement[];
  /** By id. */
  place: Readonly<Record<Id, number>>;
  /** Place behind the last number. */
  end: number;
}

/** Measurements with the places from `start` on: 0, or the `end` of the family before. */
export function measurementFamily<Id extends string>(
  start: number,
  definitions: Readonly<Record<Id, Definition>>,
): MeasurementFamily<Id> {
  const place = {} as Record<Id, number>;
  const measurements: Measurement[] = [];
  let end = start;
  for (const [id, definition] of Object.entries(definitions) as [Id, Definition][]) {
    place[id] = end;
    measurements.push({ id, place: end, ...definition });
    end += definition.width;
  }
  return { measurements, place, end };
}

// ---- constructors ----

const engine = (column: Column, storage: Storage, group: Group, width = 1): Definition => ({
  storage,
  group,
  width,
  source: { from: 'engine', column },
});

/** A count in a column of the engine's record. */
export const count = (column: Column, group: Group): Definition => engine(column, 'count', group);

/** Counts by bucket in several columns, two counts in each. */
export const buckets = (first: Column, last: Column, group: Group): Definition =>
  engine(first, 'count', group, last - first + 1);

/** A share or a mean in a column of the engine's record. */
export const real = (column: Column, group: Group): Definition => engine(column, 'f32', group);

/** Bits of a hash in a column of the engine's record, at most 24. */
export const hashBits = (column: Column, group: Group): Definition => engine(column, 'u32', group);

/** A number that is computed from the engine's record. `column` is the one that belongs to it; null if there is none. */
export const computed = (
  column: Column | null,
  storage: Storage,
  group: Group,
  formula: (at: ColumnReader, rows: number) => number,
): Definition => ({ storage, group, width: 1, source: { from: 'engine', column, formula } });

/** A number that follows from the mean, the deviations and the order statistics of a batch. */
export const summary = (
  columns: readonly Column[],
  formula: (numbers: NumberSummary, finite: number) => number,
): Definition => ({
  storage: 'f32',
  group: 'numbers',
  width: 1,
  source: { from: 'summary', columns, formula },
});

/** A count that the baseline sets. */
export const addedByBaseline = (group: Group): Definition => ({
  storage: 'count',
  group,
  width: 1,
  source: { from: 'baseline' },
});
