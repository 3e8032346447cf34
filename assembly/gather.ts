/**
 * Brings the analysed cells of one column, its numbers or its strings, into contiguous arrays: where they lie when that is
 * possible, else copied together.
 */
import { Tag } from './abi';
import {
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
import { COUNT, rowOf } from './column';
import { countTags, tagCount } from './tags';

let rows: u32 = 0;
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
  if (analysed < rows) drawSample();
}

/**
 * One row of each of `analysed` equal strata, at a place that a fixed pseudo-random sequence (xorshift, Marsaglia 2003)
 * gives: the same batch has the same sample, and no period in the data can hide from it.
 */
function drawSample(): void {
  memory.fill(SAMPLED, 0, rows);
  let random: u32 = 0x9e3779b9,
    begin: u32 = 0;
  for (let stratum: u32 = 0; stratum < analysed; stratum++) {
    const stop = <u32>((<u64>(stratum + 1) * rows) / analysed);
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    store<u8>(SAMPLED + begin + <u32>((<u64>random * (stop - begin)) >> 32), 1);
    begin = stop;
  }
}

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
  let n: usize = 0;
  for (let cell: usize = 0; cell < count; cell++) {
    if (!load<u8>(SAMPLED + rowOf(edge, base, <u32>cell))) continue;
    store<u8>(GATHER_TAGS + n, load<u8>(tags + cell));
    store<u64>(GATHER_VALUES + (n << 3), load<u64>(values + (cell << 3)));
    store<u64>(GATHER_HASHES + (n << 3), load<u64>(hashes + (cell << 3)));
    n++;
  }
  tags = GATHER_TAGS;
  values = GATHER_VALUES;
  hashes = GATHER_HASHES;
  cellCount = <u32>n;
}

/** Brings the finite numbers together at NUMBERS; how many there are. */
export function gatherNumbers(): u32 {
  let to = NUMBERS;
  for (let cell: usize = 0; cell < cellCount; cell++) {
    const value = load<f64>(values + (cell << 3));
    store<f64>(to, value);
    to += (<usize>(load<u8>(tags + cell) == Tag.NUMBER && value - value == 0)) << 3;
  }
  return <u32>((to - NUMBERS) >> 3);
}

/** Points `texts` and `textHashes` at the strings. */
export function gatherTexts(): void {
  countTags(tags, cellCount);
  textCount = tagCount(Tag.STRING) + tagCount(Tag.EMPTY);
  texts = values;
  textHashes = hashes;
  if (textCount == cellCount || textCount == 0) return;
  texts = TEXT_VALUES;
  textHashes = TEXT_HASHES;
  let n: usize = 0;
  for (let cell: usize = 0; cell < cellCount; cell++) {
    const tag = load<u8>(tags + cell);
    store<u64>(TEXT_VALUES + (n << 3), load<u64>(values + (cell << 3)));
    store<u64>(TEXT_HASHES + (n << 3), load<u64>(hashes + (cell << 3)));
    n += <usize>(tag == Tag.STRING || tag == Tag.EMPTY);
  }
}
