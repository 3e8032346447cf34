/**
 * Columns while they are being filled: names, and cells appended in row order. A column's name is looked up by the hash
 * of its decoded text and then compared, so that no two names are ever taken for one.
 */
import { MAX_CELLS, MAX_FIELDS, Tag } from './abi';
import {
  cellsOf, COLUMN_BYTES, columns, DECODE, DECODE_BYTES, edgeOf, ESCAPED, HASHES, KEY_SLOTS, KEY_TABLE, nameOf, reserve, ROWS,
  START, TAGS, VALUES,
} from './arena';
import { hashBlocks, hashRest, hashText } from './hash';

/** Fields of an edge (see `json.ts` for the prediction). */
export const PATTERN: usize = 0;
export const NEED: usize = 64;
export const GAP_LENGTH: usize = 68;
export const NEXT: usize = 72;
export const NEW_ROW: usize = 76;
export const MISSES: usize = 80;
/** Cells in the column. */
export const COUNT: usize = 84;
/** 1 when the name was repeated within a row. */
export const REPEATED: usize = 88;
/** 1 when some row before the last cell's lacks the field: only then the cells' rows are stored. */
const SPARSE: usize = 92;

export let fields: u32 = 0;
export let cells: u32 = 0;

export function setCells(count: u32): void { cells = count; }

/** Forgets all columns. */
export function clearColumns(): void {
  for (let c: u32 = 0; c < fields; c++) memory.fill(edgeOf(c), 0, 128);
  memory.fill(edgeOf(START), 0, 128);
  memory.fill(KEY_TABLE, 0, KEY_SLOTS * 2);
  fields = 0;
  cells = 0;
}

/** A new column behind the others, or MAX_FIELDS when there is no room. `length` may carry ESCAPED. */
export function addColumn(nameAt: usize, length: u32, hash: u64): u32 {
  if (fields == MAX_FIELDS) return MAX_FIELDS;
  const name = nameOf(fields);
  store<u32>(name, <u32>nameAt);
  store<u32>(name, length, 4);
  store<u64>(name, hash, 8);
  reserve(columns + <usize>(fields + 1) * COLUMN_BYTES);
  return fields++;
}

/** The column of a JSON key, made if it is new; MAX_FIELDS when that is one too many. */
export function columnOf(at: usize, length: u32, escaped: bool): u32 {
  const hash = escaped ? hashEscaped(at, length) : hashText(at, length);
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
  if (aLength == bLength && memory.compare(a, b, aLength & ~ESCAPED) == 0) return true;
  if (((aLength | bLength) & ESCAPED) == 0) return false;
  const aEnd = a + (aLength & ~ESCAPED), bEnd = b + (bLength & ~ESCAPED);
  while (a < aEnd && b < bEnd) {
    a = decodeUnit(a); const x = unit, xBytes = unitBytes;
    b = decodeUnit(b);
    if (x != unit || xBytes != unitBytes) return false;
  }
  return a == aEnd && b == bEnd;
}

let unit: u32 = 0, unitBytes: usize = 0;

/**
 * Decodes what stands at `p` in a JSON string: a character, or an escape, to 1 to 4 bytes of UTF-8 in `unit`, the first in
 * the lowest. A surrogate without its partner becomes the 3 bytes its number would have.
 */
function decodeUnit(p: usize): usize {
  const c: u32 = load<u8>(p);
  if (c >= 0x80) {
    unitBytes = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    unit = load<u32>(p) & <u32>((<u64>1 << (unitBytes << 3)) - 1);
    return p + unitBytes;
  }
  if (c != 92) { unit = c; unitBytes = 1; return p + 1; }
  const e: u32 = load<u8>(p, 1);
  p += 2;
  if (e != 117) {
    unit = e == 110 ? 10 : e == 116 ? 9 : e == 114 ? 13 : e == 98 ? 8 : e == 102 ? 12 : e;
    unitBytes = 1;
    return p;
  }
  let u = hexadecimal(p);
  p += 4;
  if ((u & 0xfc00) == 0xd800 && load<u16>(p) == 0x755c) {
    const low = hexadecimal(p + 2);
    if ((low & 0xfc00) == 0xdc00) { u = 0x10000 + ((u & 0x3ff) << 10) + (low & 0x3ff); p += 6; }
  }
  if (u < 0x80) { unit = u; unitBytes = 1; }
  else if (u < 0x800) { unit = 0x80c0 | (u >> 6) | ((u & 63) << 8); unitBytes = 2; }
  else if (u < 0x10000) { unit = 0x8080e0 | (u >> 12) | (((u >> 6) & 63) << 8) | ((u & 63) << 16); unitBytes = 3; }
  else { unit = 0x808080f0 | (u >> 18) | (((u >> 12) & 63) << 8) | (((u >> 6) & 63) << 16) | ((u & 63) << 24); unitBytes = 4; }
  return p;
}

