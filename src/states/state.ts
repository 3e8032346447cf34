/**
 * A state: all that is kept of a part of a batch, so that the whole batch can be described. It holds no rows. States merge in any order and grouping, with the same result. A batch
 * in parts has the state of the same batch in one piece, with one exception: each slice chooses its own inspected cells.
 */
import type { BatchRecord } from '../engine/records.ts';
import { mergedSigns, movedSign } from '../table/merge-signs.ts';
import type { Sign } from '../table/sign.ts';
import { type ColumnState, columnState, weightOf } from './column-state.ts';
import { mergeColumns } from './merged-columns.ts';
import { mergeRows, NO_ROWS, type RowsByKind } from './first-rows.ts';
import { mergedMaps } from './merged-maps.ts';
import { namesIn } from './part-bounds.ts';
import { firstOf, isBefore, type Place } from './place.ts';
import { mergeTallies, type RuleTallies } from './rule-tallies.ts';
import { findsOf, type SliceAsked, type SlicePlace } from './slice-rows.ts';
import { mergeStretches, type Stretches, stretchOf } from './stretches.ts';

export type { SlicePlace } from './slice-rows.ts';

export interface State {
  rows: number;
  /** By name. */
  columns: ReadonlyMap<string, ColumnState>;
  /** CSV: records whose cell count is not the header's, and where the first one is: its part, and its line there. */
  ragged: { count: number; first: Place | null };
  /** CSV: whether the last record of a part has fewer cells than the header and no end of line. */
  endsEarly: boolean;
  /** By part: what may be wrong with how its text was cut into a table, with its lines and rows. */
  signs: ReadonlyMap<number, readonly Sign[]>;
  /** Rows that repeat an earlier one of their slice. */
  duplicateRows: number;
  /** Whether names are those of headers or of columns. */
  hasHeader: boolean;
  /** Names that occur twice in a header, and where. */
  repeatedNames: ReadonlyMap<string, Place>;
  /** Rows of each part. */
  parts: ReadonlyMap<number, number>;
  /** The first rows with something that a finding of the whole batch may be about. */
  rowsOf: RowsByKind;
  stretches: Stretches;
  /** Of the declared rules that the slices were checked by; null without one. */
  rules: RuleTallies | null;
}

/** More than the columns of a row and the listed texts of the last one. */
const PLACES_OF_ROW = 4096;

/**
 * Of one slice, which the engine has measured as a part. `known`: the state that it will be merged into. `asked`: how the engine is asked about single rows; null: they are
 * not remembered.
 * Throws `Rejection` PAYLOAD_TOO_LARGE for a repeated name that is too long.
 */
export function stateOfSlice(
  record: BatchRecord,
  { part, row, line }: SlicePlace,
  known: State | null = null,
  asked: Omit<SliceAsked, 'at' | 'known'> | null = null,
  rules: RuleTallies | null = null,
): State {
  const raw = record.columns.map(({ name }) => name);
  const { names, repeated } = namesIn(raw, record.hasHeader);
  const placeOf = (column: number): Place => [part, row * PLACES_OF_ROW + column];
  const knownFinds = known && { rows: known.rowsOf, columns: known.columns };
  const asking = asked && { ...asked, at: { part, row, line }, known: knownFinds };
  const finds = asking && findsOf(record, names, record.columns.map(weightOf), asking);
  const columns = record.columns.map((each, i) =>
    columnState(each, names[i]!, placeOf(i), record.columns.length, finds?.columns[i]),
  );
  const { count, firstLine } = record.ragged;
  return {
    rows: record.rows,
    columns: new Map(columns.map(column => [column.name, column])),
    ragged: { count, first: count === 0 ? null : [part, firstLine + line] },
    endsEarly: record.endsEarly,
    signs: signsAt(record.signs, { part, row, line }),
    duplicateRows: record.duplicateRows,
    hasHeader: record.hasHeader,
    repeatedNames: new Map(repeated.map((name, i) => [name, placeOf(i)])),
    parts: new Map([[part, record.rows]]),
    rowsOf: finds?.rows ?? NO_ROWS,
    stretches: stretchOf({ part, row, ...(finds?.lines ?? NO_LINES) }, record.rows, columns),
    rules,
  };
}

const signsAt = (signs: BatchRecord['signs'] = [], { part, row, line }: SlicePlace): State['signs'] =>
  signs.length === 0 ? new Map() : new Map([[part, signs.map(sign => movedSign(sign, row, line))]]);

/** With rows of the batch, and lines where it is one text. */
export function signsIn(state: State): readonly Sign[] {
  const isOneText = state.parts.size === 1;
  return [...state.signs].reduce<readonly Sign[]>((all, [part, signs]) => {
    const moved = signs.map(sign => movedSign(sign, rowIn(state, [part, 0]), 0));
    return mergedSigns(all, isOneText ? moved : moved.map(sign => ({ ...sign, lines: [] })));
  }, []);
}

const NO_LINES = { line: 0, extraLines: 0 };

/** In the order of the batch. */
export const columnsOf = ({ columns }: State): ColumnState[] =>
  [...columns.values()].sort((a, b) => (isBefore(a.first, b.first) ? -1 : 1));

/** The row of the batch, from 0, that stands at this place. */
export function rowIn({ parts }: State, [part, row]: Place): number {
  let before = 0;
  for (const [number, rows] of parts) if (number < part) before += rows;
  return before + row;
}

export function mergeStates(a: State, b: State): State {
  const columns = mergedMaps(a.columns, b.columns, mergeColumns);
  return {
    rows: a.rows + b.rows,
    columns,
    ragged: { count: a.ragged.count + b.ragged.count, first: firstOf(a.ragged.first, b.ragged.first) },
    endsEarly: a.endsEarly || b.endsEarly,
    signs: mergedMaps(a.signs, b.signs, mergedSigns),
    duplicateRows: a.duplicateRows + b.duplicateRows,
    hasHeader: a.hasHeader || b.hasHeader,
    repeatedNames: mergedMaps(a.repeatedNames, b.repeatedNames, (x, y) => firstOf(x, y)!),
    parts: mergedMaps(a.parts, b.parts, (x, y) => x + y),
    rowsOf: mergedMaps(a.rowsOf, b.rowsOf, mergeRows),
    stretches: mergeStretches(a.stretches, b.stretches, columns.size),
    rules: a.rules && b.rules && mergeTallies(a.rules, b.rules),
  };
}
