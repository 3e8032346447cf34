/** Texts that stand for a missing value, such as `N/A`. Over all analysed texts: of few distinct ones by their list, of many by their length first. */
import { Column, ENUM_BYTES, Tag } from '../abi';
import { ESCAPED, get, LISTED, LISTED_BYTES, put } from '../arena';
import { cellCount, tags, values } from '../gather';
import { readCharacters, textAt, textLength } from './text';

/** In lower case, the first byte lowest: `-` `--` `?` `na` `n/a` `n.a.` `#n/a` `nan` `nil` `none` `null` `(null)` `<null>` `<na>` `missing` `\n`. */
const WORDS: usize = memory.data<u64>([
  0x2d, 0x2d2d, 0x3f, 0x616e, 0x612f6e, 0x2e612e6e, 0x612f6e23, 0x6e616e,
  0x6c696e, 0x656e6f6e, 0x6c6c756e, 0x296c6c756e28, 0x3e6c6c756e3c, 0x3e616e3c, 0x676e697373696d, 0x6e5c,
]);
const COUNT: usize = 16;
const LONGEST: usize = 7;

export function putMissingTexts(column: u32, record: usize, doubled: bool): void {
  const listed = <u32>get(record, Column.LISTED);
  let missing: u32 = 0;
  if (listed != 0) {
    const list = LISTED + <usize>column * LISTED_BYTES;
    for (let i: u32 = 0; i < listed; i++) {
      const entry = list + <usize>i * ENUM_BYTES;
      if (standsForMissing(load<u64>(entry, 8), doubled)) missing += load<u32>(entry, 16);
    }
  } else if (get(record, Column.TEXTS) != 0) {
    for (let cell: usize = 0; cell < cellCount; cell++) {
      const slot = load<u64>(values + (cell << 3));
      if (!mayStand(slot) || load<u8>(tags + cell) != <u8>Tag.STRING) continue;
      missing += <u32>standsForMissing(slot, doubled);
    }
  }
  put(record, Column.MISSING_TEXTS, <f64>missing);
}

/** By its length: a marked text may be shorter than it is written. */
// @ts-ignore: decorator
@inline function mayStand(slot: u64): bool {
  const length = <u32>(slot >> 32);
  return length - 1 < <u32>LONGEST || (length & ESCAPED) != 0;
}

/** Whether the text of a cell is one of the words, in any case. `doubled`: as in `readCharacters`. */
export function standsForMissing(slot: u64, doubled: bool): bool {
  if (!mayStand(slot)) return false;
  let at = <usize>(slot & 0xffffffff), length = <usize>(slot >> 32);
  if (length & ESCAPED) {
    readCharacters(slot, doubled);
    at = textAt;
    length = textLength;
    if (length - 1 >= LONGEST) return false;
  }
  const word = lowerCase(load<u64>(at) & ((<u64>1 << (<u64>length << 3)) - 1));
  for (let i: usize = 0; i < COUNT; i++) if (load<u64>(WORDS + (i << 3)) == word) return true;
  return false;
}

/** Sets the bit that tells a lower-case letter of ASCII in the bytes that are capital letters, and in no others. */
// @ts-ignore: decorator
@inline function lowerCase(bytes: u64): u64 {
  const low = bytes & 0x7f7f7f7f7f7f7f7f;
  const isAtLeastA = low + 0x3f3f3f3f3f3f3f3f, isAboveZ = low + 0x2525252525252525;
  return bytes | ((isAtLeastA & ~isAboveZ & ~bytes & 0x8080808080808080) >> 2);
}
