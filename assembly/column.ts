/**
 * Columns while cells are appended in row order. A name is looked up by the hash of its decoded text and then compared, so two
 * names are never taken for one.
 */
import { MAX_CELLS, MAX_FIELDS, MAX_ROWS, Tag } from './abi';
import {
  cellsOf, COLUMN_BYTES, columns, edgeOf, ESCAPED, HASHES, KEY_SLOTS, KEY_TABLE, LOW_BYTES, nameOf, reserve, ROWS, START_EDGE, TAGS, VALUES,
} from './arena';
import { decodeUnit, hashEscaped, unit, unitBytes } from './escapes';
import { hashText } from './hash';

/** Fields of an edge: the state of a column while parsing (see `json-rows.ts` for the prediction). */
export const PATTERN: usize = 0;
export const NEED: usize = 64;
export const GAP_LENGTH: usize = 68;
/** Edge of the column behind the gap. The lowest bit is ENDS_ROW when a row ends within the gap. */
export const NEXT: usize = 72;
export const ENDS_ROW: u32 = 1;
/** How many cells the column had when the prediction last failed. */
export const MISSED: usize = 76;
/** Address of the column's cells. */
export const BASE: usize = 80;
/** 1 when a row repeats the name. */
export const REPEATED: usize = 84;
/** Cells in the column. */
export const COUNT: usize = 88;
/** 1 when a row before that of the last cell lacks the field. Only then the rows of the cells are stored. Behind COUNT, to be read with it. */
export const SPARSE: usize = 92;
/** How many cells the column had when a row last left out the field behind it. */
export const LEFT_OUT: usize = 96;
/** How many cells in a row were followed by such a gap. */
export const LEFT_OUT_RUN: usize = 100;
/** CSV: what was decided of a column after the last row, see `csv-settle.ts`. */
export const SETTLED: usize = 104;
/** CSV: the last cell that could be null or text and is null, from 1; 0 without one. Its value is the one before. */
export const LAST_NULLISH: usize = 108;

export let fields: u32 = 0;
export let cells: u32 = 0;

export function setCells(count: u32): void { cells = count; }

/** Removes all columns. */
export function clearColumns(): void {
  clearEdge(START_EDGE);
  memory.fill(KEY_TABLE, 0, KEY_SLOTS * 2);
  fields = 0;
  cells = 0;
}

function clearEdge(edge: usize): void {
  memory.fill(edge, 0, 128);
  unlearn(edge);
}

/** Removes the prediction: NEED has a bit that no comparison of 16 bytes sets. */
export function unlearn(edge: usize): void {
  store<u32>(edge, 0, GAP_LENGTH);
  store<u32>(edge, 0x10000, NEED);
}

/** Adds a column and returns its index; MAX_FIELDS when there is no room. `length` may have ESCAPED set. */
export function addColumn(nameAt: usize, length: u32, hash: u64): u32 {
  if (fields == MAX_FIELDS) return MAX_FIELDS;
  const name = nameOf(fields);
  store<u32>(name, <u32>nameAt);
  store<u32>(name, length, 4);
  store<u64>(name, hash, 8);
  const edge = edgeOf(fields);
  clearEdge(edge);
  store<u32>(edge, <u32>cellsOf(fields), BASE);
  reserve(columns + <usize>(fields + 1) * COLUMN_BYTES);
  assert(cellsOf(fields) + COLUMN_BYTES <= <usize>memory.size() << 16, 'a column has no memory');
  return fields++;
}

/** The column of a JSON key, added if it is new. MAX_FIELDS when there is no room. */
export function columnOf(at: usize, length: u32, escaped: bool): u32 {
  const hash = escaped ? hashEscaped(at) : hashText(at, length);
  const marked = escaped ? length | ESCAPED : length;
  let slot = <usize>(hash & (KEY_SLOTS - 1));
  while (true) {
    const entry: u32 = load<u16>(KEY_TABLE + (slot << 1));
    if (entry == 0) break;
    const name = nameOf(entry - 1);
    if (load<u64>(name, 8) == hash && sameName(load<u32>(name), load<u32>(name, 4), at, marked)) return entry - 1;
    slot = (slot + 1) & (KEY_SLOTS - 1);
  }
  const column = addColumn(at, marked, hash);
  if (column < <u32>MAX_FIELDS) store<u16>(KEY_TABLE + (slot << 1), <u16>(column + 1));
  return column;
}

