/**
 * What a part of a batch keeps of the values of a column, by the upper 53 bits of their hashes: the distinct ones up to a bound, ascending, how often each of them
 * occurs, and how many values there are in each of SLOTS equal intervals.
 *
 * Each hash has its place in a table by its size, so that the table is nearly in order. The bound is that of the parts before: where a column has many distinct values,
 * most are above it.
 */
import { Column, ENUM_BYTES, Tag } from './abi';
import { SLOTS } from './abi-parts';
import { DISTINCT_SCRATCH, GATHER_HASHES, GATHER_TAGS, GATHER_VALUES, get, LISTED, LISTED_BYTES, NUMBERS, recordOf, SELECT_SCRATCH, TEXT_VALUES } from './arena';
import { isLarge } from './exact';
import { cellCount, gatherAll, hashes, tags, values } from './gather';
import { valueSeed } from './hash';
import { hashNumber } from './statistics/distinct';
import { maximum, minimum } from './statistics/moments';
import { integerDistinct } from './statistics/select';
import { hashOf, hashTag } from './value-hash';

/** Hashes up to the bound, a u64 each. */
const KEPT: usize = GATHER_HASHES;
/** Counts of the slots, a u32 each, and the same as f64. */
const SLOT_COUNTS: usize = GATHER_TAGS, SLOTS_OUT: usize = GATHER_VALUES;
/** Bits of a hash that do not choose its slot. */
const SLOT_SHIFT: u64 = 54;
/** What is listed: hashes and counts, an f64 each. */
const LISTED_HASHES: usize = NUMBERS, LISTED_COUNTS: usize = TEXT_VALUES;

/** Hashes and counts, of as many values as a slice has. Values that are pushed on from the last place find one behind it. */
const MOST_PLACES: u32 = 16384;
const MOST: u32 = 10048;
const TABLE: usize = DISTINCT_SCRATCH, TABLE_COUNTS: usize = TABLE + <usize>(MOST_PLACES + MOST) * 8;

/** Sum of the hashes of the values, modulo 2^64. */
export let hashSum: u64 = 0;

export function listedHashesAddress(): usize { return LISTED_HASHES; }
export function listedCountsAddress(): usize { return LISTED_COUNTS; }
export function slotsAddress(): usize { return SLOTS_OUT; }

/** Lists the values of a column with hashes up to `stop`, and returns how many there are. Counts all in slots. After `measure`, which has counted the values where few differ. */
export function listValues(column: u32, stop: f64): u32 {
  const record = recordOf(column), present = get(record, Column.VALUES);
  memory.fill(SLOT_COUNTS, 0, <usize>SLOTS << 2);
  hashSum = 0;
  if (get(record, Column.LISTED) != 0 && get(record, Column.TEXTS) == present) putTexts(column, <u32>get(record, Column.LISTED), stop);
  else if (get(record, Column.FALSES) + get(record, Column.TRUES) == present) putBooleans(record, stop);
  else if (get(record, Column.FINITE) == present && integerDistinct != 0 && !isLarge(minimum) && !isLarge(maximum)) putIntegers(stop);
  else putAll(hashValues(column, <u64>stop), <u32>get(record, Column.DISTINCT), stop);
  for (let i: usize = 0; i < <usize>SLOTS; i++) store<f64>(SLOTS_OUT + (i << 3), <f64>load<u32>(SLOT_COUNTS + (i << 2)));
  return writeInOrder();
}

function putTexts(column: u32, listed: u32, stop: f64): void {
  beginTable(listed, listed, stop);
  const end = LISTED + <usize>column * LISTED_BYTES + <usize>listed * ENUM_BYTES;
  for (let at = LISTED + <usize>column * LISTED_BYTES; at < end; at += ENUM_BYTES) putCounted(load<u64>(at), load<u32>(at, 16));
}

function putBooleans(record: usize, stop: f64): void {
  beginTable(2, 2, stop);
  putCounted(hashTag(Tag.FALSE), <u32>get(record, Column.FALSES));
  putCounted(hashTag(Tag.TRUE), <u32>get(record, Column.TRUES));
}

function putIntegers(stop: f64): void {
  const range = <u32>(maximum - minimum), seed = valueSeed();
  beginTable(integerDistinct, integerDistinct, stop);
  for (let i: u32 = 0; i <= range; i++) putCounted(hashNumber(minimum + <f64>i, seed), load<u32>(SELECT_SCRATCH + (<usize>i << 2)));
}

