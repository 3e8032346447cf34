/**
 * What a part of a batch keeps of the numbers of a column: a histogram over the bits of doubles, frequent numbers apart, as `src/states/ranks.ts` describes it.
 *
 * Numbers are sorted by their buckets only, from the lowest digit on. Within a bucket they are in no order, and only one that may hold a frequent number is looked at.
 */
import { Column, MAX_ROWS } from './abi';
import { ATOM_ONE_IN, MAX_ATOMS } from './abi-parts';
import { DISTINCT_SCRATCH, get, NUMBERS, recordOf, SELECT_SCRATCH, TEXT_HASHES } from './arena';
import { gatherAll, gatherNumbers } from './gather';
import { maximum, minimum } from './statistics/moments';
import { integerDistinct } from './statistics/select';

/** Numbers as whole ones that sort alike, a u64 each; sorted from one to the other. */
const FROM: usize = NUMBERS, TO: usize = TEXT_HASHES;
/** A u32 for each value of a digit. */
const DIGIT_COUNTS: usize = SELECT_SCRATCH;
/** Most columns need no more than one digit of a known level. Few numbers are sorted faster by small digits. */
const MOST_DIGIT_BITS: u32 = 13, FEWER_DIGIT_BITS: u32 = 8;
/** Up to this many numbers insertion sort is faster. */
const FEW: u32 = 32;

/** An f64 for each bucket, and for each frequent number. */
const STRIDE: usize = <usize>MAX_ROWS * 8;
const KEYS: usize = DISTINCT_SCRATCH, COUNTS: usize = KEYS + STRIDE, LEAST: usize = COUNTS + STRIDE, GREATEST: usize = LEAST + STRIDE;
const ATOMS: usize = GREATEST + STRIDE, ATOM_COUNTS: usize = ATOMS + <usize>MAX_ATOMS * 8;

/** Frequent numbers, after `listRanks`. */
export let atoms: u32 = 0;

let buckets: u32 = 0, lowest: u32 = 0;
/** A number is an atom that occurs so often; whether one may, as fewer numbers differ than there are. */
let frequent: f64 = 0, mayRepeat: bool = false;

export function bucketsAddress(): usize { return KEYS; }
export function atomsAddress(): usize { return ATOMS; }

/** Lists the buckets of the finite numbers of a column, ascending, and returns how many there are. `level`: bits that a bucket leaves out. After `measure`, which has counted small integers. */
export function listRanks(column: u32, level: u32): u32 {
  atoms = 0;
  buckets = 0;
  lowest = level;
  const n = <u32>get(recordOf(column), Column.FINITE);
  if (n == 0) return 0;
  frequent = max<f64>(2, <f64>n / <f64>ATOM_ONE_IN);
  if (integerDistinct != 0) {
    putIntegers();
    return buckets;
  }
  gatherAll(column);
  gatherNumbers();
  mayRepeat = <f64>n - get(recordOf(column), Column.DISTINCT) + 1 >= frequent;
  const sorted = sortByBits(FROM, TO, n, level, differingBits(n), MOST_DIGIT_BITS);
  putRuns(sorted, sorted == FROM ? TO : FROM, n);
  return buckets;
}

/** Counted ones, in their order. */
function putIntegers(): void {
  const range = <u32>(maximum - minimum);
  for (let i: u32 = 0; i <= range; i++) {
    const count = load<u32>(SELECT_SCRATCH + (<usize>i << 2)), whole = wholeOf(minimum + <f64>i);
    if (count == 0) continue;
    if (<f64>count >= frequent) putAtom(whole, count);
    else if (buckets != 0 && lastKey == keyOf(whole)) addToBucket(whole, count);
    else putBucket(keyOf(whole), count, whole, whole);
  }
}

/** Of the last bucket. */
let lastKey: u64 = 0;

function addToBucket(greatest: u64, count: u32): void {
  const at = <usize>(buckets - 1) << 3;
  store<f64>(COUNTS + at, load<f64>(COUNTS + at) + <f64>count);
  store<f64>(GREATEST + at, numberOf(greatest));
}

/** Makes numbers whole ones that sort alike. Returns the bits in which some differ. */
function differingBits(n: u32): u64 {
  const first = wholeOf(load<f64>(FROM));
  let differing: u64 = 0;
  for (let at = FROM, end = FROM + (<usize>n << 3); at < end; at += 8) {
    const whole = wholeOf(load<f64>(at));
    differing |= whole ^ first;
    store<u64>(at, whole);
  }
  return differing;
}

/** A negative zero counts as zero. */
// @ts-ignore: decorator
@inline function wholeOf(x: f64): u64 {
  const bits = reinterpret<u64>(x + 0.0);
  return bits ^ (<u64>(<i64>bits >> 63) | 0x8000000000000000);
}

// @ts-ignore: decorator
@inline function numberOf(whole: u64): f64 {
  return reinterpret<f64>(whole ^ (<u64>(<i64>~whole >> 63) | 0x8000000000000000));
}

