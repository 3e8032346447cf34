/** What a slice remembers of its single rows, while the engine holds it: the first rows that a finding of the batch may name, and values that its source has not had. */
import { Column, QUANTILES } from '../../assembly/abi.ts';
import type { Baseline, BaselineField } from '../baseline/baseline.ts';
import { type Fences, fencesAround, fencesOf } from '../baseline/fences.ts';
import { isLowCardinality } from '../baseline/low-cardinality.ts';
import { reachOf } from '../baseline/reach.ts';
import type { ColumnQueries, HeldRowQueries, RowList, RowQueries } from '../engine/queries.ts';
import type { BatchRecord, ColumnRecord } from '../engine/records.ts';
import type { RuleChecks } from '../engine/row-check.ts';
import { VALUE_TYPES, type ValueType } from '../profile/profile.ts';
import { MARKS, type Mark } from '../signs/sign.ts';
import { NEW_VALUES_LISTED, ROWS_LISTED, SIGN_SAMPLES } from '../terms/policy.ts';
import { shortened } from '../terms/wording.ts';
import { COLUMNS_OF_TYPE } from './columns-of-type.ts';
import { areFull, type FirstRows, type RowAt, type RowsByKind } from './first-rows.ts';
import { isBefore, type Place } from './place.ts';

/** The engine that holds the slice. */
export interface SliceEngine {
  queries: ColumnQueries;
  rowQueries: HeldRowQueries;
  ruleChecks: Pick<RuleChecks, 'value'>;
}

/** Where a slice begins: in which part, and after how many rows and lines of it. */
export interface SlicePlace {
  part: number;
  row: number;
  line: number;
}

/** Rows that findings name, by what they have. */
export type ColumnRows =
  | 'null'
  | 'empty'
  | 'new'
  | 'repeated'
  | 'odd'
  | 'beyond'
  | 'far'
  | Mark
  | `no ${ValueType}`;
export type BatchRows = 'ragged' | 'duplicate';

/** How much of a column the source has not had; 0 where that is not asked. */
export interface Against {
  /** Inspected cells whose value is certainly new, each as many as it stands for. */
  fresh: number;
  /** Strings that are none of few known ones. */
  unseen: number;
  /** Numbers beyond the reach of earlier ones. */
  far: number;
  /** The first new texts, at most NEW_VALUES_LISTED. */
  texts: readonly NewText[];
}

export interface NewText {
  text: string;
  first: Place;
}

export const NOTHING_NEW: Against = { fresh: 0, unseen: 0, far: 0, texts: [] };

export function mergeAgainst(a: Against, b: Against): Against {
  return {
    fresh: a.fresh + b.fresh,
    unseen: a.unseen + b.unseen,
    far: a.far + b.far,
    texts: mergeTexts(a.texts, b.texts),
  };
}

function mergeTexts(a: readonly NewText[], b: readonly NewText[]): readonly NewText[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  const inOrder = [...a, ...b].sort((x, y) => (isBefore(x.first, y.first) ? -1 : 1));
  const texts = new Map<string, NewText>();
  for (const each of inOrder) if (!texts.has(each.text)) texts.set(each.text, each);
  return [...texts.values()].slice(0, NEW_VALUES_LISTED);
}

/** What was found of a column. */
export interface ColumnFinds {
  rows: RowsByKind;
  against: Against;
}

export interface SliceFinds {
  /** By place in the record. */
  columns: ColumnFinds[];
  rows: RowsByKind;
  /** The line of its first row in its part, 0 in a format without lines; and by how many more lines than rows there are. */
  lines: { line: number; extraLines: number };
}

/** What was found in slices before. */
export interface KnownFinds {
  rows: RowsByKind;
  columns: ReadonlyMap<string, { rows: RowsByKind }>;
}

/** How a slice is asked. `known`: rows that are listed of earlier slices make later ones needless. */
export interface SliceAsked {
  engine: SliceEngine;
  at: SlicePlace;
  baseline: Baseline | null;
  known: KnownFinds | null;
}

/** `names`: of the columns, by their places in the record. `weights`: for how many cells an inspected one stands. */
export function findsOf(
  record: BatchRecord,
  names: readonly string[],
  weights: readonly number[],
  asked: SliceAsked,
): SliceFinds {
  const { rowQueries } = asked.engine;
  const lines = lineReader(rowQueries);
  const ofBatch = new Finds(asked.at, asked.known?.rows, lines);
  if (record.ragged.count > 0) ofBatch.add('ragged', () => rowQueries.ragged(ROWS_LISTED));
  if (record.duplicateRows > 0) ofBatch.add('duplicate', () => rowQueries.duplicated(ROWS_LISTED));
  const columns = record.columns.map((column, i) => {
    const finds = new Finds(asked.at, asked.known?.columns.get(names[i]!)?.rows, lines);
    return columnFinds(i, column, { name: names[i]!, rows: record.rows, weight: weights[i]! }, asked, finds);
  });
  const [first, last] = [lines(0), rowQueries.lastLine()];
  const extraLines = first === 0 ? 0 : last - first - (record.rows - 1);
  return {
    columns,
    rows: ofBatch.rows,
    lines: { line: first === 0 ? 0 : asked.at.line + first, extraLines },
  };
}

interface Named {
  name: string;
  /** Of the slice. */
  rows: number;
  weight: number;
}

