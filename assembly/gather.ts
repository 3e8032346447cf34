/**
 * Brings the analysed cells of one column, its numbers or its strings, into contiguous arrays: where they lie when that is
 * possible, else copied together.
 */
import { MAX_ROWS, Tag } from './abi';
import {
  CELLS,
  cellsOf,
  edgeOf,
  GATHER_HASHES,
  GATHER_TAGS,
  GATHER_VALUES,
  HASHES,
  NUMBERS,
  SAMPLED,
  TAGS,
  TEXT_HASHES,
  TEXT_VALUES,
  VALUES,
} from './arena';
import { COUNT, isSparse, rowOf } from './column';
import { countTags, tagCount } from './tags';

/** The sampled rows in order, a u16 each, behind the byte for each row that tells whether it is sampled. */
const CHOSEN: usize = SAMPLED + CELLS;

export let rows: u32 = 0;
/** Rows whose values are measured. */
export let analysed: u32 = 0;

/** The analysed cells of the column gathered last. */
export let cellCount: u32 = 0,
  tags: usize = 0,
  values: usize = 0,
  hashes: usize = 0;
/** Strings among them, after `gatherTexts`: slots and hashes. */
export let textCount: u32 = 0,
  texts: usize = 0,
  textHashes: usize = 0;

/** Chooses the analysed rows: all, or a sample of `sampleRows` where there are more. */
export function chooseRows(rowCount: u32, sampleRows: u32): void {
  rows = rowCount;
  analysed = min(rows, sampleRows);
  assert(rows <= <u32>MAX_ROWS, 'more rows than a batch may have');
  if (analysed < rows) drawSample();
}

/**
 * One row of each of `analysed` equal strata, at a place that a fixed pseudo-random sequence (xorshift, Marsaglia 2003)
 * gives: the same batch has the same sample, and no period in the data can hide from it.
 */
function drawSample(): void {
  memory.fill(SAMPLED, 0, rows);
  let chosen = CHOSEN;
  let random: u32 = 0x9e3779b9,
    begin: u32 = 0;
  for (let stratum: u32 = 0; stratum < analysed; stratum++) {
    const stop = <u32>((<u64>(stratum + 1) * rows) / analysed);
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    const row = begin + <u32>((<u64>random * (stop - begin)) >> 32);
    store<u8>(SAMPLED + row, 1);
    store<u16>(chosen, <u16>row);
    chosen += 2;
    begin = stop;
  }
}

/** Whether a row's values were measured. */
// @ts-ignore: decorator
@inline export function isAnalysed(row: u32): bool { return analysed == rows || load<u8>(SAMPLED + row) != 0; }

/** Points `tags`, `values` and `hashes` at the analysed cells: where they are, or copied together from the sampled rows. */
export function gather(column: u32): void {
  const base = cellsOf(column),
    edge = edgeOf(column),
    count = load<u32>(edge, COUNT);
  tags = base + TAGS;
  values = base + VALUES;
  hashes = base + HASHES;
  cellCount = count;
  if (analysed == rows) return;
  assert(count <= rows, 'a column has more cells than rows');
  cellCount = isSparse(edge) ? gatherSparse(edge, base, count) : gatherChosen(count);
  tags = GATHER_TAGS;
  values = GATHER_VALUES;
  hashes = GATHER_HASHES;
}

// @ts-ignore: decorator
@inline function gatherCell(cell: usize, n: usize): void {
  store<u8>(GATHER_TAGS + n, load<u8>(tags + cell));
  store<u64>(GATHER_VALUES + (n << 3), load<u64>(values + (cell << 3)));
  store<u64>(GATHER_HASHES + (n << 3), load<u64>(hashes + (cell << 3)));
}

/** A column in which a cell's index is its row: only the chosen rows are touched. */
function gatherChosen(count: u32): u32 {
  for (let n: u32 = 0; n < analysed; n++) {
    const row = load<u16>(CHOSEN + (<usize>n << 1));
    // The last rows lack the field.
    if (row >= count) return n;
    gatherCell(row, n);
  }
  return analysed;
}

