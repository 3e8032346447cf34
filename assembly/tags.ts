/** Counts cells by tag, sixteen at a time. */
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
