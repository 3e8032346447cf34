/** Second looks at the measured batch: questions that only the baseline raises. */
import { Tag } from './abi';
import { cellsOf, DISTINCT_SCRATCH, edgeOf, KNOWN, NUMBERS, TAGS, UNSEEN } from './arena';
import { COUNT } from './column';
import { gather, gatherNumbers, gatherTextHashes, gatherTexts, textCount, textHashes, texts } from './gather';
import { outside } from './outside';
import { unseenTexts } from './texts';
import { lookFresh } from './traits';

/** Counts the analysed finite numbers below `low` or above `high`; the results are globals of `outside.ts`. */
export function lookOutside(column: u32, low: f64, high: f64): void {
  gather(column);
  outside(NUMBERS, gatherNumbers(), low, high);
}

/** Analysed strings whose hash is not among the `knownCount` at KNOWN; up to `limit` distinct ones are listed at UNSEEN. */
export function lookUnseen(column: u32, knownCount: u32, limit: u32): u32 {
  gather(column);
  gatherTextHashes();
  gatherTexts();
  return unseenTexts(textHashes, texts, textCount, KNOWN, knownCount, limit, DISTINCT_SCRATCH, UNSEEN);
}

/** Of the cells looked at for traits those whose values raise one of the registers at KNOWN: values that a baseline has never seen. */
export function lookFreshValues(column: u32): u32 {
  gather(column);
  return lookFresh(KNOWN);
}

/** Of all cells of a column the first that is not null and whose tag is not in `expected` (a bit for each tag), or -1. */
export function lookUnexpected(column: u32, expected: u32): i32 {
  const count = load<u32>(edgeOf(column), COUNT),
    tags = cellsOf(column) + TAGS;
  const allowed = expected | (1 << Tag.NULL);
  for (let cell: u32 = 0; cell < count; cell++)
    if (((allowed >> load<u8>(tags + cell)) & 1) == 0) return <i32>cell;
  return -1;
}
