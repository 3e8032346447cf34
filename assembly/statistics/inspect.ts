/**
 * Which cells of the gathered column are inspected. Shares need no more than MAX_INSPECTED cells, so the cost of a column
 * has a bound. In a longer column these are runs of adjacent cells, one run at a pseudo-random place (xorshift, Marsaglia
 * 2003) in each of equal strata: adjacent texts lie on one memory page, and single ones took twice the time.
 */
import { MAX_INSPECTED } from '../abi';
import { cellCount } from '../gather';

/** Adjacent cells in a run. */
export const RUN: u32 = 16;
const RUNS: u32 = MAX_INSPECTED / RUN;

let random: u32 = 0, stratum: u32 = 0;

/** The run at hand: cells from `runBegin` up to `runEnd`. */
export let runBegin: u32 = 0, runEnd: u32 = 0;

export function beginRuns(): void {
  random = 0x9e3779b9;
  stratum = 0;
}

/** Moves to the next run; false after the last one. A short column is one run. */
export function nextRun(): bool {
  if (cellCount <= <u32>MAX_INSPECTED) {
    runBegin = 0;
    runEnd = cellCount;
    return stratum++ == 0;
  }
  if (stratum == RUNS) return false;
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  const begin = stratum * cellCount / RUNS, stop = (stratum + 1) * cellCount / RUNS;
  runBegin = begin + <u32>((<u64>random * (stop - begin - RUN + 1)) >> 32);
  runEnd = runBegin + RUN;
  assert(runBegin >= begin && runEnd <= stop, 'a run leaves its stratum');
  stratum++;
  return true;
}
