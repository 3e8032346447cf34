/** Single cells as the engine stored them, in the oracle's terms. For tests only: an object a cell. */
import { Tag } from '../../assembly/abi.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Batch, Cell, CellType } from '../oracle/batch.ts';

const TYPES = new Map<Tag, CellType>([
  [Tag.NULL, 'null'],
  [Tag.FALSE, 'boolean'],
  [Tag.TRUE, 'boolean'],
  [Tag.NUMBER, 'number'],
  [Tag.STRING, 'string'],
  [Tag.EMPTY, 'string'],
  [Tag.OBJECT, 'object'],
  [Tag.ARRAY, 'array'],
]);

/** One entry a row; undefined where the row lacks the field. */
export type PlainCells = ({ type: CellType | undefined; value: unknown } | undefined)[];

/** What the engine holds in a column after `profile`. */
export function cellsOf(engine: Engine, column: number): PlainCells {
  const cells: PlainCells = Array.from({ length: engine.rows });
  for (const { row, tag, value } of engine.cells(column)) cells[row] = { type: TYPES.get(tag), value };
  return cells;
}

/** What it should hold. */
export function expectedCells(batch: Batch, name: string): PlainCells {
  return batch.rows.map(row => {
    const cell = row.get(name);
    return cell && { type: cell.type, value: plainValue(cell) };
  });
}

function plainValue(cell: Cell): unknown {
  if (cell.type === 'string') return cell.text;
  if (cell.type === 'number') return cell.number;
  return cell.type === 'null' ? null : JSON.parse(cell.text);
}

const NULL_TEXTS = ['', 'null', '\\n', 'na', 'n/a', 'nan', 'none', 'nil', '-', '#n/a'];

/**
 * The text that a CSV cell was read from, as far as the engine keeps it: that of strings. Numbers, booleans and nulls
 * give the text expected of them if it means what they hold, else what they hold.
 */
export function textOf(cell: PlainCells[number], expected: string | undefined): unknown {
  if (cell === undefined || expected === undefined) return cell;
  if (cell.type === 'number') return Number(expected) === cell.value ? expected : cell.value;
  if (cell.type === 'boolean') return expected.toLowerCase() === String(cell.value) ? expected : cell.value;
  if (cell.type === 'null') return NULL_TEXTS.includes(expected.toLowerCase()) ? expected : null;
  return cell.value;
}
