/** Reads single cells out of the engine as JavaScript values: for examples and tests. How cells are parsed is in `assembly/`. */
import { Format, Tag } from '../../assembly/abi.ts';
import type { EngineExports } from './exports.ts';
import type { BodyTexts } from './texts.ts';

/** Characters of an example. A longer one is cut; a long object or array becomes its text. */
const MAX_EXAMPLE = 1000;

/** The value of a cell. Objects and arrays are parsed. */
export function readCell(exports: EngineExports, texts: BodyTexts, column: number, cell: number): unknown {
  const { memory } = texts;
  const value = exports.cellValue(column, cell);
  switch (exports.cellTag(column, cell)) {
    case Tag.NULL:
      return null;
    case Tag.FALSE:
      return false;
    case Tag.TRUE:
      return true;
    case Tag.NUMBER:
      return memory.f64At(value);
    case Tag.OBJECT:
    case Tag.ARRAY:
      return JSON.parse(memory.text(memory.u32At(value), memory.u32At(value + 4)));
    default:
      return texts.inSlot(value);
  }
}

/** The same, cut at MAX_EXAMPLE characters. A number beyond the range of a double becomes its text, and so does one of a CSV that is written in another way. */
export function readExample(exports: EngineExports, texts: BodyTexts, column: number, cell: number): unknown {
  const { memory } = texts;
  const tag = exports.cellTag(column, cell);
  const slot = exports.cellValue(column, cell);
  if ((tag === Tag.OBJECT || tag === Tag.ARRAY) && memory.u32At(slot + 4) > MAX_EXAMPLE)
    return cut(memory.text(memory.u32At(slot), MAX_EXAMPLE));
  const value = readCell(exports, texts, column, cell);
  if (typeof value === 'string' && value.length > MAX_EXAMPLE) return cut(value);
  if (typeof value !== 'number' || (Number.isFinite(value) && texts.format !== Format.CSV)) return value;
  const text = texts.inSlot(exports.cellText(column, cell));
  if (text === String(value)) return value;
  return text.length > MAX_EXAMPLE ? cut(text) : text;
}

const cut = (text: string): string => `${text.slice(0, MAX_EXAMPLE).toWellFormed()}…`;
