/** Answers about the values of a whole batch, for its description, from the state of its parts. */
import { Column, HISTOGRAM_BINS } from '../../assembly/abi.ts';
import type { ValueQueries } from '../engine/queries.ts';
import { type ColumnState, COUNTED, isBefore } from './column-state.ts';
import { countsBelow } from './rank-queries.ts';
import { settled } from './settle.ts';
import { columnsOf, type State } from './state.ts';

/** Columns are numbered as in the record of the state. */
export function valueQueriesOf(state: State): ValueQueries {
  const columns = columnsOf(state).map(settled);
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
