/** Counts and sets tags of cells, sixteen at a time. */
import { Tag } from './abi';

const KINDS: i32 = 12;
const COUNTS: usize = memory.data(KINDS * 4);

// @ts-ignore: decorator
@inline export function tagCount(tag: i32): u32 { return load<u32>(COUNTS + (<usize>tag << 2)); }

/** Counts the `n` tags at `tags`; read the counts with `tagCount`. Reads whole vectors: 15 bytes more must be readable. */
export function countTags(tags: usize, n: u32): void {
  memory.fill(COUNTS, 0, <usize>KINDS << 2);
  let left = n;
  // Most columns have two or three tags: stop when all cells are counted.
  for (let kind = 1; left != 0 && kind < KINDS; kind++) {
    const count = countOf(tags, n, <u8>kind);
    store<u32>(COUNTS + (<usize>kind << 2), count);
    left -= count;
  }
}

function countOf(tags: usize, n: u32, kind: u8): u32 {
  const wanted = i8x16.splat(kind);
  let count: u32 = 0, i: u32 = 0;
  while (i + 16 <= n) {
    // A lane counts to 255 at most, then the lanes are added up.
    const stop = min(n & ~15, i + 255 * 16);
    let sums = i8x16.splat(0);
    for (; i < stop; i += 16) sums = i8x16.sub(sums, i8x16.eq(v128.load(tags + i), wanted));
    const wide = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(sums));
    count += i32x4.extract_lane(wide, 0) + i32x4.extract_lane(wide, 1) + i32x4.extract_lane(wide, 2) + i32x4.extract_lane(wide, 3);
  }
  for (; i < n; i++) count += <u32>(load<u8>(tags + i) == kind);
  return count;
}

/** Replaces with `other` each of the `count` tags at `tags` whose bit at `bits`, from the lowest one of each byte on, is 0. */
export function chooseTags(tags: usize, bits: usize, count: u32, other: Tag): void {
  const others = i8x16.splat(<i8>other), places = i64x2.splat(<i64>0x8040201008040201);
  const twice = i8x16(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  let i: u32 = 0;
  for (; i + 16 <= count; i += 16) {
    const bytes = i8x16.swizzle(i16x8.splat(load<i16>(bits + (i >> 3))), twice);
    const isSet = i8x16.eq(v128.and(bytes, places), places);
    v128.store(tags + i, v128.bitselect(v128.load(tags + i), others, isSet));
  }
  for (; i < count; i++) if (((load<u8>(bits + (i >> 3)) >> (i & 7)) & 1) == 0) store<u8>(tags + i, <u8>other);
}
