/** Turns the provisional tags of a CSV column into final ones, as the host decides after the last row. */
import { Tag } from './abi';
import { edgeOf, cellsOf, ESCAPED, HASHES, TAGS, VALUES } from './arena';
import { COUNT } from './column';
import { hashDoubled } from './doubled';
import { hashText } from './hash';
import { countTags, tagCount } from './tags';

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
    if (unsettled + numbers + booleans != 0) settleTexts(base, count);
  } else if (unsettled + tagCount(Tag.INTEGER) != 0) settleValues(base, count);
}

/** In a column of values integers are numbers, the few codes are texts, and words like `NA` are null. Sixteen cells at a time. */
function settleValues(base: usize, count: u32): void {
  const integer = i8x16.splat(<i8>Tag.INTEGER), code = i8x16.splat(<i8>Tag.CODE), nullish = i8x16.splat(<i8>Tag.NULLISH);
  // Bytes behind the last tag may change: they have no meaning.
  for (let cell: usize = 0; cell < <usize>count; cell += 16) {
    const kinds = v128.load(base + TAGS + cell);
    const numbers = v128.bitselect(i8x16.splat(<i8>Tag.NUMBER), kinds, i8x16.eq(kinds, integer));
    const texts = v128.bitselect(i8x16.splat(<i8>Tag.STRING), numbers, i8x16.eq(kinds, code));
    v128.store(base + TAGS + cell, v128.bitselect(i8x16.splat(<i8>Tag.NULL), texts, i8x16.eq(kinds, nullish)));
  }
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
