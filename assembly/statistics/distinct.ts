/**
 * How many distinct values a column has: exactly, by a set of 64-bit hashes, and as HyperLogLog registers (Flajolet et al.
 * 2007), which can be merged with those of other batches.
 *
 * The set begins as a small table that fits into the first-level cache. Few distinct values need no more. Beyond SMALL_LIMIT
 * hashes, a large table would miss the cache for nearly every hash, and most such columns hold each value once. So a bitmap
 * notes which top 16 bits have occurred, and a list notes the hash that had them first. A hash with new bits is new. A
 * hash that equals the first one is not. The others, few in such a column, go into a table. Hashes must be well mixed and
 * keyed by a secret: a client that can choose them can make this slow, but never wrong.
 */
import { MAX_ROWS, REGISTERS } from '../abi';

const SMALL_SLOTS: usize = 1024;
const SMALL_LIMIT: u32 = 128;
/** Serves MAX_ROWS hashes. */
const LARGE_SLOTS: usize = 32768;
/** A bit for each value of a hash's top 16 bits: 9 choose the register, 7 follow. FIRST has a u16 for each: the index of the hash. */
const BITMAP_BYTES: usize = 8192;

const SMALL: usize = 0;
const SEEN: usize = SMALL + SMALL_SLOTS * 8;
const FIRST: usize = SEEN + BITMAP_BYTES;
const REST: usize = FIRST + BITMAP_BYTES * 8 * 2;
const LARGE: usize = REST + (<usize>MAX_ROWS + 8) * 8;
export const DISTINCT_SCRATCH_BYTES: usize = LARGE + LARGE_SLOTS * 8;

/**
 * Number of distinct u64 among the `n` at `hashes`. Overwrites the REGISTERS bytes at `registers` with their sketch. The top 9
 * bits of a hash choose the register; it holds the largest rank of the first set bit among the other 55, from 1, or 56
 * when none is set.
 */
export function countDistinct(hashes: usize, n: u32, scratch: usize, registers: usize): u32 {
  assert(n <= <u32>MAX_ROWS, 'more values than a column has');
  memory.fill(registers, 0, REGISTERS);
  const few = countInTable(hashes, n, scratch + SMALL, SMALL_SLOTS * 8, SMALL_LIMIT);
  if (few > SMALL_LIMIT) return countMany(hashes, n, scratch, registers);
  if (n < <u32>SMALL_SLOTS) registersOfHashes(hashes, n, 8, registers);
  else registersOfTable(scratch + SMALL, registers);
  return few;
}

function registersOfTable(table: usize, registers: usize): void {
  for (let slot = table; slot < table + SMALL_SLOTS * 8; slot += 8) {
    if (load<u64>(slot)) register(load<u64>(slot), registers);
  }
  if (zeroSeen) register(0, registers);
}

/** Whether `countInTable` has found the hash 0, which has no slot. */
let zeroSeen: bool = false;

/** Number of distinct hashes, or limit + 1 when there are more than `limit`. An empty slot is 0, so the hash 0 is counted separately. */
function countInTable(hashes: usize, n: u32, table: usize, tableBytes: usize, limit: u32): u32 {
  memory.fill(table, 0, tableBytes);
  let distinct: u32 = 0;
  zeroSeen = false;
  for (let p = hashes, end = hashes + (<usize>n << 3); p < end; p += 8) {
    const hash = load<u64>(p);
    if (hash == 0) zeroSeen = true;
    else if (insert(hash, table, tableBytes - 8) && ++distinct > limit) return limit + 1;
  }
  return distinct + <u32>zeroSeen;
}

function countMany(hashes: usize, n: u32, scratch: usize, registers: usize): u32 {
  const seen = scratch + SEEN, first = scratch + FIRST;
  memory.fill(seen, 0, BITMAP_BYTES);
  let rest = scratch + REST;
  for (let p = hashes, end = hashes + (<usize>n << 3); p < end; p += 8) {
    const hash = load<u64>(p), number = <usize>(hash >> 48), word = seen + (number >> 5 << 2), bit: u32 = 1 << (<u32>number & 31);
    // Without branches: when half of the values are new, each would be mispredicted.
    const before = load<u32>(word), known = first + (number << 1);
    const index = select<u32>(load<u16>(known), <u32>((p - hashes) >> 3), (before & bit) != 0);
    store<u32>(word, before | bit);
    store<u16>(known, <u16>index);
    store<u64>(rest, hash);
    rest += load<u64>(hashes + (<usize>index << 3)) != hash ? 8 : 0;
    // For one hash in 128 the bitmap does not show how many zeros follow.
    if ((number & 127) == 0) register(hash, registers);
  }
  registersOfBitmap(seen, registers);
  let firsts: u32 = 0;
  for (let at: usize = 0; at < BITMAP_BYTES; at += 8) firsts += <u32>popcnt<u64>(load<u64>(seen + at));
  const left = <u32>((rest - scratch - REST) >> 3);
  return firsts + countInTable(scratch + REST, left, scratch + LARGE, largeBytes(left), u32.MAX_VALUE - 1);
}