/** A value, and how often it occurs. */
function putCounted(hash: u64, count: u32): void {
  if (count == 0) return;
  hashSum += hash * <u64>count;
  const slot = SLOT_COUNTS + (<usize>(hash >> SLOT_SHIFT) << 2);
  store<u32>(slot, load<u32>(slot) + count);
  if (hash >> 11 <= last) put(hash >> 11, count);
}

/** Lists the upper 53 bits of `n` hashes at `from`. */
export function listHashes(from: usize, n: u32): u32 {
  for (let i: usize = 0; i < <usize>n; i++) store<u64>(KEPT + (i << 3), load<u64>(from + (i << 3)) >> 11);
  putAll(n, n, <f64>(<u64>1 << 53));
  return writeInOrder();
}

/** Lists `n` small numbers, a u16 each. */
export function listWords(from: usize, n: u32): u32 {
  for (let i: usize = 0; i < <usize>n; i++) store<u64>(KEPT + (i << 3), <u64>load<u16>(from + (i << 1)));
  putAll(n, n, 65535);
  return writeInOrder();
}

function hashValues(column: u32, stop: u64): u32 {
  gatherAll(column);
  const seed = valueSeed();
  let sum: u64 = 0, n: usize = 0;
  for (let cell: usize = 0; cell < <usize>cellCount; cell++) {
    const tag: i32 = load<u8>(tags + cell);
    if (tag == Tag.NULL) continue;
    const hash = hashOf(tag, values + (cell << 3), hashes + (cell << 3), seed), upper = hash >> 11;
    sum += hash;
    const slot = SLOT_COUNTS + (<usize>(hash >> SLOT_SHIFT) << 2);
    store<u32>(slot, load<u32>(slot) + 1);
    // Without a branch: the next one overwrites what is above the bound.
    store<u64>(KEPT + (n << 3), upper);
    n += <usize>(upper <= stop);
  }
  hashSum = sum;
  return <u32>n;
}

/** Hashes in the table; the largest one that it may have; how many places it has for a hash. */
let size: u32 = 0, last: u64 = 0, scale: f64 = 0;

/** Makes room for `n` hashes up to `stop`, of which about `distinct` are different. */
function beginTable(n: u32, distinct: u32, stop: f64): void {
  const places = min(<u32>MOST_PLACES, <u32>1 << (34 - clz(min(n, distinct))));
  memory.fill(TABLE_COUNTS, 0, <usize>(places + n) << 2);
  size = 0;
  last = <u64>stop;
  scale = <f64>places / (stop + 1);
}

// @ts-ignore: decorator
@inline function put(hash: u64, times: u32): void {
  let place = <usize>(<f64>hash * scale), count = load<u32>(TABLE_COUNTS + (place << 2));
  while (count != 0 && load<u64>(TABLE + (place << 3)) != hash) {
    place++;
    count = load<u32>(TABLE_COUNTS + (place << 2));
  }
  size += <u32>(count == 0);
  store<u64>(TABLE + (place << 3), hash);
  store<u32>(TABLE_COUNTS + (place << 2), count + times);
}

/** The `n` numbers at KEPT. */
function putAll(n: u32, distinct: u32, stop: f64): void {
  beginTable(n, distinct, stop);
  for (let at = KEPT, end = KEPT + (<usize>n << 3); at < end; at += 8) put(load<u64>(at), 1);
}

/** Writes what the table has, and returns how many hashes that are. */
function writeInOrder(): u32 {
  let listed: usize = 0;
  // Without a branch, which would often be mispredicted: the next one overwrites an empty place.
  for (let place: usize = 0; listed < <usize>size; place++) {
    const count = load<u32>(TABLE_COUNTS + (place << 2));
    store<f64>(LISTED_HASHES + (listed << 3), <f64>load<u64>(TABLE + (place << 3)));
    store<f64>(LISTED_COUNTS + (listed << 3), <f64>count);
    listed += <usize>(count != 0);
  }
  for (let at: usize = 8, end = <usize>size << 3; at < end; at += 8)
    if (load<f64>(LISTED_HASHES + at - 8) > load<f64>(LISTED_HASHES + at)) putInOrder(at);
  return size;
}

/** Only neighbours may be out of order. */
function putInOrder(at: usize): void {
  const hash = load<f64>(LISTED_HASHES + at), count = load<f64>(LISTED_COUNTS + at);
  let to = at;
  for (; to > 0 && load<f64>(LISTED_HASHES + to - 8) > hash; to -= 8) {
    store<f64>(LISTED_HASHES + to, load<f64>(LISTED_HASHES + to - 8));
    store<f64>(LISTED_COUNTS + to, load<f64>(LISTED_COUNTS + to - 8));
  }
  store<f64>(LISTED_HASHES + to, hash);
  store<f64>(LISTED_COUNTS + to, count);
}
