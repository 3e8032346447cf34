/**
 * A key of 64 bits for each row: the same for the same values in every slice of a batch, whatever the order of its columns. For values that must be
 * unique, and for rows that repeat an earlier one.
 *
 *   key = Σ hash of the value · factor of the field's name     modulo 2^64
 *
 * Factors are odd, so keys of one field differ where hashes differ; hashes and factors depend on the salt. What is null or absent adds nothing. Of n
 * different rows two have the same key with a probability of n² / 2^65: 1 in 370,000 for 10^7 rows, 1 in 3,700 for 10^8.
 *
 * CSV: the cells of a column may be read in another way in another slice, or in the end. Keys allow for that:
 * - Words such as `NA` are null or texts. Their rows are listed apart, with what each such cell would add as a text.
 * - Numbers and booleans have the keys of their values also where they are texts because the column holds codes such as `007`. So `12` and `12.0` are the
 *   same there, other than in a body that is screened alone.
 */
import { Tag } from './abi';
import { cellsOf, edgeOf, FOUND_ROWS, GATHER_HASHES, GATHER_TAGS, GATHER_VALUES, HASHES, NUMBERS, TAGS, VALUES } from './arena';
import { isSparse, LAST_NULLISH, rowOf, SETTLED } from './column';
import { AS_CODES, NULLISH_AS_TEXT } from './csv-settle';
import { isNullish, tagOf } from './csv-cell';
import { hasLarge, restOfText } from './exact';
import { rows } from './gather';
import { hashText, mix, valueSeed } from './hash';
import { number } from './number';
import { countOf, NO_COLUMN, tagAt } from './rules/cells';
import { isChosen } from './rules/failing';
import { bytesOf, isEscaped, startOf } from './rules/texts';
import { countTags, tagCount } from './tags';
import { hashNumber } from './statistics/distinct';
import { hashExactly, hashOf, hashTag } from './value-hash';

/** A u64 for each row; a byte for each row: how many fields have a value; a byte: whether one of them is null or text as the batch decides. */
const SUMS: usize = GATHER_HASHES, PRESENT: usize = GATHER_TAGS, UNSETTLED: usize = GATHER_VALUES;
/** Cells that are null or text as the batch decides: their rows, and what they add as texts. */
const CELL_ROWS: usize = FOUND_ROWS, CELL_KEYS: usize = NUMBERS;

/** After `measure`. */
export function beginKeys(): void {
  memory.fill(SUMS, 0, <usize>rows << 3);
  memory.fill(PRESENT, 0, <usize>rows);
  memory.fill(UNSETTLED, 0, <usize>rows);
  areSettled = true;
}

/** Whether no row has a cell that is null or text as the batch decides. */
let areSettled: bool = true;

let edge: usize = 0, base: usize = 0, factor: u64 = 0, unsettled: u32 = 0;

/**
 * Adds a column, of a field with the name of `bytes` bytes at `nameAt`. Returns how many of its cells are null or text as the batch decides, and writes their
 * rows at FOUND_ROWS, a u16 each, and what they add as texts at `partAddress`, a u64 each.
 */
export function addToKeys(column: u32, nameAt: usize, bytes: u32): u32 {
  const count = countOf(column);
  unsettled = 0;
  if (column == NO_COLUMN || count == 0) return 0;
  edge = edgeOf(column);
  base = cellsOf(column);
  factor = mix(hashText(nameAt, bytes)) | 1;
  countTags(base + TAGS, count);
  const present = count - tagCount(Tag.NULL), settled = load<u32>(edge, SETTLED);
  if (settled != 0) addSettled(count, settled);
  else if (!isSparse(edge) && addDense(count, present)) addPresent(count);
  else if (tagCount(Tag.STRING) + tagCount(Tag.EMPTY) == present) addTexts(count);
  else if (tagCount(Tag.NUMBER) == present && !hasLarge(base + VALUES, count)) addNumbers(count);
  else addMixed(count);
  addNullish();
  return unsettled;
}

// @ts-ignore: decorator
@inline function add(cell: u32, hash: u64): void {
  const row = <usize>rowOf(edge, base, cell), sum = SUMS + (row << 3);
  store<u64>(sum, load<u64>(sum) + hash * factor);
  store<u8>(PRESENT + row, load<u8>(PRESENT + row) + 1);
}

// @ts-ignore: decorator
@inline function isNull(cell: u32): bool { return tagAt(base, cell) == Tag.NULL; }

// @ts-ignore: decorator
@inline function hashAt(cell: u32): u64 { return load<u64>(base + HASHES + (<usize>cell << 3)); }

/** Of a column in which the index of a cell is its row. False for values of several types. Without branches: nulls would often be mispredicted. */
function addDense(count: u32, present: u32): bool {
  if (tagCount(Tag.STRING) + tagCount(Tag.EMPTY) == present) {
    for (let cell: u32 = 0; cell < count; cell++) addToRow(cell, hashAt(cell));
  } else if (tagCount(Tag.NUMBER) == present && !hasLarge(base + VALUES, count)) {
    const seed = valueSeed();
    for (let cell: u32 = 0; cell < count; cell++) addToRow(cell, hashNumber(load<f64>(base + VALUES + (<usize>cell << 3)), seed));
  } else if (tagCount(Tag.FALSE) + tagCount(Tag.TRUE) == present) {
    const yes = hashTag(Tag.TRUE), no = hashTag(Tag.FALSE);
    for (let cell: u32 = 0; cell < count; cell++) addToRow(cell, select<u64>(yes, no, tagAt(base, cell) == Tag.TRUE));
  } else return false;
  return true;
}

