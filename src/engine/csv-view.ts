/** What the engine saw of a CSV body as a whole: how it begins and ends, and which records are odd. Copied out of its memory. */
import { MAX_ROWS } from '../../assembly/abi.ts';
import { LAST_RECORDS, MAX_PLACES, PlacedSign } from '../../assembly/abi-signs.ts';
import type { EngineExports } from './exports.ts';
import type { EngineMemory } from './memory.ts';

/** Rows with something odd: how many, and the first of them with the lines on which they begin. */
export interface OddRows {
  count: number;
  rows: number[];
  lines: number[];
}

export interface CsvView {
  rows: number;
  columns: number;
  /** From the header on. */
  head: string;
  /** Whether `head` has the whole body. */
  isWhole: boolean;
  /** Of the header, from 1. */
  line: number;
  /** The last records, the row of the first of them, and its line, which takes time to find. */
  tail: { text: string; row: number; line(): number };
  ragged: number;
  /** Records that are the header again: all rows, but lines of the first ones only. */
  repeatedHeaders: OddRows;
  /** Records that begin with a byte order mark. */
  innerMarks: OddRows;
  /** Quoted cells that hold whole records. */
  wideQuotes: OddRows;
}

/** Bytes of the head that are looked at, and of the tail. */
const HEAD_BYTES = 16 * 1024;
const TAIL_BYTES = 16 * 1024;

/** After DONE, of a body of `total` bytes. */
export function csvViewOf(
  exports: EngineExports,
  memory: EngineMemory,
  { rows, columns, ragged, total }: { rows: number; columns: number; ragged: number; total: number },
): CsvView {
  const end = exports.bodyAddress() + total;
  const headAt = exports.headerAt.value as number;
  return {
    rows,
    columns,
    ragged,
    head: memory.text(headAt, Math.min(HEAD_BYTES, end - headAt)),
    isWhole: end - headAt <= HEAD_BYTES,
    line: exports.lineOf(headAt),
    tail: tailOf(exports, memory, rows, end),
    repeatedHeaders: repeatedHeaders(exports, memory),
    innerMarks: placesOf(exports, memory, PlacedSign.MARK, exports.innerMarks.value as number),
    wideQuotes: placesOf(exports, memory, PlacedSign.QUOTE, exports.wideQuotes.value as number),
  };
}

/** Of the last records those that fit into TAIL_BYTES, the last one at least. */
function tailOf(exports: EngineExports, memory: EngineMemory, rows: number, end: number): CsvView['tail'] {
  const begins = memory.u32(exports.lastBeginsAddress(), LAST_RECORDS);
  let row = rows - 1;
  while (row > 0 && row > rows - LAST_RECORDS && end - begins[(row - 1) % LAST_RECORDS]! <= TAIL_BYTES) row--;
  const at = begins[row % LAST_RECORDS]!;
  return { text: memory.text(at, Math.min(TAIL_BYTES, end - at)), row, line: () => exports.lineOf(at) };
}

function repeatedHeaders(exports: EngineExports, memory: EngineMemory): OddRows {
  const count = exports.repeatedHeaders.value as number;
  if (count === 0) return { count, rows: [], lines: [] };
  const rows = [...memory.u16(exports.headerRowsAddress(), count)];
  const shown = rows.slice(0, MAX_PLACES);
  exports.writeLines(Math.min(MAX_ROWS, shown.at(-1)! + 1));
  const lines = memory.u32(exports.rowLinesAddress(), shown.at(-1)! + 1);
  return { count, rows, lines: shown.map(row => lines[row]!) };
}

function placesOf(exports: EngineExports, memory: EngineMemory, sign: PlacedSign, count: number): OddRows {
  const shown = Math.min(MAX_PLACES, count);
  const places = memory.u32(exports.placesAddress() + sign * MAX_PLACES * 8, shown * 2);
  const of = (at: number) => Array.from({ length: shown }, (_, i) => places[2 * i + at]!);
  return { count, rows: of(1), lines: of(0).map(address => exports.lineOf(address)) };
}
