/**
 * Brings the texts that checks are about to read into the caches. The texts of one column lie far from each other in the body, and each would be waited
 * for. The body of a few rows is read from front to back instead, which processors foresee; where rows have much else, each text is touched, and reads that wait for nothing are
 * under way side by side.
 */
import { cellsOf, VALUES } from '../arena';
import { endCell, firstCell, isText, tagAt } from './cells';
import { bytesOf, startOf } from './texts';

const LINE: usize = 64;
/** Lines that are read from front to back in the time of one that is read by itself. */
const LINES_PER_TEXT: usize = 3;

let touched: u32 = 0;

/** For the `count` columns at `columns`, a u32 each, and the rows that the next check looks at. Returns how many bytes it read. */
export function fetchTexts(columns: usize, count: u32): usize {
  let from: usize = usize.MAX_VALUE, to: usize = 0, texts: usize = 0;
  for (let i: u32 = 0; i < count; i++) {
    const column = load<u32>(columns + (<usize>i << 2)), base = cellsOf(column);
    let first = firstCell(column), end = endCell(column);
    while (first < end && !isText(tagAt(base, first))) first++;
    while (first < end && !isText(tagAt(base, end - 1))) end--;
    if (first >= end) continue;
    const last = load<u64>(base + VALUES + (<usize>(end - 1) << 3));
    from = min(from, startOf(load<u64>(base + VALUES + (<usize>first << 3))));
    to = max(to, startOf(last) + bytesOf(last));
    texts += end - first;
  }
  if (texts == 0) return 0;
  if (from < to && (to - from) / LINE <= texts * LINES_PER_TEXT) readLines(from, to);
  else for (let i: u32 = 0; i < count; i++) touch(load<u32>(columns + (<usize>i << 2)));
  return to - from;
}

function readLines(from: usize, to: usize): void {
  let sum: u32 = 0;
  for (; from < to; from += LINE) sum += load<u8>(from);
  // Kept, so that the compiler keeps the reads.
  touched = sum;
}

function touch(column: u32): void {
  const base = cellsOf(column), end = endCell(column);
  let sum: u32 = 0;
  for (let cell = firstCell(column); cell < end; cell++) {
    const slot = load<u64>(base + VALUES + (<usize>cell << 3));
    const there = isText(tagAt(base, cell)), at = select<usize>(startOf(slot), base, there);
    sum += load<u8>(at) + load<u8>(at + select<usize>(bytesOf(slot), 0, there));
  }
  touched = sum;
}