function columnFinds(
  i: number,
  { numbers, signs }: ColumnRecord,
  { name, rows, weight }: Named,
  { engine: { queries, rowQueries, ruleChecks }, baseline, at }: SliceAsked,
  finds: Finds,
): ColumnFinds {
  const of = (column: Column): number => numbers[column]!;
  const values = of(Column.VALUES);
  const before = baseline?.fields.get(name);
  if (values < rows) finds.add('null', () => rowQueries.without(i, ROWS_LISTED));
  if (of(Column.EMPTIES) > 0) finds.add('empty', () => rowQueries.empty(i, ROWS_LISTED));
  if (of(Column.DISTINCT) < values) finds.add('repeated', () => rowQueries.repeated(i, ROWS_LISTED));
  for (const type of VALUE_TYPES)
    if (countOf(numbers, type) < values)
      finds.add(
        `no ${type}`,
        () => rowQueries.mistyped(i, type, ROWS_LISTED),
        // Only the first one is shown.
        (_, place) => (place === 0 ? queries.example(i, type) : undefined),
      );
  for (const mark of MARKS)
    if (signs[mark] !== undefined)
      finds.add(
        mark,
        () => rowQueries.marked(i, mark, ROWS_LISTED),
        // Only the first ones are shown.
        (_, place) => (place === 0 ? queries.marked(i, mark, SIGN_SAMPLES) : undefined),
      );
  const outside = (kind: ColumnRows, fences: Fences | null) => {
    if (fences === null || of(Column.FINITE) === 0) return 0;
    const [least, greatest] = [of(Column.FIRST_QUANTILE), of(Column.LAST_QUANTILE)];
    if (least >= fences.low && greatest <= fences.high) return 0;
    finds.add(
      kind,
      () => rowQueries.outside(i, fences.low, fences.high, ROWS_LISTED),
      row => ruleChecks.value(i, row),
    );
    return queries.outside(i, fences.low, fences.high).count;
  };
  const quarter = (QUANTILES - 1) / 4;
  const quartile = (n: number) => of(Column.FIRST_QUANTILE + n * quarter);
  outside('odd', fencesAround(quartile(1), quartile(3)));
  outside('beyond', fencesOf(before));
  const far = outside('far', before ? reachOf(baseline!, name) : null);
  const against = before ? { ...newIn(i, before, { queries, rowQueries }, at, finds), far } : NOTHING_NEW;
  return { rows: finds.rows, against: { ...against, fresh: weight * against.fresh } };
}

function newIn(
  i: number,
  before: BaselineField,
  { queries, rowQueries }: Pick<SliceEngine, 'queries' | 'rowQueries'>,
  { part, row }: SlicePlace,
  finds: Finds,
): Omit<Against, 'far'> {
  const fresh = queries.fresh(i, before.registers);
  if (!isLowCardinality(before)) {
    if (fresh > 0) finds.add('new', () => rowQueries.fresh(i, before.registers, ROWS_LISTED));
    return { fresh, unseen: 0, texts: [] };
  }
  const { rows: unseen, values } = queries.unseen(i, before.known, NEW_VALUES_LISTED);
  if (unseen > 0) finds.add('new', () => rowQueries.unseen(i, before.known, ROWS_LISTED));
  const texts = values.map((text, n) => ({
    text: shortened(text, NEW_TEXT_CHARACTERS),
    first: [part, row * NEW_VALUES_LISTED + n] as const,
  }));
  return { fresh, unseen, texts };
}

const NEW_TEXT_CHARACTERS = 1000;

const countOf = (numbers: Float64Array, type: ValueType): number =>
  COLUMNS_OF_TYPE[type].reduce((sum, column) => sum + numbers[column]!, 0);

/** Lines of the slice by row; 0 in a format without lines. Reading lines reads the body once more, so each time at least twice as many are read. */
export function lineReader(queries: Pick<RowQueries, 'lines'>): (row: number) => number {
  let known: ArrayLike<number> | null = [];
  return row => {
    if (known !== null && row >= known.length) known = queries.lines(Math.max(row + 1, 2 * known.length));
    return known?.[row] ?? 0;
  };
}

class Finds {
  readonly rows = new Map<string, FirstRows>();

  constructor(
    readonly at: SlicePlace,
    readonly known: RowsByKind | undefined,
    readonly lineOf: (row: number) => number,
  ) {}

  /** Unless as many are known of earlier rows as are listed. `exampleOf`: of a row, and of its place among those that are found. */
  add(
    kind: ColumnRows | BatchRows,
    find: () => RowList,
    exampleOf: (row: number, place: number) => unknown = () => undefined,
  ): void {
    if (areFull(this.known?.get(kind), [this.at.part, this.at.row])) return;
    const rows = rowsAt(find(), this.at, this.lineOf, exampleOf);
    if (rows.length > 0) this.rows.set(kind, rows);
  }
}

/** Rows of the slice as rows of its part. `exampleOf`: of a row, and of its place in the list. */
export const rowsAt = (
  rows: RowList,
  { part, row: before, line }: SlicePlace,
  lineOf: (row: number) => number,
  exampleOf: (row: number, place: number) => unknown,
): FirstRows =>
  Array.from(rows, (row: number, place): RowAt => {
    const value = exampleOf(row, place);
    const inSlice = lineOf(row);
    return {
      place: [part, before + row],
      line: inSlice === 0 ? 0 : line + inSlice,
      ...(value !== undefined && { value }),
    };
  });
