/**
 * Settles what a CSV column holds by all of its cells, as `src/engine/settle.ts` does for one body. Each slice has settled its own before it was measured. Where that differs,
 * counts, words that stand for null and numbers are corrected exactly. Numbers that become texts keep their hashes, so distinct values may be counted twice, and figures of
 * inspected texts are of the slices that read them as texts.
 */
import { Column } from '../../assembly/abi.ts';
import {
  type PastColumn,
  type PastOf,
  type Reading,
  readingOf,
  typedTextsIn,
  type Unsettled,
} from '../engine/reading.ts';
import { type ColumnState, COUNTED, type Listed } from './column-state.ts';
import { mergeListed } from './merged-columns.ts';
import { slotOf, slotsOf } from './slots.ts';
import { mergeMoments, NO_MOMENTS } from './moments.ts';
import { outsideIn } from './rank-queries.ts';
import { mergeRanks, NO_RANKS, type Ranks } from './ranks.ts';
import { textRunIn } from './spans.ts';
import { columnsOf, type State } from './state.ts';
import { stretchesOf } from './stretches.ts';
import { mergeValues, NO_VALUES, type Values, withoutValues } from './values.ts';

/** Whether words such as `NA` are texts in a field of CSV, by all cells of the batch: for `KeySet.finish`. */
export function hasNullishTexts(state: State, field: string): boolean {
  const unsettled = state.columns.get(field)?.unsettled ?? null;
  return unsettled !== null && readingIn(state, field, unsettled, null) === 'texts';
}

const readingIn = (state: State, name: string, cells: Unsettled, past: PastColumn | null): Reading =>
  readingOf(withLargeNumbers(cells, state.columns.get(name)!), past, () =>
    textRunIn(stretchesOf(state.stretches), name),
  );

/** The last double below 1,000. */
const BELOW_1000 = 1000 - 2 ** -43;

/** A slice without commas between thousands has not counted its numbers from 1,000 on. */
function withLargeNumbers(cells: Unsettled, { ranks, codeRanks }: ColumnState): Unsettled {
  if (cells.groupedTexts === 0) return cells;
  const largeIn = (each: Ranks): number => outsideIn(each, -BELOW_1000, BELOW_1000).count;
  return { ...cells, largeNumbers: largeIn(ranks) + largeIn(codeRanks) };
}

/** In the order of the batch. `pastOf`: what is known of its columns. */
export function settledColumns(state: State, pastOf: PastOf | null = null): ColumnState[] {
  const columns = columnsOf(state);
  const pasts = pastOf?.(columns.map(({ name }) => name)) ?? [];
  return columns.map((column, i) =>
    settled(column, cells => readingIn(state, column.name, cells, pasts[i] ?? null)),
  );
}

function settled(state: ColumnState, readingFor: (cells: Unsettled) => Reading): ColumnState {
  const { unsettled } = state;
  if (unsettled === null) return state;
  const reading = readingFor(unsettled);
  const counts = countsOf(state.counts, unsettled, reading);
  const read = { ...withNullish(state, reading === 'values'), counts };
  if (reading === 'values') {
    const moments = mergeMoments(state.moments, state.codeMoments);
    return { ...read, moments, ranks: mergeRanks(state.ranks, state.codeRanks) };
  }
  // A slice that was read as numbers or booleans has not listed them as texts.
  const areListed = [Column.NUMBERS, Column.FALSES, Column.TRUES].every(
    column => state.counts[COUNTED.indexOf(column)] === 0,
  );
  return { ...read, moments: NO_MOMENTS, ranks: NO_RANKS, listed: areListed ? read.listed : null };
}

function countsOf(before: Float64Array, cells: Unsettled, reading: Reading): Float64Array {
  const { nulls, nullish, nullishEmpties, codes, integers, falses, trues } = cells;
  const areTexts = reading === 'texts';
  const typed = integers + cells.numbers + falses + trues;
  const strings = cells.strings + codes + (areTexts ? typed + nullish - nullishEmpties : 0);
  const empties = cells.empties + (areTexts ? nullishEmpties : 0);
  const left = areTexts ? 0 : typed;
  const counts = before.slice();
  const put = (column: Column, count: number): void => {
    counts[COUNTED.indexOf(column)] = count;
  };
  put(Column.NULLS, nulls + (areTexts ? 0 : nullish));
  put(Column.NUMBERS, areTexts ? 0 : integers + cells.numbers);
  put(Column.FALSES, areTexts ? 0 : falses);
  put(Column.TRUES, areTexts ? 0 : trues);
  put(Column.STRINGS, strings);
  put(Column.EMPTIES, empties);
  put(Column.VALUES, left + strings + empties);
  put(Column.TEXTS, strings + empties);
  put(Column.TYPED_TEXTS, typedTextsIn(cells, reading));
  if (areTexts)
    for (let column = Column.INSPECTED_NUMBERS; column <= Column.TWO_DECIMALS; column++) put(column, 0);
  return counts;
}

/** With the words that stand for null among the values, or without them. */
function withNullish(state: ColumnState, areNull: boolean): ColumnState {
  const changed = areNull ? state.words : state.nulls;
  if (changed.length === 0) return state;
  const sign = areNull ? -1 : 1;
  const slots = slotsOf(state).slice();
  let { hashSum } = state;
  for (const { hash, count } of changed) {
    slots[slotOf(Number(hash >> 11n))]! += sign * count;
    hashSum = BigInt.asUintN(64, hashSum + hash * BigInt(sign * count));
  }
  const values = valuesOfListed(changed);
  return {
    ...state,
    slots,
    hashSum,
    values: areNull ? withoutValues(state.values, values) : mergeValues(state.values, values),
    listed: areNull ? withoutListed(state.listed, changed) : mergeListed(state.listed, changed),
  };
}

function valuesOfListed(listed: readonly Listed[]): Values {
  const sorted = listed
    .map(({ hash, count }) => ({ hash: Number(hash >> 11n), count }))
    .sort((a, b) => a.hash - b.hash);
  return {
    hashes: Float64Array.from(sorted, ({ hash }) => hash),
    counts: Float64Array.from(sorted, ({ count }) => count),
    end: NO_VALUES.end,
    most: NO_VALUES.most,
  };
}

function withoutListed(listed: ColumnState['listed'], left: readonly Listed[]): ColumnState['listed'] {
  const counts = new Map(left.map(({ hash, count }) => [hash, count]));
  const rest = listed?.map(entry => ({ ...entry, count: entry.count - (counts.get(entry.hash) ?? 0) }));
  return rest?.filter(({ count }) => count > 0) ?? null;
}