/** All in one bucket at level 64. */
// @ts-ignore: decorator
@inline function keyOf(whole: u64): u64 { return lowest == 64 ? 0 : whole >> <u64>lowest; }

/** Sorts `n` u64 at `from` by their bits from `low` on, using as many at `to`, and returns where they are. `differing`: the bits in which some differ. */
function sortByBits(from: usize, to: usize, n: u32, low: u32, differing: u64, digitBits: u32): usize {
  const high = <u32>(64 - clz(differing));
  for (let shift = low; shift < high; shift += digitBits) {
    if ((differing >> <u64>shift & ((1 << digitBits) - 1)) == 0) continue;
    sortByDigit(from, to, n, shift, min(digitBits, high - shift));
    const sorted = to;
    to = from;
    from = sorted;
  }
  return from;
}

function sortByDigit(from: usize, to: usize, n: u32, shift: u32, bits: u32): void {
  const mask: u64 = (1 << bits) - 1, end = from + (<usize>n << 3);
  memory.fill(DIGIT_COUNTS, 0, <usize>4 << bits);
  for (let at = from; at < end; at += 8) {
    const counter = DIGIT_COUNTS + (<usize>(load<u64>(at) >> <u64>shift & mask) << 2);
    store<u32>(counter, load<u32>(counter) + 8);
  }
  let next = <u32>to;
  for (let counter = DIGIT_COUNTS; counter < DIGIT_COUNTS + (<usize>4 << bits); counter += 4) {
    const bytes = load<u32>(counter);
    store<u32>(counter, next);
    next += bytes;
  }
  for (let at = from; at < end; at += 8) {
    const whole = load<u64>(at), counter = DIGIT_COUNTS + (<usize>(whole >> <u64>shift & mask) << 2), place = load<u32>(counter);
    store<u64>(<usize>place, whole);
    store<u32>(counter, place + 8);
  }
}

/** Bucket by bucket. `free`: room for as many numbers. */
function putRuns(sorted: usize, free: usize, n: u32): void {
  const stop = sorted + (<usize>n << 3);
  for (let from = sorted, end = from; from < stop; from = end) {
    const key = keyOf(load<u64>(from));
    let least: u64 = u64.MAX_VALUE, greatest: u64 = 0;
    for (; end < stop; end += 8) {
      const whole = load<u64>(end);
      if (keyOf(whole) != key) break;
      least = min(least, whole);
      greatest = max(greatest, whole);
    }
    const count = <u32>((end - from) >> 3);
    if (<f64>count < frequent || (!mayRepeat && least != greatest)) putBucket(key, count, least, greatest);
    else if (least == greatest) putAtom(least, count);
    else putMixed(key, inOrder(from, free + (from - sorted), count), count);
  }
}

/** Sorts the numbers of a bucket. */
function inOrder(from: usize, free: usize, n: u32): usize {
  const end = from + (<usize>n << 3), first = load<u64>(from);
  if (n > FEW) {
    let differing: u64 = 0;
    for (let at = from; at < end; at += 8) differing |= load<u64>(at) ^ first;
    return sortByBits(from, free, n, <u32>ctz(differing), differing, FEWER_DIGIT_BITS);
  }
  for (let at = from + 8; at < end; at += 8) {
    const whole = load<u64>(at);
    let to = at;
    for (; to > from && load<u64>(to - 8) > whole; to -= 8) store<u64>(to, load<u64>(to - 8));
    store<u64>(to, whole);
  }
  return from;
}

/** Of a bucket in which some numbers may be frequent: these apart. */
function putMixed(key: u64, sorted: usize, n: u32): void {
  let left: u32 = 0, least: u64 = 0, greatest: u64 = 0;
  const stop = sorted + (<usize>n << 3);
  for (let from = sorted, end = from; from < stop; from = end) {
    const whole = load<u64>(from);
    while (end < stop && load<u64>(end) == whole) end += 8;
    const count = <u32>((end - from) >> 3);
    if (<f64>count >= frequent) putAtom(whole, count);
    else {
      if (left == 0) least = whole;
      greatest = whole;
      left += count;
    }
  }
  if (left != 0) putBucket(key, left, least, greatest);
}

function putBucket(key: u64, count: u32, least: u64, greatest: u64): void {
  const at = <usize>buckets << 3;
  lastKey = key;
  store<f64>(KEYS + at, <f64>key);
  store<f64>(COUNTS + at, <f64>count);
  store<f64>(LEAST + at, numberOf(least));
  store<f64>(GREATEST + at, numberOf(greatest));
  buckets++;
}

function putAtom(whole: u64, count: u32): void {
  const at = <usize>atoms << 3;
  store<f64>(ATOMS + at, numberOf(whole));
  store<f64>(ATOM_COUNTS + at, <f64>count);
  atoms++;
}
