/**
 * Which rows: asked when a batch has been judged, and of columns that have a finding. The cells are still in the arena, so the pass over
 * all of them remembers nothing for it. Each look writes the numbers of the rows that it finds, ascending and `limit` of them at
 * most, as u16 at FOUND_ROWS, and returns how many these are.
 */
import { Format, Like, MAX_ROWS, Tag } from './abi';
import {
  cellsOf, DISTINCT_SCRATCH, edgeOf, FOUND_ROWS, GATHER_HASHES, HASHES, KNOWN, RAGGED_ROWS, TAGS, VALUES,
} from './arena';
import { COUNT, isSparse, rowOf } from './column';
import { raggedRows } from './csv';
import { forgetHashes, hashNumber, isFirst, raises } from './distinct';
import { isAnalysed, rows } from './gather';
import { valueSeed } from './hash';
import { isKnown, tableOf } from './texts';
import { hashTag, isTextLike, isWhole, shapeOf } from './traits';

let found: u32 = 0, most: u32 = 0;

function begin(limit: u32): void {
  found = 0;
  most = min<u32>(limit, MAX_ROWS);
}

// @ts-ignore: decorator
@inline function note(row: u32): void {
  store<u16>(FOUND_ROWS + (<usize>found << 1), <u16>row);
  found++;
}

// The column at hand.
let base: usize = 0, edge: usize = 0, count: u32 = 0;

function take(column: u32): void {
  base = cellsOf(column);
  edge = edgeOf(column);
  count = load<u32>(edge, COUNT);
}

// @ts-ignore: decorator
@inline function tagAt(cell: u32): i32 { return load<u8>(base + TAGS + cell); }

// @ts-ignore: decorator
@inline function slotAt(cell: u32): usize { return base + VALUES + (<usize>cell << 3); }

// ---- over all rows ----

/** Rows whose tag in the column is among `tags` (a bit for each). */
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

/** Rows that are null in the column, or lack it. */
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

/** Of a column that only the last rows lack. */
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

/** Rows with a string whose hash is not among the `knownCount` at KNOWN. */
export function rowsUnseen(column: u32, knownCount: u32, limit: u32): u32 {
  begin(limit);
  take(column);
  const mask = tableOf(KNOWN, knownCount, 1, DISTINCT_SCRATCH);
  for (let cell: u32 = 0; cell < count && found < most; cell++) {
    const tag = tagAt(cell);
    if (tag != Tag.STRING && tag != Tag.EMPTY) continue;
    if (!isKnown(load<u64>(base + HASHES + (<usize>cell << 3)), DISTINCT_SCRATCH, mask)) noteAnalysed(cell);
  }
  return found;
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

/** Rows whose value an earlier analysed row has. */
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

/** Of a cell that is not null. */
function hashAt(cell: u32): u64 {
  const tag = tagAt(cell);
  if (tag == Tag.NUMBER) return hashNumber(load<f64>(slotAt(cell)), valueSeed());
  return tag >= Tag.STRING ? load<u64>(base + HASHES + (<usize>cell << 3)) : hashTag(tag);
}

/** Rows whose number or text (whichever `like` is of) is as told, or is not so where `has` is false. `format`: how texts are marked. */
export function rowsLike(column: u32, like: Like, has: bool, format: Format, limit: u32): u32 {
  begin(limit);
  take(column);
  const doubled = format == Format.CSV;
  if (like == Like.USUAL_SHAPE) return rowsOfShape(has, doubled);
  for (let cell: u32 = 0; cell < count && found < most; cell++) {
    const tag = tagAt(cell);
    if (like < Like.PADDED ? tag != Tag.NUMBER : tag != Tag.STRING && tag != Tag.EMPTY) continue;
    const is = like < Like.PADDED ? isNumberLike(load<f64>(slotAt(cell)), like) : isTextLike(load<u64>(slotAt(cell)), doubled, like);
    if (is == has) noteAnalysed(cell);
  }
  return found;
}

function isNumberLike(x: f64, like: Like): bool {
  if (like == Like.WHOLE) return isWhole(x);
  return like == Like.ZERO ? x == 0 : x < 0;
}

/** The shape of more than half of the texts is found by Boyer and Moore's majority vote (1981), and counted; there may be none. */
function rowsOfShape(has: bool, doubled: bool): u32 {
  let usual: u64 = 0, votes: i32 = 0, texts: i32 = 0, same: i32 = 0;
  for (let cell: u32 = 0; cell < count; cell++) {
    if (!isAnalysedText(cell)) continue;
    const shape = shapeOf(load<u64>(slotAt(cell)), doubled);
    store<u64>(GATHER_HASHES + (<usize>cell << 3), shape);
    if (votes == 0) usual = shape;
    votes += shape == usual ? 1 : -1;
    texts++;
  }
  for (let cell: u32 = 0; cell < count; cell++) same += <i32>(isAnalysedText(cell) && isOfShape(cell, usual));
  if (same * 2 <= texts) return 0;
  for (let cell: u32 = 0; cell < count && found < most; cell++) {
    if (isAnalysedText(cell) && isOfShape(cell, usual) == has) note(rowOf(edge, base, cell));
  }
  return found;
}

function isAnalysedText(cell: u32): bool {
  const tag = tagAt(cell);
  return (tag == Tag.STRING || tag == Tag.EMPTY) && isAnalysed(rowOf(edge, base, cell));
}

// @ts-ignore: decorator
@inline function isOfShape(cell: u32, shape: u64): bool { return load<u64>(GATHER_HASHES + (<usize>cell << 3)) == shape; }
