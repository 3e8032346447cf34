/** Gives the provisional tags of a CSV column their meaning, once all its cells are known (`rules` of CSV typing). */
import { Tag } from './abi';
import { edgeOf, cellsOf, ESCAPED, HASHES, TAGS, VALUES } from './arena';
import { COUNT } from './column';
import { hashDoubled } from './doubled';
import { hashText } from './hash';
import { countTags, tagCount } from './tags';

/** Of the integer-like cells, one in this many with a leading zero makes a column of codes. */
const CODES_ONE_IN: u32 = 100;

export function settleColumn(column: u32): void {
  const base = cellsOf(column),
    count = load<u32>(edgeOf(column), COUNT);
  countTags(base + TAGS, count);
  const codes = tagCount(Tag.CODE),
    integers = tagCount(Tag.INTEGER) + codes;
  const nullish = tagCount(Tag.NULLISH);
  if (integers == 0 && nullish == 0) return;
  const ofCodes = codes > 0 && codes * CODES_ONE_IN >= integers;
  const typed = integers - codes + tagCount(Tag.NUMBER) + tagCount(Tag.TRUE) + tagCount(Tag.FALSE);
  const others = count - tagCount(Tag.NULL) - nullish;
  const nullishIsNull = !ofCodes && (others == 0 || typed * 2 > others);
  for (let cell: usize = 0; cell < count; cell++) {
    const at = base + TAGS + cell,
      tag = load<u8>(at);
    if (tag == Tag.NULLISH) store<u8>(at, nullishIsNull ? Tag.NULL : textTag(base, cell));
    else if (ofCodes && (tag == Tag.INTEGER || tag == Tag.NUMBER || tag == Tag.TRUE || tag == Tag.FALSE))
      becomeText(base, cell, tag);
    else if (tag == Tag.CODE) store<u8>(at, Tag.STRING);
    else if (tag == Tag.INTEGER) store<u8>(at, Tag.NUMBER);
  }
}

function textTag(base: usize, cell: usize): u8 {
  return <u8>(load<u64>(base + VALUES + (cell << 3)) >> 32 == 0 ? Tag.EMPTY : Tag.STRING);
}

/** A number or boolean in a column of codes: its text, kept beside it, becomes its value. */
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
