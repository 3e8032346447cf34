/** Whether what is said of a column goes together. What describes and judges a batch rests on it, and a state may have been made by hand. */
import { Column } from '../../../assembly/abi.ts';
import { type ColumnState, COUNTED, type DatesState } from '../column-state.ts';
import type { State } from '../state.ts';
import { areAll } from '../values.ts';
import { sizeOf, total } from './ranks.ts';

const VALUES: readonly Column[] = [
  ...[Column.FALSES, Column.TRUES, Column.NUMBERS, Column.STRINGS, Column.EMPTIES],
  ...[Column.OBJECTS, Column.ARRAYS],
];

const of = ({ counts }: Pick<ColumnState, 'counts'>, ...columns: readonly Column[]): number =>
  columns.reduce((sum, column) => sum + counts[COUNTED.indexOf(column)]!, 0);

export const columnFits = (column: ColumnState): boolean =>
  countsFit(column) && numbersFit(column) && textsFit(column);

function countsFit(column: ColumnState): boolean {
  const { values, slots } = column;
  const all = of(column, Column.VALUES);
  const kept = total(values.counts);
  return (
    column.inspected <= of(column, Column.INSPECTED) &&
    all === of(column, ...VALUES) &&
    of(column, Column.TEXTS) === of(column, Column.STRINGS, Column.EMPTIES) &&
    (slots === null) === areAll(values) &&
    (slots === null ? kept === all : kept <= all && total(slots) === all)
  );
}

const numbersFit = ({ moments, ranks, codeMoments, codeRanks }: ColumnState): boolean =>
  moments.count === sizeOf(ranks) && codeMoments.count === sizeOf(codeRanks);

const textsFit = ({ dates, dateForms }: ColumnState): boolean =>
  dates === null || dateForms.hashes.length > 0;

/** The last millisecond that `Date` knows. */
const LAST_INSTANT = 8.64e15;
const isInstant = (ms: number): boolean =>
  Math.abs(ms) <= LAST_INSTANT || Math.abs(ms) === Number.POSITIVE_INFINITY;

export const datesFit = ({ earliest, latest }: DatesState): boolean =>
  isInstant(earliest) && isInstant(latest);

export const rowsFit = (state: State): boolean => {
  const { rows, columns, ragged, duplicateRows, parts, signs, stretches } = state;
  const stretchRows = [...stretches.byPlace.values()].reduce((sum, each) => sum + each.rows, 0);
  return (
    rows === [...parts.values()].reduce((a, b) => a + b, 0) &&
    rows === stretchRows &&
    duplicateRows <= rows &&
    ragged.count <= rows &&
    (ragged.count === 0) === (ragged.first === null) &&
    [...signs.keys()].every(part => parts.has(part)) &&
    [...columns.values()].every(column => of(column, Column.VALUES, Column.NULLS) <= rows)
  );
};
