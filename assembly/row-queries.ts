/**
 * Queries for the rows of a finding, asked after a batch is judged. The cells are still in memory, so measuring keeps nothing
 * for these queries. Each query writes the indexes of the rows that it finds as u16 at FOUND_ROWS, ascending and at most
 * `limit` of them, and returns how many there are.
 */
import { Format, Like, MAX_ROWS, Tag } from './abi';
import {
  cellsOf, DISTINCT_SCRATCH, edgeOf, FOUND_ROWS, GATHER_HASHES, HASHES, KNOWN, RAGGED_ROWS, TAGS, VALUES,
} from './arena';
import { COUNT, isSparse, rowOf } from './column';
import { raggedRows } from './csv';
import { isAnalysed, rows } from './gather';
import { valueSeed } from './hash';
import { isTextLike } from './statistics/contents';
import { forgetHashes, isFirst, raises } from './statistics/distinct';
import { formatOf } from './statistics/formats';
import { isKnown, tableOf } from './statistics/listed';
import { isNumberLike } from './statistics/number-kinds';
import { hashOf } from './value-hash';

let found: u32 = 0, most: u32 = 0;

function begin(limit: u32): void {
  found = 0;
  most = min<u32>(limit, MAX_ROWS);
}

// @ts-ignore: decorator
@inline function note(row: u32): void {
  assert(found < most && row < rows, 'a query found a row that is not there');
  store<u16>(FOUND_ROWS + (<usize>found << 1), <u16>row);
  found++;
}

// The column that is searched.
let base: usize = 0, edge: usize = 0, count: u32 = 0;

function take(column: u32): void {
  base = cellsOf(column);
  edge = edgeOf(column);
  count = load<u32>(edge, COUNT);
}

// @ts-ignore: decorator
@inline function tagAt(cell: u32): i32 {
  assert(cell < count, 'a column has no such cell');
  return load<u8>(base + TAGS + cell);
}

// @ts-ignore: decorator
@inline function slotAt(cell: u32): usize { return base + VALUES + (<usize>cell << 3); }

// ---- over all rows ----

/** Rows whose cell has one of the `tags` (a bit for each). */
export function rowsOfTags(column: u32, tags: u32, limit: u32): u32 {
  begin(limit);
  take(column);
  const wanted = vectorOf(tags);
  for (let cell: u32 = 0; cell < count; cell += 16) {
    let hits: u32 = i8x16.bitmask(i8x16.swizzle(wanted, v128.load(base + TAGS + cell)));
    if (count - cell < 16) hits &= (1 << (count - cell)) - 1;
    for (; hits != 0; hits &= hits - 1) {
      if (found == most) return found;
      note(rowOf(edge, base, cell + ctz(hits)));
    }
  }
  return found;
}

