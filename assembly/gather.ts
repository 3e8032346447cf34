/**
 * Gathers the analysed cells of one column, its numbers or its strings, in contiguous arrays. They are copied only when they do
 * not lie next to each other already.
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
import { tagCount } from './tags';

/** The sampled rows in order, a u16 each. Before them lies a byte for each row: 1 when it is sampled. */
const CHOSEN: usize = SAMPLED + CELLS;

export let rows: u32 = 0;
/** Analysed rows: their values are measured. */
export let analysed: u32 = 0;

/** The analysed cells of the gathered column. */
export let cellCount: u32 = 0,
  tags: usize = 0,
  values: usize = 0,
  hashes: usize = 0;
/** The strings among them, after `gatherTexts`: slots and hashes. */
export let textCount: u32 = 0,
  texts: usize = 0,
  textHashes: usize = 0;

/** Chooses the analysed rows: all, or a sample of `sampleRows` when there are more. */
export function chooseRows(rowCount: u32, sampleRows: u32): void {
  rows = rowCount;
  analysed = min(rows, sampleRows);
  assert(rows <= <u32>MAX_ROWS, 'more rows than a batch may have');
  if (analysed < rows) drawSample();
}

/**
 * Draws one row from each of `analysed` equal strata. The place comes from a fixed pseudo-random sequence (xorshift, Marsaglia
 * 2003): the same batch always has the same sample, and periodic data cannot hide from it.
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

/** Points `tags`, `values` and `hashes` at all cells. */
export function gatherAll(column: u32): void {
  const base = cellsOf(column);
  tags = base + TAGS;
  values = base + VALUES;
  hashes = base + HASHES;
  cellCount = load<u32>(edgeOf(column), COUNT);
}

/** Points `tags`, `values` and `hashes` at the analysed cells. Sampled cells are copied together. */
export function gather(column: u32): void {
  gatherAll(column);
  if (analysed == rows) return;
  const base = cellsOf(column),
    edge = edgeOf(column),
    count = cellCount;
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

/** For a column in which the index of a cell is its row: reads only the sampled rows. */
function gatherChosen(count: u32): u32 {
  for (let n: u32 = 0; n < analysed; n++) {
    const row = load<u16>(CHOSEN + (<usize>n << 1));
    // The last rows lack the field.
    if (row >= count) return n;
    gatherCell(row, n);
  }
  return analysed;
}

/** Copies every cell; the next one overwrites it when its row is not sampled. A branch would often be mispredicted. */
function gatherSparse(edge: usize, base: usize, count: u32): u32 {
  let n: u32 = 0;
  for (let cell: u32 = 0; cell < count; cell++) {
    gatherCell(cell, n);
    n += load<u8>(SAMPLED + rowOf(edge, base, cell));
  }
  return n;
}

/** Gathers the finite numbers at NUMBERS and returns how many there are. */
export function gatherNumbers(): u32 {
  const end = compact(Tag.NUMBER, Tag.NUMBER, values, NUMBERS);
  return <u32>((withoutInfinite(NUMBERS, end) - NUMBERS) >> 3);
}

/** After `countTags` of the gathered cells: counts the strings and points `textHashes` at their hashes. */
export function gatherTextHashes(): void {
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
 * Copies the words at `from` of the cells whose tag is in `low` .. `high` next to each other at `to`, and returns their end.
 * It works on sixteen cells at a time: for each run of wanted cells it copies sixteen words, and the next run overwrites the
 * surplus. For 10,000 cells, 5% of them null, this takes 4 us; one word at a time took 17.
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
      // The carry clears the bits of the run.
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

/** Removes infinite values from [begin, end) and returns the new end. They are very rare. */
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
