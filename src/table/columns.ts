/** What the cells of each column of a few records look like. Pure. */
import { type CellKind, isBlank, kindOf, shapeOf } from './cell-kinds.ts';
import type { TextRecord } from './records.ts';

export interface LookedColumn {
  cells: string[];
  kinds: CellKind[];
  /** What nearly all of its values are; null where they differ, or are too few. */
  kind: Exclude<CellKind, 'blank'> | null;
}

/** Cells that say what a column is. */
const MIN_VALUES = 3;
const NEARLY_ALL = 0.9;

export function columnsOf(records: readonly TextRecord[], width: number): LookedColumn[] {
  return Array.from({ length: width }, (_, i) => {
    const cells = records.map(({ cells: each }) => each[i] ?? '');
    return looked(cells, cells.map(kindOf));
  });
}

function looked(cells: string[], kinds: CellKind[]): LookedColumn {
  const values = kinds.filter(kind => kind !== 'blank');
  const kind = (['number', 'date', 'code', 'word'] as const).find(
    each => values.length >= MIN_VALUES && countOf(values, each) >= values.length * NEARLY_ALL,
  );
  return { cells, kinds, kind: kind ?? null };
}

/** The columns without the first record. */
export const behindFirst = (columns: readonly LookedColumn[]): LookedColumn[] =>
  columns.map(({ cells, kinds }) => looked(cells.slice(1), kinds.slice(1)));

export const isTyped = ({ kind }: LookedColumn): boolean => kind === 'number' || kind === 'date';

const countOf = (kinds: readonly CellKind[], kind: CellKind): number =>
  kinds.reduce((sum, each) => sum + Number(each === kind), 0);

/** The shape that nearly all values have; null without one. */
export function usualShape({ cells }: LookedColumn): string | null {
  const shapes = cells.filter(cell => !isBlank(cell)).map(shapeOf);
  const [first = ''] = shapes;
  if (shapes.length < MIN_VALUES) return null;
  return shapes.filter(shape => shape === first).length >= shapes.length * NEARLY_ALL ? first : null;
}

/** How many cells most records have; of equally many the larger. */
export function usualWidth(records: readonly TextRecord[]): { width: number; share: number } {
  const counts = new Map<number, number>();
  for (const { cells } of records) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  let [width, most] = [0, 0];
  for (const [each, count] of counts)
    if (count > most || (count === most && each > width)) [width, most] = [each, count];
  return { width, share: records.length === 0 ? 0 : most / records.length };
}

export const filled = (record: TextRecord): number =>
  record.cells.reduce((sum, cell) => sum + Number(!isBlank(cell)), 0);