/**
 * Each register has 128 bits of the bitmap. The number of the lowest set bit has the most leading zeros. When it is number 0, the
 * register is set already.
 */
function registersOfBitmap(seen: usize, registers: usize): void {
  for (let i: usize = 0; i < <usize>REGISTERS; i++) {
    const low = load<u64>(seen + (i << 4)), high = load<u64>(seen + (i << 4), 8);
    if (low & 1) continue;
    const lowest = <u32>(low ? ctz(low) : 64 + ctz(high));
    store<u8>(registers + i, low | high ? clz(lowest) - 24 : 0);
  }
}

/** The registers of `n` hashes, `stride` bytes apart. */
export function registersOfHashes(hashes: usize, n: u32, stride: usize, registers: usize): void {
  memory.fill(registers, 0, REGISTERS);
  for (let i: u32 = 0; i < n; i++) register(load<u64>(hashes + <usize>i * stride), registers);
}

/**
 * The registers of a column of integers, without a hash for each row. `counts` holds a u32 for each of min, min + 1 .. max, as
 * `quantiles` leaves them in its scratch when `integerDistinct` is not 0. The registers equal those of `countDistinct`.
 */
export function registersOfIntegers(counts: usize, min: f64, max: f64, seed: u64, registers: usize): void {
  memory.fill(registers, 0, REGISTERS);
  const range = <u32>(max - min);
  assert(range < 4096, 'integers of a wide range have no counts');
  for (let i: u32 = 0; i <= range; i++) {
    if (load<u32>(counts + (<usize>i << 2))) register(hashNumber(min + <f64>i, seed), registers);
  }
}

/** Writes a well-mixed u64 at `out` for each of `n` f64 at `values`. Equal numbers, also 0 and -0, have equal hashes; others differ. */
export function hashNumbers(values: usize, n: u32, seed: u64, out: usize): void {
  const end = values + (<usize>n << 3);
  for (let p = values; p < end; p += 8) {
    store<u64>(out, hashNumber(load<f64>(p), seed));
    out += 8;
  }
}

/**
 * The finaliser of SplitMix64 (Steele, Lea and Flood 2014), a bijection. The seed is used twice: otherwise known differences
 * between values would reach the first multiplication unchanged.
 */
// @ts-ignore: decorator
@inline export function hashNumber(x: f64, seed: u64): u64 {
  let h = reinterpret<u64>(x + 0.0) ^ seed;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9 + rotl<u64>(seed, 32);
  h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
  return h ^ (h >> 31);
}

/** Empties the set of `isFirst`, which holds MAX_ROWS hashes. */
export function forgetHashes(scratch: usize): void {
  memory.fill(scratch + LARGE, 0, LARGE_SLOTS * 8);
}

/** Adds the hash to the set. True when it was not in it. */
export function isFirst(hash: u64, scratch: usize): bool {
  return insert(hash ? hash : 1, scratch + LARGE, LARGE_SLOTS * 8 - 8);
}

/** Whether a hash would raise one of the REGISTERS at `registers`. Then the registers have not seen its value. */
// @ts-ignore: decorator
@inline export function raises(hash: u64, registers: usize): bool {
  return min<u32>(56, <u32>clz<u64>(hash << 9) + 1) > <u32>load<u8>(registers + <usize>(hash >> 55));
}

/** Adds `hash`, which is not 0. True when it was not in the table. `mask` is the size of the table in bytes minus one slot. */
@inline function insert(hash: u64, table: usize, mask: usize): bool {
  let slot = <usize>hash & mask;
  let held = load<u64>(table + slot);
  while (held != 0) {
    if (held == hash) return false;
    slot = (slot + 8) & mask;
    held = load<u64>(table + slot);
  }
  store<u64>(table + slot, hash);
  return true;
}

@inline function register(hash: u64, registers: usize): void {
  const at = registers + <usize>(hash >> 55);
  const rank = min<u32>(56, <u32>clz<u64>(hash << 9) + 1);
  store<u8>(at, max<u32>(load<u8>(at), rank));
}

/** A power of two of slots, at most 0.82 full. Clearing a larger table costs more than its shorter probes save. */
@inline function largeBytes(n: u32): usize {
  return max<usize>(<usize>1 << (32 - clz<u32>(n + (n >> 2))), SMALL_SLOTS * 2) << 3;
}
