/** Queries about single values of a measured batch. The host asks them when it judges a finding. */
import { Column, Format, Tag } from './abi';
import { cellsOf, DISTINCT_SCRATCH, edgeOf, get, KNOWN, NUMBERS, recordOf, TAGS, UNSEEN } from './arena';
import { COUNT } from './column';
import { cellCount, gather, gatherAll, gatherNumbers, gatherTextHashes, gatherTexts, hashes, tags, textCount, textHashes, texts, values } from './gather';
import { valueSeed } from './hash';
import { findRange } from './statistics/dates';
import { raises } from './statistics/distinct';
import { histogram } from './statistics/histogram';
import { beginRuns, nextRun, runBegin, runEnd } from './statistics/inspect';
import { unseenTexts } from './statistics/listed';
import { outside } from './statistics/outside';
import { countTags } from './tags';
import { hashOf } from './value-hash';

/** Counts the analysed finite numbers, which lie in `low` .. `high`, by intervals: HISTOGRAM_BINS u32 at `histogramAddress`. */
export function queryHistogram(column: u32, low: f64, high: f64): void {
  gather(column);
  const finite = <u32>get(recordOf(column), Column.FINITE);
  if (finite == cellCount) histogram(values, finite, low, high);
  else histogram(NUMBERS, gatherNumbers(), low, high);
}

/** Counts the analysed finite numbers below `low` or above `high`. The results are globals of `statistics/outside.ts`. */
export function queryOutside(column: u32, low: f64, high: f64): void {
  gather(column);
  outside(NUMBERS, gatherNumbers(), low, high);
}

/** Finds the earliest and the latest date of the analysed texts. The results are globals of `statistics/dates.ts`. */
export function queryDates(column: u32, format: Format): void {
  gather(column);
  findRange(recordOf(column), format == Format.CSV);
}

/** Counts the strings, in all rows, whose hash is not among the `knownCount` at KNOWN. Lists up to `limit` distinct ones at UNSEEN. */
export function queryUnseen(column: u32, knownCount: u32, limit: u32): u32 {
  gatherAll(column);
  countTags(tags, cellCount);
  gatherTextHashes();
  gatherTexts();
  return unseenTexts(textHashes, texts, textCount, KNOWN, knownCount, limit, DISTINCT_SCRATCH, UNSEEN);
}

/** Counts the inspected cells whose values raise one of the registers at KNOWN: values that a baseline has never seen. */
export function queryFresh(column: u32): u32 {
  gather(column);
  const seed = valueSeed();
  let fresh: u32 = 0;
  beginRuns();
  while (nextRun()) {
    for (let cell: usize = runBegin; cell < runEnd; cell++) {
      const tag: i32 = load<u8>(tags + cell);
      if (tag == Tag.NULL) continue;
      fresh += <u32>raises(hashOf(tag, values + (cell << 3), hashes + (cell << 3), seed), KNOWN);
    }
  }
  return fresh;
}

/** The first cell of a column that is not null and whose tag is not in `expected` (a bit for each tag), or -1. */
export function queryUnexpected(column: u32, expected: u32): i32 {
  const count = load<u32>(edgeOf(column), COUNT), tags = cellsOf(column) + TAGS;
  const allowed = expected | (1 << Tag.NULL);
  for (let cell: u32 = 0; cell < count; cell++) if (((allowed >> load<u8>(tags + cell)) & 1) == 0) return <i32>cell;
  return -1;
}