function sameName(a: usize, aLength: u32, b: usize, bLength: u32): bool {
  if (aLength == bLength && sameBytes(a, b, aLength & ~ESCAPED)) return true;
  if (((aLength | bLength) & ESCAPED) == 0) return false;
  const aEnd = a + (aLength & ~ESCAPED), bEnd = b + (bLength & ~ESCAPED);
  while (a < aEnd && b < bEnd) {
    a = decodeUnit(a); const x = unit, xBytes = unitBytes;
    b = decodeUnit(b);
    if (x != unit || xBytes != unitBytes) return false;
  }
  return a == aEnd && b == bEnd;
}

/** Sixteen at a time: `memory.compare` takes one. May read up to 15 bytes behind the last ones. */
// @ts-ignore: decorator
@inline function sameBytes(a: usize, b: usize, length: usize): bool {
  for (; length > 16; length -= 16, a += 16, b += 16) if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false;
  return !v128.any_true(v128.and(v128.xor(v128.load(a), v128.load(b)), v128.load(LOW_BYTES + 16 - length)));
}

/**
 * Index of the cell for this row, or -1 when the batch has too many cells. A repeated key gets the same cell again. While every
 * row has a cell, the index of a cell is its row and no rows are stored.
 */
// @ts-ignore: decorator
@inline export function appendCell(edge: usize, base: usize, row: u32): i32 {
  const count = load<u32>(edge, COUNT);
  // A sparse column may have as many cells as rows came before, when this row repeats the key.
  if (count != row || load<u32>(edge, SPARSE) != 0) return appendSparse(edge, base, row, count);
  if (cells == MAX_CELLS) return -1;
  assert(count < <u32>MAX_ROWS, 'a column is full');
  cells++;
  store<u32>(edge, count + 1, COUNT);
  return <i32>count;
}

function appendSparse(edge: usize, base: usize, row: u32, count: u32): i32 {
  if (count != 0 && rowOf(edge, base, count - 1) == row) {
    store<u32>(edge, 1, REPEATED);
    return <i32>count - 1;
  }
  if (cells == MAX_CELLS) return -1;
  assert(count < row && row < <u32>MAX_ROWS, 'a sparse column has more cells than rows');
  cells++;
  if (!load<u32>(edge, SPARSE)) {
    for (let cell: u32 = 0; cell < count; cell++) store<u16>(base + ROWS + (<usize>cell << 1), <u16>cell);
    store<u32>(edge, 1, SPARSE);
  }
  store<u16>(base + ROWS + (<usize>count << 1), <u16>row);
  store<u32>(edge, count + 1, COUNT);
  return <i32>count;
}

/** Whether the index of a cell may differ from its row. */
// @ts-ignore: decorator
@inline export function isSparse(edge: usize): bool { return load<u32>(edge, SPARSE) != 0; }

/** The row of a cell. */
// @ts-ignore: decorator
@inline export function rowOf(edge: usize, base: usize, cell: u32): u32 {
  return load<u32>(edge, SPARSE) ? load<u16>(base + ROWS + (<usize>cell << 1)) : cell;
}

/** Drops the cells of the unfinished row behind `row`, which will be read again. -1: the unfinished row is the first. */
export function dropAfter(row: i32): void {
  for (let c: u32 = 0; c < fields; c++) {
    const edge = edgeOf(c), count = load<u32>(edge, COUNT);
    if (count == 0 || <i32>rowOf(edge, cellsOf(c), count - 1) <= row) continue;
    assert(cells > 0, 'more cells are dropped than there are');
    store<u32>(edge, count - 1, COUNT);
    cells--;
  }
}

// @ts-ignore: decorator
@inline export function storeTag(base: usize, cell: usize, tag: Tag): void { store<u8>(base + TAGS + cell, <u8>tag); }
// @ts-ignore: decorator
@inline export function storeNumber(base: usize, cell: usize, value: f64): void { store<f64>(base + VALUES + (cell << 3), value); }
// @ts-ignore: decorator
@inline export function storeText(base: usize, cell: usize, at: usize, length: u32, hash: u64): void {
  store<u64>(base + VALUES + (cell << 3), <u64>at | (<u64>length << 32));
  store<u64>(base + HASHES + (cell << 3), hash);
}
