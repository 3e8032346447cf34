/** Answers about the values and rows of a whole batch from the state of its parts. Columns are numbered as in the record of the state. */
import { Column, HISTOGRAM_BINS } from '../../assembly/abi.ts';
import type { PastOf } from '../engine/reading.ts';
import type { ColumnQueries, RowList, RowQueries, ValueQueries } from '../engine/queries.ts';
import { type ColumnState, COUNTED } from './column-state.ts';
import type { FirstRows, RowAt } from './first-rows.ts';
import { isBefore } from './place.ts';
import { countsBelow, outsideIn } from './rank-queries.ts';
import { settledColumns } from './settle.ts';
import type { BatchRows, ColumnRows } from './slice-rows.ts';
import { ROWS_LISTED } from '../terms/policy.ts';
import { spanOf } from './spans.ts';
import { stretchesOf } from './stretches.ts';
import { columnsOf, rowIn, type State } from './state.ts';

export function valueQueriesOf(state: State, pastOf: PastOf | null = null): ValueQueries {
  const columns = settledColumns(state, pastOf);
  return {
    booleans: column => booleansIn(columns[column]!),
    histogram: (column, low, high) => histogramOf(columns[column]!, low, high),
    dates: column => datesIn(columns[column]!),
    topTexts: (column, limit) => topTextsIn(columns[column]!, limit),
  };
}

const booleansIn = ({ counts }: ColumnState): { true: number; false: number } => ({
  true: counts[COUNTED.indexOf(Column.TRUES)]!,
  false: counts[COUNTED.indexOf(Column.FALSES)]!,
});

function histogramOf({ ranks, moments }: ColumnState, low: number, high: number): number[] {
  const ends = Array.from({ length: HISTOGRAM_BINS - 1 }, (_, i) => {
    const share = (i + 1) / HISTOGRAM_BINS;
    return low * (1 - share) + high * share;
  });
  const below = [...countsBelow(ranks, ends), moments.count];
  return below.map((count, i) => count - (below[i - 1] ?? 0));
}

function datesIn({ dates }: ColumnState): { earliest: number; latest: number } {
  if (dates === null || !Number.isFinite(dates.earliest - dates.latest))
    return { earliest: Number.NaN, latest: Number.NaN };
  return { earliest: dates.earliest, latest: dates.latest };
}

const topTextsIn = ({ listed }: ColumnState, limit: number): { text: string; count: number }[] =>
  [...(listed ?? [])]
    .sort((a, b) => b.count - a.count || (isBefore(a.first, b.first) ? -1 : 1))
    .slice(0, limit)
    .map(({ text, count }) => ({ text, count }));

// ---- for findings ----

export function columnQueriesOf(state: State, pastOf: PastOf | null): ColumnQueries {
  const columns = settledColumns(state, pastOf);
  return {
    outside: (column, low, high) => outsideIn(columns[column]!.ranks, low, high),
    unseen: (column, known, limit) => unseenIn(columns[column]!, known, limit),
    fresh: column => Math.round(inspectedShare(columns[column]!) * columns[column]!.against.fresh),
    example: (column, expected) => columns[column]!.rows.get(`no ${expected}`)?.[0]?.value,
    marked: (column, mark, limit) =>
      ((columns[column]!.rows.get(mark)?.[0]?.value ?? []) as string[]).slice(0, limit),
  };
}

/** How many inspected cells there are for one that they stand for. */
export function inspectedShare({ counts, inspected }: ColumnState): number {
  const stoodFor = counts[COUNTED.indexOf(Column.INSPECTED)]!;
  return stoodFor === 0 ? 1 : inspected / stoodFor;
}

/** Of a column whose strings are listed all of them are looked at; of any other column, slice after slice counted what the baseline knows. */
function unseenIn(
  { listed, against }: ColumnState,
  known: BigUint64Array,
  limit: number,
): { rows: number; values: string[] } {
  if (listed === null)
    return { rows: against.unseen, values: against.texts.slice(0, limit).map(({ text }) => text) };
  const hashes = new Set(known);
  const unseen = listed.filter(({ hash }) => !hashes.has(hash));
  const inOrder = unseen.toSorted((a, b) => (isBefore(a.first, b.first) ? -1 : 1));
  return {
    rows: unseen.reduce((sum, { count }) => sum + count, 0),
    values: inOrder.slice(0, limit).map(({ text }) => text),
  };
}

export interface WholeRows {
  rowQueries: RowQueries;
  /** As rows of the batch. Their lines are known from then on. */
  list(rows: FirstRows, limit?: number): RowList;
}

/** Rows that were found while the engine held their slice: the first ones. */
export function rowQueriesOf(state: State): WholeRows {
  const columns = columnsOf(state);
  const stretches = stretchesOf(state.stretches);
  const lines: Record<number, number> & { length: number } = { length: Number.MAX_SAFE_INTEGER };
  let hasLines = false;
  const list = (rows: FirstRows, limit = ROWS_LISTED): RowList => {
    const asked = rows.slice(0, limit);
    for (const row of asked) {
      lines[rowIn(state, row.place)] = row.line;
      hasLines ||= row.line > 0;
    }
    return Float64Array.from(asked, ({ place }) => rowIn(state, place));
  };
  const ofBatch = (kind: BatchRows, limit: number) => list(state.rowsOf.get(kind) ?? [], limit);
  const rowsOf = (column: number, kind: ColumnRows): FirstRows => columns[column]!.rows.get(kind) ?? [];
  const of = (column: number, kind: ColumnRows, limit: number) => list(rowsOf(column, kind), limit);
  const rowQueries: RowQueries = {
    without: (column, limit) => of(column, 'null', limit),
    mistyped: (column, expected, limit) => of(column, `no ${expected}`, limit),
    empty: (column, limit) => of(column, 'empty', limit),
    unseen: (column, _, limit) => of(column, 'new', limit),
    fresh: (column, _, limit) => of(column, 'new', limit),
    repeated: (column, limit) => of(column, 'repeated', limit),
    ragged: limit => ofBatch('ragged', limit),
    duplicated: limit => ofBatch('duplicate', limit),
    outside(column, low, high, limit) {
      const isOutside = ({ value }: RowAt) => typeof value === 'number' && (value < low || value > high);
      const odd = (['odd', 'beyond', 'far'] as const).flatMap(kind => rowsOf(column, kind));
      const each = new Map(odd.map(row => [rowIn(state, row.place), row]));
      const inOrder = [...each].sort(([a], [b]) => a - b).map(([, row]) => row);
      return list(inOrder.filter(isOutside), limit);
    },
    marked: (column, mark, limit) => of(column, mark, limit),
    // Which rows are like others is not remembered.
    like: () => new Float64Array(),
    // A line is one of a single text.
    spanOf(column, told) {
      const kind: ColumnRows = told === 'unseen' ? 'new' : told;
      const span = spanOf(stretches, columns[column]!.name, told, rowsOf(column, kind));
      if (span === null) return null;
      const [first, last] = list([span.first, span.last]);
      return { first: first!, last: last! };
    },
    lines: () => (hasLines && state.parts.size === 1 ? lines : null),
  };
  return { rowQueries, list };
}
