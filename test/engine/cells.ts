/** Single cells of the engine in the terms of the oracle. For tests only: it makes an object for each cell. */
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

/** One entry for each row; undefined where the row lacks the field. */
export type PlainCells = ({ type: CellType | undefined; value: unknown } | undefined)[];

/** The cells of a column after `measure`. */
export function cellsOf(engine: Engine, column: number): PlainCells {
  const cells: PlainCells = Array.from({ length: engine.rows });
  for (const { row, tag, value } of engine.cells(column)) cells[row] = { type: TYPES.get(tag), value };
  return cells;
}

/** The cells that it should have. */
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

const NULL_TEXTS = ['', 'null', '\\n', 'na', 'n/a', 'nan', 'none', 'nil', '#n/a', '?', '–', '—'];

/**
 * The text of a CSV cell. The engine keeps only the text of strings. For a number, boolean or null this is the expected text when
 * that has the same value, else the value.
 */
export function textOf(cell: PlainCells[number], expected: string | undefined): unknown {
  if (cell === undefined || expected === undefined) return cell;
  if (cell.type === 'number') return Number(expected) === cell.value ? expected : cell.value;
  if (cell.type === 'boolean') return expected.toLowerCase() === String(cell.value) ? expected : cell.value;
  if (cell.type === 'null') return isNullText(expected.trim().toLowerCase()) ? expected : null;
  return cell.value;
}

const isNullText = (text: string): boolean => NULL_TEXTS.includes(text) || /^(-{1,3}|\.{1,3})$/.test(text);
