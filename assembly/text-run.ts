/** Where a CSV column turns from numbers to texts, or to them and back: the run of cells that has most texts and fewest other values. */
import { Tag } from './abi';
import { cellsOf, edgeOf, TAGS } from './arena';
import { COUNT } from './column';

/** Texts, and numbers and booleans, within the run. */
export let runTexts: u32 = 0;
export let runTyped: u32 = 0;

/** Before the column is settled. Kadane's algorithm, a text being 1 and another value -1. */
export function findTextRun(column: u32): void {
  const tags = cellsOf(column) + TAGS, count = <usize>load<u32>(edgeOf(column), COUNT);
  let texts: i32 = 0, typed: i32 = 0;
  runTexts = 0;
  runTyped = 0;
  for (let cell: usize = 0; cell < count; cell++) {
    const tag: u32 = load<u8>(tags + cell);
    if (tag == Tag.STRING || tag == Tag.EMPTY) texts++;
    else if (tag == Tag.NUMBER || tag == Tag.INTEGER || tag == Tag.TRUE || tag == Tag.FALSE) typed++;
    else continue;
    if (typed >= texts) { texts = 0; typed = 0; continue; }
    if (texts - typed <= <i32>runTexts - <i32>runTyped) continue;
    runTexts = texts;
    runTyped = typed;
  }
}