// @ts-ignore: decorator
@inline function addToRow(cell: u32, hash: u64): void {
  const sum = SUMS + (<usize>cell << 3);
  store<u64>(sum, load<u64>(sum) + select<u64>(0, hash * factor, isNull(cell)));
}

/** One more field with a value in each row, but for nulls. */
function addPresent(count: u32): void {
  const one = i8x16.splat(1), none = i8x16.splat(<i8>Tag.NULL);
  let cell: usize = 0;
  for (; cell + 16 <= <usize>count; cell += 16) {
    const nulls = i8x16.eq(v128.load(base + TAGS + cell), none);
    v128.store(PRESENT + cell, i8x16.add(v128.load(PRESENT + cell), i8x16.add(nulls, one)));
  }
  for (; cell < <usize>count; cell++) store<u8>(PRESENT + cell, load<u8>(PRESENT + cell) + <u8>!isNull(<u32>cell));
}

function addTexts(count: u32): void {
  for (let cell: u32 = 0; cell < count; cell++) if (!isNull(cell)) add(cell, hashAt(cell));
}

function addNumbers(count: u32): void {
  const seed = valueSeed();
  for (let cell: u32 = 0; cell < count; cell++) {
    if (!isNull(cell)) add(cell, hashNumber(load<f64>(base + VALUES + (<usize>cell << 3)), seed));
  }
}

function addMixed(count: u32): void {
  for (let cell: u32 = 0; cell < count; cell++) if (!isNull(cell)) add(cell, hashOfCell(cell));
}

/** CSV: a column with words such as `NA`, or with codes, whose reading was decided after the last row. */
function addSettled(count: u32, settled: u32): void {
  for (let cell: u32 = 0; cell < count; cell++) {
    const tag = tagAt(base, cell);
    if (tag == Tag.NULL) continue;
    const slot = load<u64>(base + VALUES + (<usize>cell << 3)), isText = tag == Tag.STRING || tag == Tag.EMPTY;
    if (isText && (settled & NULLISH_AS_TEXT) != 0 && isNullish(startOf(slot), <u32>(slot >> 32))) listUnsettled(cell);
    else if (tag == Tag.STRING && (settled & AS_CODES) != 0) add(cell, hashOfCode(slot, hashAt(cell)));
    else add(cell, hashOfCell(cell));
  }
}

/** Those that are null for now. */
function addNullish(): void {
  let next = load<u32>(edge, LAST_NULLISH);
  while (next != 0) {
    const cell = next - 1;
    next = load<u32>(base + VALUES + (<usize>cell << 3));
    listUnsettled(cell);
  }
}

function listUnsettled(cell: u32): void {
  const row = rowOf(edge, base, cell);
  store<u8>(PRESENT + <usize>row, load<u8>(PRESENT + <usize>row) + 1);
  store<u8>(UNSETTLED + <usize>row, 1);
  areSettled = false;
  store<u16>(CELL_ROWS + (<usize>unsettled << 1), <u16>row);
  store<u64>(CELL_KEYS + (<usize>unsettled << 3), hashAt(cell) * factor);
  unsettled++;
}

/** A nested value may be written as a text is. */
function hashOfCell(cell: u32): u64 {
  const tag: i32 = tagAt(base, cell), at = base + (<usize>cell << 3);
  const hash = hashOf(tag, at + VALUES, at + HASHES, valueSeed());
  return tag >= Tag.OBJECT ? mix(hash + <u64>tag) : hash;
}

/** In a column of codes: of the number or boolean that the text would be elsewhere. */
function hashOfCode(slot: u64, hash: u64): u64 {
  if (isEscaped(slot)) return hash;
  const at = startOf(slot), bytes = <u32>bytesOf(slot), kind = tagOf(at, bytes, true);
  if (kind == Tag.INTEGER || kind == Tag.NUMBER) return hashExactly(number, restOfText(at, bytes, number), valueSeed());
  return kind == Tag.TRUE || kind == Tag.FALSE ? hashTag(kind) : hash;
}

/**
 * Writes the keys of rows at `partAddress`, a u64 each, and their indexes at FOUND_ROWS, a u16 each; returns how many there are. `isUnsettled`: of the rows
 * with cells that are null or text as the batch decides, without these cells; else of the others. `count`: of the rows that rules are about and that have a
 * value in so many fields; 0: of all rows.
 */
export function listKeys(count: u32, isUnsettled: bool): u32 {
  if (count == 0 && areSettled) return isUnsettled ? 0 : listAll();
  let n: usize = 0;
  for (let row: usize = 0; row < <usize>rows; row++) {
    if (load<bool>(UNSETTLED + row) != isUnsettled) continue;
    if (count != 0 && !(load<u8>(PRESENT + row) == count && isChosen(<u32>row))) continue;
    store<u64>(NUMBERS + (n << 3), load<u64>(SUMS + (row << 3)));
    store<u16>(FOUND_ROWS + (n << 1), <u16>row);
    n++;
  }
  return <u32>n;
}

function listAll(): u32 {
  memory.copy(NUMBERS, SUMS, <usize>rows << 3);
  let eight = i16x8(0, 1, 2, 3, 4, 5, 6, 7);
  // There is room behind the last row.
  for (let at = FOUND_ROWS, end = FOUND_ROWS + (<usize>rows << 1); at < end; at += 16) {
    v128.store(at, eight);
    eight = i16x8.add(eight, i16x8.splat(8));
  }
  return rows;
}
