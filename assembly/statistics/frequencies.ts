/** How often hashes of inspected cells occur: the most frequent one, how many differ, and their distribution over buckets. */
import { BUCKETS, MAX_INSPECTED, PACK } from '../abi';
import { BUCKET_COUNTS, FREQUENCY_TABLE } from '../arena';

/** How many of the hashes that `mostFrequent` counted last are distinct. */
export let distinctHashes: u32 = 0;

/**
 * How often the most frequent of `n` hashes (at most MAX_INSPECTED) occurs; 0 for none. Two hashes are the same when their
 * upper 52 bits are.
 */
export function mostFrequent(at: usize, n: u32): u32 {
  assert(n <= <u32>MAX_INSPECTED, 'more hashes than cells are inspected');
  distinctHashes = 0;
  if (n == 0) return 0;
  // A slot is a hash whose lower 12 bits are a count. One slot is always empty.
  const bits = 32 - clz<u32>(n), shift = <u64>(64 - bits), slots = <usize>1 << <usize>bits, end = FREQUENCY_TABLE + (slots << 3);
  memory.fill(FREQUENCY_TABLE, 0, slots << 3);
  let most: u32 = 0;
  for (const last = at + (<usize>n << 3); at < last; at += 8) {
    const hash = load<u64>(at);
    let slot = FREQUENCY_TABLE + (<usize>(hash >> shift) << 3);
    let held = load<u64>(slot);
    while (held != 0 && (held ^ hash) >> 12 != 0) {
      slot += 8;
      if (slot == end) slot = FREQUENCY_TABLE;
      held = load<u64>(slot);
    }
    const count = (<u32>held & 4095) + 1;
    store<u64>(slot, (hash & ~4095) | <u64>count);
    distinctHashes += <u32>(held == 0);
    most = max<u32>(most, count);
  }
  return most;
}

/**
 * Counts `n` hashes in BUCKETS and writes the counts at `to`, two in a number. Two batches are compared by these counts,
 * without their values. The bucket is chosen by bits that neither `mostFrequent` nor the registers begin with.
 */
export function putDistribution(to: usize, hashes: usize, n: u32): void {
  memory.fill(BUCKET_COUNTS, 0, <usize>BUCKETS << 2);
  for (let at = hashes, end = hashes + (<usize>n << 3); at < end; at += 8) {
    const bucket = BUCKET_COUNTS + (<usize>(load<u64>(at) >> 8 & <u64>(BUCKETS - 1)) << 2);
    store<u32>(bucket, load<u32>(bucket) + 1);
  }
  for (let i: usize = 0; i < <usize>BUCKETS; i += 2) {
    const bucket = BUCKET_COUNTS + (i << 2);
    store<f64>(to + (i << 2), <f64>(load<u32>(bucket) + <u32>PACK * load<u32>(bucket, 4)));
  }
}