/** Every cell is copied, and the next one over it where its row is not sampled: a branch would be mispredicted too often. */
function gatherSparse(edge: usize, base: usize, count: u32): u32 {
  let n: u32 = 0;
  for (let cell: u32 = 0; cell < count; cell++) {
    gatherCell(cell, n);
    n += load<u8>(SAMPLED + rowOf(edge, base, cell));
  }
  return n;
}

/** Brings the finite numbers together at NUMBERS; how many there are. */
export function gatherNumbers(): u32 {
  const end = compact(Tag.NUMBER, Tag.NUMBER, values, NUMBERS);
  return <u32>((withoutInfinite(NUMBERS, end) - NUMBERS) >> 3);
}

/** Counts the strings and points `textHashes` at their hashes. */
export function gatherTextHashes(): void {
  countTags(tags, cellCount);
  textCount = tagCount(Tag.STRING) + tagCount(Tag.EMPTY);
  textHashes = hashes;
  if (textCount == cellCount || textCount == 0) return;
  textHashes = TEXT_HASHES;
  compact(Tag.STRING, Tag.EMPTY, hashes, TEXT_HASHES);
}

/** After `gatherTextHashes`: points `texts` at the strings' slots. */
export function gatherTexts(): void {
  texts = values;
  if (textHashes == hashes) return;
  texts = TEXT_VALUES;
  compact(Tag.STRING, Tag.EMPTY, values, TEXT_VALUES);
}

/**
 * Copies the words at `from` of the cells whose tag is `low` to `high` close together at `to`; returns their end. Sixteen cells at
 * a time, run by run: a whole vector's worth is copied for each run, and what is too much is overwritten by the next. One word at a
 * time took 17 us for 10,000 cells of which 5% are null, this takes 4.
 */
function compact(low: Tag, high: Tag, from: usize, to: usize): usize {
  const lowest = i8x16.splat(<i8>low), highest = i8x16.splat(<i8>high);
  const end = tags + cellCount, start = to;
  for (let tag = tags; tag < end; tag += 16, from += 128) {
    const kinds = v128.load(tag);
    let kept: u32 = i8x16.bitmask(v128.and(i8x16.ge_s(kinds, lowest), i8x16.le_s(kinds, highest)));
    if (end - tag < 16) kept &= (1 << <u32>(end - tag)) - 1;
    while (kept != 0) {
      assert(to - start <= <usize>MAX_ROWS << 3, 'more cells are gathered than there are rows');
      const begin = ctz(kept);
      copySixteen(from + (<usize>begin << 3), to);
      to += <usize>ctz(~(kept >> begin)) << 3;
      // The carry runs through the run's bits.
      kept &= kept + (1 << begin);
    }
  }
  return to;
}

// @ts-ignore: decorator
@inline function copySixteen(from: usize, to: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to, v128.load(from, 16), 16);
  v128.store(to, v128.load(from, 32), 32);
  v128.store(to, v128.load(from, 48), 48);
  v128.store(to, v128.load(from, 64), 64);
  v128.store(to, v128.load(from, 80), 80);
  v128.store(to, v128.load(from, 96), 96);
  v128.store(to, v128.load(from, 112), 112);
}

/** Closes the gaps that infinite values leave in [begin, end); returns the new end. There are hardly ever any. */
function withoutInfinite(begin: usize, end: usize): usize {
  let differences = f64x2.splat(0), at = begin;
  for (; at + 16 <= end; at += 16) {
    const x = v128.load(at);
    differences = f64x2.add(differences, f64x2.sub(x, x));
  }
  for (; at < end; at += 8) differences = f64x2.add(differences, f64x2.splat(load<f64>(at) - load<f64>(at)));
  if (f64x2.extract_lane(differences, 0) + f64x2.extract_lane(differences, 1) == 0) return end;
  let to = begin;
  for (at = begin; at < end; at += 8) {
    const x = load<f64>(at);
    store<f64>(to, x);
    to += <usize>(x - x == 0) << 3;
  }
  return to;
}
