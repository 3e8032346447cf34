/** Turns the provisional tags of a CSV column into final ones, as the host decides after the last row. */
import { Tag } from './abi';
import { edgeOf, cellsOf, ESCAPED, HASHES, TAGS, VALUES } from './arena';
import { COUNT, LAST_NULLISH, SETTLED } from './column';
import { hashDoubled } from './doubled';
import { hashText } from './hash';
import { countTags, tagCount } from './tags';

/** Bits of SETTLED: numbers and booleans have become texts; words such as `NA` have. */
export const AS_CODES: u32 = 1;
export const NULLISH_AS_TEXT: u32 = 2;

/** Counts the cells of a column by provisional tag, for `tagCount`. Returns whether it has others than texts and null: else there is nothing to settle. */
export function countCells(column: u32): bool {
  const count = load<u32>(edgeOf(column), COUNT);
  countTags(cellsOf(column) + TAGS, count);
  return tagCount(Tag.NULL) + tagCount(Tag.STRING) != count;
}

/** After `countCells` of the same column. `asTexts`: all of its values are texts. */
export function settleColumn(column: u32, asTexts: bool): void {
  const base = cellsOf(column), count = load<u32>(edgeOf(column), COUNT);
  const numbers = tagCount(Tag.INTEGER) + tagCount(Tag.NUMBER), booleans = tagCount(Tag.TRUE) + tagCount(Tag.FALSE);
  const unsettled = tagCount(Tag.CODE) + tagCount(Tag.NULLISH);
  if (asTexts) {
    if (unsettled + numbers + booleans == 0) return;
    store<u32>(edgeOf(column), AS_CODES | NULLISH_AS_TEXT, SETTLED);
    settleTexts(base, count);
  } else if (unsettled + tagCount(Tag.INTEGER) != 0) store<u32>(edgeOf(column), settleValues(base, count), LAST_NULLISH);
}

/**
 * In a column of values integers are numbers, the few codes are texts, and words like `NA` are null. Sixteen cells at a time, but those words one by one.
 * Returns the last of these, from 1.
 */
function settleValues(base: usize, count: u32): u32 {
  let lastNull: u32 = 0;
  const integer = i8x16.splat(<i8>Tag.INTEGER), code = i8x16.splat(<i8>Tag.CODE), nullish = i8x16.splat(<i8>Tag.NULLISH);
  // Bytes behind the last tag may change: they have no meaning.
  for (let cell: usize = 0; cell < <usize>count; cell += 16) {
    const kinds = v128.load(base + TAGS + cell);
    const numbers = v128.bitselect(i8x16.splat(<i8>Tag.NUMBER), kinds, i8x16.eq(kinds, integer));
    v128.store(base + TAGS + cell, v128.bitselect(i8x16.splat(<i8>Tag.STRING), numbers, i8x16.eq(kinds, code)));
    for (let left: u32 = i8x16.bitmask(i8x16.eq(kinds, nullish)); left != 0; left &= left - 1) {
      const at = cell + <usize>ctz(left);
      store<u8>(base + TAGS + at, <u8>Tag.NULL);
      store<u64>(base + VALUES + (at << 3), lastNull);
      lastNull = <u32>at + 1;
    }
  }
  return lastNull;
}

/** In a column of texts every value is a text. */
function settleTexts(base: usize, count: u32): void {
  for (let cell: usize = 0; cell < <usize>count; cell++) {
    const at = base + TAGS + cell,
      tag = load<u8>(at);
    if (tag == Tag.NULLISH) store<u8>(at, textTag(base, cell));
    else if (tag == Tag.INTEGER || tag == Tag.NUMBER || tag == Tag.TRUE || tag == Tag.FALSE) becomeText(base, cell, tag);
    else if (tag == Tag.CODE) store<u8>(at, Tag.STRING);
  }
}

function textTag(base: usize, cell: usize): u8 {
  return <u8>(load<u64>(base + VALUES + (cell << 3)) >> 32 == 0 ? Tag.EMPTY : Tag.STRING);
}

/** The text of a number or boolean, which was kept, becomes its value. */
function becomeText(base: usize, cell: usize, tag: u8): void {
  const numeric = tag == Tag.INTEGER || tag == Tag.NUMBER;
  const slot = load<u64>(base + (numeric ? HASHES : VALUES) + (cell << 3));
  const at = <usize>(slot & 0xffffffff),
    length = <u32>(slot >> 32);
  store<u64>(base + VALUES + (cell << 3), slot);
  store<u64>(
    base + HASHES + (cell << 3),
    (length & ESCAPED) != 0 ? hashDoubled(at, length & ~ESCAPED) : hashText(at, length),
  );
  store<u8>(base + TAGS + cell, Tag.STRING);
}
