/**
 * Settles what a CSV column holds by all of its cells, as `assembly/csv-settle.ts` does for one body. Each slice has settled its own before it was measured. Where that differs,
 * counts, words that stand for null and numbers are corrected exactly. Numbers that become texts keep their hashes, so distinct values may be counted twice, and figures of
 * inspected texts are of the slices that read them as texts.
 */
import { Column } from '../../assembly/abi.ts';
import type { Unsettled } from '../engine/part-measures.ts';
import { type ColumnState, COUNTED, type Listed, mergeListed, slotOf } from './column-state.ts';
import { mergeMoments, NO_MOMENTS } from './moments.ts';
import { mergeRanks, NO_RANKS } from './ranks.ts';
import type { State } from './state.ts';
import { mergeValues, NO_VALUES, type Values, withoutValues } from './values.ts';

/** One in this many whole numbers has a leading zero: then the column holds codes. */
const CODES_ONE_IN = 100;

/** `areCodes`: numbers and booleans are texts. `areNull`: words such as `NA` are null. */
function readingOf({ codes, integers, falses, trues, numbers, strings, empties }: Unsettled): {
  areCodes: boolean;
  areNull: boolean;
} {
  const typed = integers + numbers + falses + trues;
  const others = typed + codes + strings + empties;
  const areCodes = codes > 0 && codes * CODES_ONE_IN >= integers + codes;
  return { areCodes, areNull: !areCodes && (others === 0 || typed * 2 > others) };
}

/** Whether words such as `NA` are texts in a field of CSV, by all cells of the batch: for `KeySet.finish`. */
export function hasNullishTexts({ columns }: State, field: string): boolean {
  const unsettled = columns.get(field)?.unsettled ?? null;
  return unsettled !== null && !readingOf(unsettled).areNull;
}

export function settled(state: ColumnState): ColumnState {
  const { unsettled } = state;
  if (unsettled === null) return state;
  const { areCodes, areNull } = readingOf(unsettled);
  const counts = countsOf(state.counts, unsettled, areCodes, areNull);
  const read = { ...withNullish(state, areNull), counts };
  if (!areCodes) {
    const moments = mergeMoments(state.moments, state.codeMoments);
    return { ...read, moments, ranks: mergeRanks(state.ranks, state.codeRanks) };
  }
  // A slice that was read as numbers or booleans has not listed them as texts.
  const areListed = [Column.NUMBERS, Column.FALSES, Column.TRUES].every(
    column => state.counts[COUNTED.indexOf(column)] === 0,
  );
  return { ...read, moments: NO_MOMENTS, ranks: NO_RANKS, listed: areListed ? read.listed : null };
}

function countsOf(before: Float64Array, cells: Unsettled, areCodes: boolean, areNull: boolean): Float64Array {
  const { nulls, nullish, nullishEmpties, codes, integers, falses, trues } = cells;
  const typed = integers + cells.numbers + falses + trues;
  const strings = cells.strings + codes + (areCodes ? typed : 0) + (areNull ? 0 : nullish - nullishEmpties);
  const empties = cells.empties + (areNull ? 0 : nullishEmpties);
  const left = areCodes ? 0 : typed;
  const counts = before.slice();
  const put = (column: Column, count: number): void => {
    counts[COUNTED.indexOf(column)] = count;
  };
  put(Column.NULLS, nulls + (areNull ? nullish : 0));
  put(Column.NUMBERS, areCodes ? 0 : integers + cells.numbers);
  put(Column.FALSES, areCodes ? 0 : falses);
  put(Column.TRUES, areCodes ? 0 : trues);
  put(Column.STRINGS, strings);
  put(Column.EMPTIES, empties);
  put(Column.VALUES, left + strings + empties);
  put(Column.TEXTS, strings + empties);
  if (areCodes)
    for (let column = Column.INSPECTED_NUMBERS; column <= Column.TWO_DECIMALS; column++) put(column, 0);
  return counts;
}

/** With the words that stand for null among the values, or without them. */
function withNullish(state: ColumnState, areNull: boolean): ColumnState {
  const changed = areNull ? state.words : state.nulls;
  if (changed.length === 0) return state;
  const sign = areNull ? -1 : 1;
  const slots = state.slots.slice();
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
  };
}

function withoutListed(listed: ColumnState['listed'], left: readonly Listed[]): ColumnState['listed'] {
  const counts = new Map(left.map(({ hash, count }) => [hash, count]));
  const rest = listed?.map(entry => ({ ...entry, count: entry.count - (counts.get(entry.hash) ?? 0) }));
  return rest?.filter(({ count }) => count > 0) ?? null;
}