function hexadecimal(p: usize): u32 {
  let value: u32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const c: u32 = load<u8>(p + i);
    value = (value << 4) | (c <= 57 ? c - 48 : (c | 32) - 87);
  }
  return value;
}

let state: u64 = 0, filled: usize = 0, total: usize = 0;

/** Makes room for one more unit in the decoded text: whole blocks leave for the hash, and at least one stays. */
// @ts-ignore: decorator
@inline function makeRoom(): void {
  if (filled > DECODE_BYTES - 16) flush();
}

function flush(): void {
  const blocks = filled / 64 - 1;
  state = hashBlocks(state, DECODE, blocks);
  filled -= blocks * 64;
  memory.copy(DECODE, DECODE + blocks * 64, filled);
}

function finishedHash(): u64 {
  const hash = total <= DECODE_BYTES - 16 ? hashText(DECODE, total) : hashRest(state, DECODE, filled, total);
  state = 0;
  filled = 0;
  total = 0;
  return hash;
}

/** Hash of the decoded text of a JSON string with escapes: the same as of the text written without. */
export function hashEscaped(at: usize, length: usize): u64 {
  for (const end = at + length; at < end; ) {
    makeRoom();
    at = decodeUnit(at);
    store<u32>(DECODE + filled, unit);
    filled += unitBytes;
    total += unitBytes;
  }
  return finishedHash();
}

/** Hash of a quoted CSV cell's text, in which two quotes stand for one. */
export function hashDoubled(at: usize, length: usize): u64 {
  for (const end = at + length; at < end; ) {
    makeRoom();
    const c = load<u8>(at);
    at += c == 34 ? 2 : 1;
    store<u8>(DECODE + filled, c);
    filled++;
    total++;
  }
  return finishedHash();
}

/**
 * Index of the cell for this row in the column, or -1 when it would be one cell too many. A repeated key gets the cell it
 * had. While every row has a cell, a cell's index is its row and no rows are stored.
 */
// @ts-ignore: decorator
@inline export function appendCell(edge: usize, base: usize, row: u32): i32 {
  const count = load<u32>(edge, COUNT);
  // A sparse column has as many cells as there are rows before when this row's key is repeated.
  if (count != row || load<u32>(edge, SPARSE) != 0) return appendSparse(edge, base, row, count);
  if (cells == MAX_CELLS) return -1;
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
  cells++;
  if (!load<u32>(edge, SPARSE)) {
    for (let cell: u32 = 0; cell < count; cell++) store<u16>(base + ROWS + (<usize>cell << 1), <u16>cell);
    store<u32>(edge, 1, SPARSE);
  }
  store<u16>(base + ROWS + (<usize>count << 1), <u16>row);
  store<u32>(edge, count + 1, COUNT);
  return <i32>count;
}

/** Whether some row before the last cell's lacks the field: only then may a cell's index differ from its row. */
// @ts-ignore: decorator
@inline export function isSparse(edge: usize): bool { return load<u32>(edge, SPARSE) != 0; }

/** The row of a cell. */
// @ts-ignore: decorator
@inline export function rowOf(edge: usize, base: usize, cell: u32): u32 {
  return load<u32>(edge, SPARSE) ? load<u16>(base + ROWS + (<usize>cell << 1)) : cell;
}

/** Takes back the cells of the one row behind `row` that was begun and will be read again (-1: it is the first). */
export function dropAfter(row: i32): void {
  for (let c: u32 = 0; c < fields; c++) {
    const edge = edgeOf(c), count = load<u32>(edge, COUNT);
    if (count == 0 || <i32>rowOf(edge, cellsOf(c), count - 1) <= row) continue;
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