/** All ones in the lanes of the tags. */
function vectorOf(tags: u32): v128 {
  const bits = v128(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
  const bytes = v128.shuffle<i8>(i8x16.splat(<i8>tags), i8x16.splat(<i8>(tags >> 8)), 0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16);
  return i8x16.eq(v128.and(bytes, bits), bits);
}

/** Rows whose cell is null or absent. */
export function rowsWithout(column: u32, limit: u32): u32 {
  take(column);
  if (!isSparse(edge)) return withoutAmongFirst(column, limit);
  begin(limit);
  let cell: u32 = 0;
  for (let row: u32 = 0; row < rows && found < most; row++) {
    const isHere = cell < count && rowOf(edge, base, cell) == row;
    if (!isHere || tagAt(cell) == Tag.NULL) note(row);
    cell += <u32>isHere;
  }
  return found;
}

/** The same for a column that only the last rows lack. */
function withoutAmongFirst(column: u32, limit: u32): u32 {
  rowsOfTags(column, 1 << Tag.NULL, limit);
  for (let row = count; row < rows && found < most; row++) note(row);
  return found;
}

/** CSV: rows with more or fewer cells than the header. */
export function rowsRagged(limit: u32): u32 {
  begin(limit);
  found = min(most, raggedRows());
  memory.copy(FOUND_ROWS, RAGGED_ROWS, <usize>found << 1);
  return found;
}

/** Rows with a string whose hash is not among the `knownCount` at KNOWN. */
export function rowsUnseen(column: u32, knownCount: u32, limit: u32): u32 {
  begin(limit);
  take(column);
  const mask = tableOf(KNOWN, knownCount, 1, DISTINCT_SCRATCH);
  for (let cell: u32 = 0; cell < count && found < most; cell++) {
    const tag = tagAt(cell);
    if (tag != Tag.STRING && tag != Tag.EMPTY) continue;
    if (!isKnown(load<u64>(base + HASHES + (<usize>cell << 3)), DISTINCT_SCRATCH, mask)) note(rowOf(edge, base, cell));
  }
  return found;
}

// ---- over the analysed rows ----

/** Rows with a finite number below `low` or above `high`. */
export function rowsOutside(column: u32, low: f64, high: f64, limit: u32): u32 {
  begin(limit);
  take(column);
  for (let cell: u32 = 0; cell < count && found < most; cell++) {
    if (tagAt(cell) != Tag.NUMBER) continue;
    const x = load<f64>(slotAt(cell));
    if ((x < low || x > high) && x - x == 0) noteAnalysed(cell);
  }
  return found;
}

// @ts-ignore: decorator
@inline function noteAnalysed(cell: u32): void {
  const row = rowOf(edge, base, cell);
  if (isAnalysed(row)) note(row);
}

/** Rows with a value that raises one of the registers at KNOWN. */
export function rowsFresh(column: u32, limit: u32): u32 {
  begin(limit);
  take(column);
  for (let cell: u32 = 0; cell < count && found < most; cell++) {
    if (tagAt(cell) != Tag.NULL && raises(hashAt(cell), KNOWN)) noteAnalysed(cell);
  }
  return found;
}

/** Rows whose value occurs in an earlier analysed row. */
export function rowsRepeated(column: u32, limit: u32): u32 {
  begin(limit);
  take(column);
  forgetHashes(DISTINCT_SCRATCH);
  for (let cell: u32 = 0; cell < count && found < most; cell++) {
    if (tagAt(cell) == Tag.NULL) continue;
    const row = rowOf(edge, base, cell);
    if (isAnalysed(row) && !isFirst(hashAt(cell), DISTINCT_SCRATCH)) note(row);
  }
  return found;
}

/** Hash of a cell that is not null. */
function hashAt(cell: u32): u64 {
  return hashOf(tagAt(cell), slotAt(cell), base + HASHES + (<usize>cell << 3), valueSeed());
}

/** Rows whose number or text has the property `like`, or lacks it where `has` is false. `format` says how marked texts are written. */
export function rowsLike(column: u32, like: Like, has: bool, format: Format, limit: u32): u32 {
  begin(limit);
  take(column);
  const doubled = format == Format.CSV;
  if (like == Like.USUAL_FORMAT) return rowsOfFormat(has, doubled);
  for (let cell: u32 = 0; cell < count && found < most; cell++) {
    const tag = tagAt(cell);
    if (like < Like.PADDED ? tag != Tag.NUMBER : tag != Tag.STRING && tag != Tag.EMPTY) continue;
    const is = like < Like.PADDED ? isNumberLike(load<f64>(slotAt(cell)), like) : isTextLike(load<u64>(slotAt(cell)), doubled, like);
    if (is == has) noteAnalysed(cell);
  }
  return found;
}

/** The format of more than half of the texts is found by the majority vote of Boyer and Moore (1981), then counted. There may be none. */
function rowsOfFormat(has: bool, doubled: bool): u32 {
  let usual: u64 = 0, votes: i32 = 0, texts: i32 = 0, same: i32 = 0;
  for (let cell: u32 = 0; cell < count; cell++) {
    if (!isAnalysedText(cell)) continue;
    const format = formatOf(load<u64>(slotAt(cell)), doubled);
    store<u64>(GATHER_HASHES + (<usize>cell << 3), format);
    if (votes == 0) usual = format;
    votes += format == usual ? 1 : -1;
    texts++;
  }
  for (let cell: u32 = 0; cell < count; cell++) same += <i32>(isAnalysedText(cell) && hasFormat(cell, usual));
  if (same * 2 <= texts) return 0;
  for (let cell: u32 = 0; cell < count && found < most; cell++) {
    if (isAnalysedText(cell) && hasFormat(cell, usual) == has) note(rowOf(edge, base, cell));
  }
  return found;
}

function isAnalysedText(cell: u32): bool {
  const tag = tagAt(cell);
  return (tag == Tag.STRING || tag == Tag.EMPTY) && isAnalysed(rowOf(edge, base, cell));
}

// @ts-ignore: decorator
@inline function hasFormat(cell: u32, format: u64): bool { return load<u64>(GATHER_HASHES + (<usize>cell << 3)) == format; }
