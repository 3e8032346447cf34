/** Decides the provisional tags of a CSV column after the last row. */
import { Tag } from './abi';
import { edgeOf, cellsOf, ESCAPED, HASHES, TAGS, VALUES } from './arena';
import { COUNT, LAST_NULLISH, SETTLED } from './column';
import { hashDoubled } from './doubled';
import { hashText } from './hash';
import { countTags, tagCount } from './tags';

/** One in this many integers has a leading zero: then the column holds codes. */
const CODES_ONE_IN: u32 = 100;

/** Bits of SETTLED: numbers and booleans have become texts; words such as `NA` have. */
export const AS_CODES: u32 = 1;
export const NULLISH_AS_TEXT: u32 = 2;

export function settleColumn(column: u32): void {
  const base = cellsOf(column), edge = edgeOf(column), count = load<u32>(edge, COUNT);
  countTags(base + TAGS, count);
  const codes = tagCount(Tag.CODE),
    integers = tagCount(Tag.INTEGER) + codes;
  const nullish = tagCount(Tag.NULLISH);
  if (integers == 0 && nullish == 0) return;
  const ofCodes = codes > 0 && codes * CODES_ONE_IN >= integers;
  const typed = integers - codes + tagCount(Tag.NUMBER) + tagCount(Tag.TRUE) + tagCount(Tag.FALSE);
  const others = count - tagCount(Tag.NULL) - nullish;
  const areNull = !ofCodes && (others == 0 || typed * 2 > others);
  store<u32>(edge, (ofCodes ? AS_CODES : 0) | (areNull ? 0 : NULLISH_AS_TEXT), SETTLED);
  if (ofCodes) settleCodes(base, count);
  else store<u32>(edge, settleTags(base, count, areNull), LAST_NULLISH);
}

/**
 * In a column of numbers integers are numbers and the few codes are strings. Sixteen cells at a time, but those like null one by one. Returns the
 * last of these that has become null, from 1.
 */
function settleTags(base: usize, count: u32, nullishIsNull: bool): u32 {
  let lastNull: u32 = 0;
  const integer = i8x16.splat(<i8>Tag.INTEGER), code = i8x16.splat(<i8>Tag.CODE), nullish = i8x16.splat(<i8>Tag.NULLISH);
  // Bytes behind the last tag may change: they have no meaning.
  for (let cell: usize = 0; cell < <usize>count; cell += 16) {
    const kinds = v128.load(base + TAGS + cell);
    const numbers = v128.bitselect(i8x16.splat(<i8>Tag.NUMBER), kinds, i8x16.eq(kinds, integer));
    v128.store(base + TAGS + cell, v128.bitselect(i8x16.splat(<i8>Tag.STRING), numbers, i8x16.eq(kinds, code)));
    for (let left: u32 = i8x16.bitmask(i8x16.eq(kinds, nullish)); left != 0; left &= left - 1) {
      const at = cell + <usize>ctz(left);
      store<u8>(base + TAGS + at, nullishIsNull ? <u8>Tag.NULL : textTag(base, at));
      if (!nullishIsNull) continue;
      store<u64>(base + VALUES + (at << 3), lastNull);
      lastNull = <u32>at + 1;
    }
  }
  return lastNull;
}

/** In a column of codes numbers and booleans become texts. */
function settleCodes(base: usize, count: u32): void {
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
