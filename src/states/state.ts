/**
 * A state: all that is kept of a part of a batch, so that the whole batch can be described. It holds no rows. States merge in any order and grouping, with the same result. A batch
 * in parts has the state of the same batch in one piece, with one exception: each slice chooses its own inspected cells.
 */
import type { BatchRecord } from '../engine/records.ts';
import { mergedSigns, movedSign } from '../table/merge-signs.ts';
import type { Sign } from '../table/sign.ts';
import { headerNames } from '../profile/names.ts';
import { type ColumnState, columnState, isBefore, mergeColumns, type Place } from './column-state.ts';

export interface State {
  rows: number;
  /** By name. */
  columns: ReadonlyMap<string, ColumnState>;
  /** CSV: records whose cell count is not the header's, and where the first one is: its part, and its line there. */
  ragged: { count: number; first: Place | null };
  /** CSV: whether the last record of a part has fewer cells than the header and no end of line. */
  endsEarly: boolean;
  /** What may be wrong with how the text was cut into a table, with lines and rows of the batch. */
  signs: readonly Sign[];
  /** Rows that repeat an earlier one of their slice. */
  duplicateRows: number;
  /** Whether names are those of headers or of columns. */
  hasHeader: boolean;
  /** Names that occur twice in a header, and where. */
  repeatedNames: ReadonlyMap<string, Place>;
}

/** Where a slice begins: in which part, and after how many rows and lines of it. */
export interface SlicePlace {
  part: number;
  row: number;
  line: number;
}

/** More than the columns of a row and the listed texts of the last one. */
const PLACES_OF_ROW = 4096;

/**
 * Of one slice, which the engine has measured as a part. `known`: the state that it will be merged into. What that has dropped already, such as large hashes, is dropped
 * before it is sorted: a slice of six columns takes 8 ms with its merge, and took 13. Throws `Rejection` PAYLOAD_TOO_LARGE for a repeated name that is too long.
 */
export function stateOfSlice(
  record: BatchRecord,
  { part, row, line }: SlicePlace,
  known: State | null = null,
): State {
  const raw = record.columns.map(({ name }) => name);
  const { names, repeated } = record.hasHeader ? headerNames(raw) : { names: raw, repeated: [] };
  const placeOf = (column: number): Place => [part, row * PLACES_OF_ROW + column];
  const columns = record.columns.map((each, i) =>
    columnState(each, names[i]!, placeOf(i), known?.columns.get(names[i]!)),
  );
  const { count, firstLine } = record.ragged;
  return {
    rows: record.rows,
    columns: new Map(columns.map(column => [column.name, column])),
    ragged: { count, first: count === 0 ? null : [part, firstLine + line] },
    endsEarly: record.endsEarly,
    signs: (record.signs ?? []).map(sign => movedSign(sign, row, line)),
    duplicateRows: record.duplicateRows,
    hasHeader: record.hasHeader,
    repeatedNames: new Map(repeated.map((name, i) => [name, placeOf(i)])),
  };
}

/** In the order of the batch. */
export const columnsOf = ({ columns }: State): ColumnState[] =>
  [...columns.values()].sort((a, b) => (isBefore(a.first, b.first) ? -1 : 1));

export function mergeStates(a: State, b: State): State {
  return {
    rows: a.rows + b.rows,
    columns: mergedMaps(a.columns, b.columns, mergeColumns),
    ragged: { count: a.ragged.count + b.ragged.count, first: firstOf(a.ragged.first, b.ragged.first) },
    endsEarly: a.endsEarly || b.endsEarly,
    signs: mergedSigns(a.signs, b.signs),
    duplicateRows: a.duplicateRows + b.duplicateRows,
    hasHeader: a.hasHeader || b.hasHeader,
    repeatedNames: mergedMaps(a.repeatedNames, b.repeatedNames, (x, y) => firstOf(x, y)!),
  };
}

const firstOf = (a: Place | null, b: Place | null): Place | null =>
  a === null || b === null ? (a ?? b) : isBefore(b, a) ? b : a;

function mergedMaps<Value>(
  a: ReadonlyMap<string, Value>,
  b: ReadonlyMap<string, Value>,
  merge: (x: Value, y: Value) => Value,
): Map<string, Value> {
  const merged = new Map(a);
  for (const [name, value] of b) {
    const known = merged.get(name);
    merged.set(name, known === undefined ? value : merge(known, value));
  }
  return merged;
}
