/** Batches that the accuracy bench creates and damages. */

export type Cell = unknown;
export type Row = Record<string, Cell>;
export type Batch = readonly Row[];

/** Means the rows as a whole, among names of fields. */
export const ROWS = '*';

export const isNumber = (cell: Cell): cell is number => typeof cell === 'number';
export const isText = (cell: Cell): cell is string => typeof cell === 'string' && cell !== '';

/** Names of the fields in which at least half of the cells match. */
export function fieldsOf(batch: Batch, passes: (cell: Cell) => boolean): string[] {
  const names = [...new Set(batch.flatMap(row => Object.keys(row)))];
  return names.filter(name => 2 * batch.filter(row => passes(row[name])).length >= batch.length);
}

/** The batch with changed cells in one field. */
export const withCells = (batch: Batch, name: string, cells: readonly Cell[]): Row[] =>
  batch.map((row, i) => ({ ...row, [name]: cells[i] }));

export const cellsOf = (batch: Batch, name: string): Cell[] => batch.map(row => row[name]);
