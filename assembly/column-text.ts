/** Texts of columns of Arrow and Parquet. */
import { Tag } from './abi';
import { HASHES, LOW_BYTES, TAGS, VALUES } from './arena';
import { finished, hashLonger, mediumSum, shortSum } from './hash';
import { validEnd } from './utf8';

/**
 * Stores `count` texts, which lie between offsets of the type `T`, as the cells from `first` on. The bytes of all of them are UTF-8.
 * Returns how many it has stored: fewer where offsets decrease, leave the bytes, or divide a character; then the cells are to be
 * stored one by one.
 */
export function storeTexts<T>(base: usize, first: u32, count: u32, offsets: usize, bytes: usize): u32 {
  const stop = load<T>(offsets + (<usize>count << alignof<T>())), tags = base + TAGS + first;
  let begin = load<T>(offsets), slot = base + VALUES + (<usize>first << 3), divided: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const end = load<T>(offsets + (<usize>(i + 1) << alignof<T>()));
    if (end < begin || end > stop) return i;
    const at = bytes + <usize>begin, length = <usize>(end - begin);
    const hash = length <= 16 ? finished(shortSum(v128.load(at), length), length)
      : length <= 64 ? finished(mediumSum(at, length), length) : hashLonger(at, length);
    divided |= <u32>(length != 0) & <u32>((load<u8>(at) & 0xc0) == 0x80);
    store<u64>(slot, <u64>at | (<u64>length << 32));
    store<u64>(slot + (HASHES - VALUES), hash);
    store<u8>(tags + i, <u8>(length == 0 ? Tag.EMPTY : Tag.STRING));
    slot += 8;
    begin = end;
  }
  return divided ? 0 : count;
}

/** Whether the bytes are UTF-8 from the first one on. Reads at least 16 bytes. Most texts are ASCII, and short. */
export function isText(at: usize, length: usize): bool {
  if (length <= 64 && isShortAscii(at, length)) return true;
  return length == 0 || ((load<u8>(at) & 0xc0) != 0x80 && validEnd(at, at + length) == at + length);
}

/** By vectors that overlap, of at most 64 bytes. */
// @ts-ignore: decorator
@inline function isShortAscii(at: usize, length: usize): bool {
  if (length <= 16) return i8x16.bitmask(v128.and(v128.load(at), v128.load(LOW_BYTES + 16 - length))) == 0;
  const end = at + length, ends = v128.or(v128.load(at), v128.load(end - 16));
  return i8x16.bitmask(length <= 32 ? ends : v128.or(ends, v128.or(v128.load(at, 16), v128.load(end - 32)))) == 0;
}
