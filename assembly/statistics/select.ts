/**
 * Exact order statistics of a column, QUANTILES of them at once, without sorting the column.
 *
 * Integers of a small range are counted. All other numbers are dealt into ordered buckets. Only buckets that hold a wanted rank are
 * examined: a small bucket is sorted, a large one is dealt again.
 *
 *     values    5 1 9 2 7 1 0 3 ...
 *     dealt     [1 1 0 2] [3] [5] [7] ... [9]
 *     wanted             ^                      rank 3: sort the first bucket, leave the others
 *
 * Deals 1 to 3 place a value by its distance from a sample's median, measured in half interquartile ranges, linear near the median and
 * logarithmic away from it, so that outliers and long tails do not push the rest into one bucket. When half of the sample is
 * one value, the deal is three-way around it. Data made to defeat the sample reaches deal 4. From there each deal uses 8 bits
 * of the values' ordered bit patterns, so that no value is ever dealt more than eleven times.
 */
import { MAX_ROWS, QUANTILES } from '../abi';

const STEPS: u32 = QUANTILES - 1;
/** Ranks wanted: two neighbours for each inner quantile. */
const WANTED: u32 = 2 * (QUANTILES - 2);
const INTEGER_RANGE: u32 = 4096;
const MAX_BUCKETS: u32 = 2048;
const RADIX_BITS: u32 = 8;
/** Up to this many values insertion sort is fastest. */
const FEW: u32 = 40;
const SMALL_COLUMN: u32 = 64;
const SAMPLE: u32 = 32;
const SAMPLED_DEALS: u32 = 3;

// Scratch: counters (two tables of integers, or one of buckets); the bucket of each value; for each wanted rank the rank, the value and the
// bounds of its bucket; the sample; two buffers that deals use in turn. Each has room for a vector past its end.
const SECOND_COUNTS: usize = INTEGER_RANGE * 4;
const PLACES: usize = SECOND_COUNTS * 2;
const RANKS: usize = PLACES + MAX_ROWS * 2 + 64;
const LOWS: usize = RANKS + WANTED * 4;
const HIGHS: usize = LOWS + WANTED * 4;
const PICKED: usize = HIGHS + WANTED * 4;
const SAMPLED: usize = PICKED + WANTED * 8;
const FIRST: usize = (SAMPLED + SAMPLE * 8 + 63) & ~63;
const SECOND: usize = FIRST + MAX_ROWS * 8 + 64;
export const SELECT_SCRATCH_BYTES: usize = SECOND + MAX_ROWS * 8 + 64;

/** Added to a double in 0 .. 2^32, it leaves the nearest integer in the low bits: one instruction, where a conversion takes five. */
const TO_INTEGER: f64 = 4503599627370496.0;

/**
 * Distinct values of a column that was counted (integers of a small range, or equal values). Then the scratch begins with the counts:
 * a u32 for each of min, min + 1 .. max. 0 for any other column.
 */
export let integerDistinct: u32 = 0;

let base: usize = 0;

/**
 * Writes QUANTILES f64 at `out`: the quantiles i / 32, type 7 (Hyndman and Fan 1996), of `n` finite f64 at `values`. `min` and `max` are
 * the smallest and the largest value. The result is never NaN or -0. Does not change `values`. n is 1 .. MAX_ROWS.
 */
export function quantiles(values: usize, n: u32, min: f64, max: f64, scratch: usize, out: usize): void {
  assert(n >= 1 && n <= <u32>MAX_ROWS && min <= max, 'no numbers, or too many');
  base = scratch;
  integerDistinct = 0;
  want(n);
  if (min == max) pickConstant(n, min);
  else if (n < SMALL_COLUMN) pickSorted(values, n);
  else if (!pickCounted(values, n, min, max)) select(values, scratch + FIRST, 0, n, 0, WANTED, 1);
  store<f64>(out, min + 0.0);
  for (let i: u32 = 1; i < STEPS; i++) {
    const low = load<f64>(picked(2 * i - 2)), high = load<f64>(picked(2 * i - 1));
    store<f64>(out + (<usize>i << 3), between(low, high, <f64>((n - 1) * i % STEPS) / <f64>STEPS));
  }
  store<f64>(out + (<usize>STEPS << 3), max + 0.0);
}

/** `high - low` overflows when they are further apart than the largest double. */
@inline function between(low: f64, high: f64, share: f64): f64 {
  const gap = high - low;
  return isFinite(gap) ? low + share * gap : low * (1 - share) + high * share;
}

@inline function rank(i: u32): u32 {
  return load<u32>(base + RANKS + (<usize>i << 2));
}

@inline function picked(i: u32): usize {
  return base + PICKED + (<usize>i << 3);
}

function want(n: u32): void {
  for (let i: u32 = 1; i < STEPS; i++) {
    const low = (n - 1) * i / STEPS;
    const at = base + RANKS + (<usize>(i - 1) << 3);
    store<u32>(at, low);
    store<u32>(at, min<u32>(low + 1, n - 1), 4);
  }
}

function pickConstant(n: u32, value: f64): void {
  pickSame(0, WANTED, value);
  store<u32>(base, n);
  integerDistinct = 1;
}

function pickSame(first: u32, last: u32, value: f64): void {
  for (let i = first; i < last; i++) store<f64>(picked(i), value);
}

function pickSorted(values: usize, n: u32): void {
  const sorted = base + FIRST;
  memory.copy(sorted, values, <usize>n << 3);
  sort(sorted, n);
  pickFrom(sorted, 0, WANTED);
}

@inline function pickFrom(sorted: usize, first: u32, last: u32): void {
  for (let i = first; i < last; i++) store<f64>(picked(i), load<f64>(sorted + (<usize>rank(i) << 3)));
}

/** Insertion sort. */
function sort(values: usize, n: u32): void {
  const end = values + (<usize>n << 3);
  for (let p = values + 8; p < end; p += 8) {
    const x = load<f64>(p);
    let q = p;
    while (q > values && load<f64>(q - 8) > x) {
      store<f64>(q, load<f64>(q - 8));
      q -= 8;
    }
    store<f64>(q, x);
  }
}

// ---- integers of a small range ----

/** False, and picks nothing, when the values are not integers of a small range. */
function pickCounted(values: usize, n: u32, min: f64, max: f64): bool {
  if (!(max - min < <f64>INTEGER_RANGE) || floor<f64>(min) != min) return false;
  const range = <u32>(max - min) + 1;
  // With few rows, reading the counters would cost more than selecting.
  if (range > n << 2) return false;
  memory.fill(base, 0, <usize>range << 2);
  memory.fill(base + SECOND_COUNTS, 0, <usize>range << 2);
  if (!countIntegers(values, n, min)) return false;
  pickByCounts(range, min);
  return true;
}

/** Counts in two tables in turn, because a run of equal values would wait for its counter. False at the first fraction. */
function countIntegers(values: usize, n: u32, min: f64): bool {
  const first = base, second = base + SECOND_COUNTS;
  const lowest = f64x2.splat(min), toInteger = f64x2.splat(TO_INTEGER);
  const end = values + (<usize>n << 3), even = values + (<usize>(n & ~1) << 3);
  let p = values;
  while (p < even) {
    const stop = min32(even, p + 512);
    let fraction = i64x2.splat(0);
    for (; p < stop; p += 16) {
      const x = v128.load(p);
      fraction = v128.or(fraction, f64x2.ne(x, f64x2.nearest(x)));
      const counter = i32x4.shl(f64x2.add(f64x2.sub(x, lowest), toInteger), 2);
      increment(first + <usize>i32x4.extract_lane(counter, 0));
      increment(second + <usize>i32x4.extract_lane(counter, 2));
    }
    if (v128.any_true(fraction)) return false;
  }
  if (p == end) return true;
  const x = load<f64>(p);
  if (nearest<f64>(x) != x) return false;
  increment(first + (<usize>(x - min) << 2));
  return true;
}

@inline function min32(a: usize, b: usize): usize {
  return a < b ? a : b;
}

@inline function increment(counter: usize): void {
  store<u32>(counter, load<u32>(counter) + 1);
}

function pickByCounts(range: u32, min: f64): void {
  let below: u32 = 0, i: u32 = 0, distinct: u32 = 0;
  for (let x: u32 = 0; x < range; x++) {
    const counter = base + (<usize>x << 2);
    const count = load<u32>(counter) + load<u32>(counter, SECOND_COUNTS);
    if (!count) continue;
    store<u32>(counter, count);
    distinct++;
    below += count;
    while (i < WANTED && rank(i) < below) store<f64>(picked(i++), min + <f64>x);
  }
  integerDistinct = distinct;
}

// ---- selection ----

/**
 * Picks the wanted ranks first .. last - 1, which all lie in low .. high - 1. The values of these ranks are at the same places of
 * `from`, in any order. Overwrites these places of `to`.
 */
function select(from: usize, to: usize, low: u32, high: u32, first: u32, last: u32, deal: u32): void {
  assert(low < high && first < last && rank(first) >= low && rank(last - 1) < high, 'a wanted rank is not in its bucket');
  const n = high - low, values = from + (<usize>low << 3);
  if (n <= FEW) {
    sort(values, n);
    pickFrom(from, first, last);
    return;
  }
  let buckets = <u32>1 << RADIX_BITS;
  if (deal > SAMPLED_DEALS) {
    if (!placeByBits(values, n)) {
      pickSame(first, last, load<f64>(values));
      return;
    }
  } else {
    sample(values, n);
    const center = sampled(SAMPLE / 2), spread = 0.5 * sampled(SAMPLE * 3 / 4) - 0.5 * sampled(SAMPLE / 4);
    if (spread == 0) {
      splitAround(center, from, to, low, high, first, last, deal);
      return;
    }
    buckets = bucketsFor(n);
    placeByDistance(values, n, center, spread, buckets);
  }
  scatter(values, n, to + (<usize>low << 3), buckets);
  bound(to, low, first, last);
  selectWithin(to, first, last, deal);
}

/** Selects within each bucket that holds a wanted rank. */
function selectWithin(dealt: usize, first: u32, last: u32, deal: u32): void {
  const other = base + (dealt == base + FIRST ? SECOND : FIRST);
  let i = first;
  while (i < last) {
    const low = load<u32>(base + LOWS + (<usize>i << 2)), high = load<u32>(base + HIGHS + (<usize>i << 2));
    const next = ranksBelow(high, i, last);
    select(dealt, other, low, high, i, next, deal + 1);
    i = next;
  }
}

/** The first wanted rank, from `i` on, that is not below `place`. */
@inline function ranksBelow(place: u32, i: u32, last: u32): u32 {
  while (i < last && rank(i) < place) i++;
  return i;
}

@inline function sampled(i: u32): f64 {
  return load<f64>(base + SAMPLED + (<usize>i << 3));
}

/** Sorted values at equal strides. */
function sample(values: usize, n: u32): void {
  for (let i: u32 = 0; i < SAMPLE; i++) {
    store<f64>(base + SAMPLED + (<usize>i << 3), load<f64>(values + (<usize>(i * n / SAMPLE) << 3)));
  }
  sort(base + SAMPLED, SAMPLE);
}

/** A power of two, for about twelve values in a dense bucket. */
@inline function bucketsFor(n: u32): u32 {
  return min<u32>(MAX_BUCKETS, max<u32>(16, <u32>1 << (30 - clz<u32>(n))));
}

/**
 * Buckets by the bit pattern of |x - center| + spread. Its exponent grows with the logarithm of the distance and its fraction is linear in
 * between, so some of its bits are the distance of the bucket from the middle. Each side has four doublings of `spread`; values further
 * away are in its last bucket.
 *
 *     |x - center| / spread    0      1             3                           7     ...   15
 *     buckets of one side      | 1/4  |     1/4     |            1/4            |     1/4    |
 *
 * Infinity after an overflow is far away, too. Places are byte offsets of the counters.
 */
function placeByDistance(values: usize, n: u32, center: f64, spread: f64, buckets: u32): void {
  const half = <i32>(buckets >> 1), shift = 52 - <i32>(ctz<u32>(buckets) - 3);
  const middle = f64x2.splat(center), unit = f64x2.splat(spread), zero = f64x2.splat(0);
  const farthest = i32x4.splat(half - 1), offset = i32x4.splat(half);
  memory.fill(base, 0, <usize>buckets << 2);
  const end = values + (<usize>n << 3);
  let place = base + PLACES;
  for (let p = values; p < end; p += 16) {
    const y = f64x2.sub(v128.load(p), middle);
    const far = i64x2.shr_u(i64x2.sub(f64x2.add(f64x2.abs(y), unit), unit), shift);
    const side = v128.xor(i32x4.min_s(far, farthest), f64x2.lt(y, zero));
    const counter = i32x4.shl(i32x4.add(side, offset), 2);
    const a = i32x4.extract_lane(counter, 0), b = i32x4.extract_lane(counter, 2);
    store<u32>(place, a | b << 16);
    place += 4;
    increment(base + <usize>a);
    // When n is odd, the second lane lies behind the last value.
    if (p + 8 != end) increment(base + <usize>b);
  }
}

/** Buckets by the next RADIX_BITS bits in which the values' ordered bit patterns differ. False when they are all the same. */
function placeByBits(values: usize, n: u32): bool {
  const end = values + (<usize>n << 3);
  let least = i64.MAX_VALUE, most = i64.MIN_VALUE;
  for (let p = values; p < end; p += 8) {
    const bits = ordered(load<i64>(p));
    least = min<i64>(least, bits);
    most = max<i64>(most, bits);
  }
  if (least == most) return false;
  const shift = <u64>max<i32>(0, 64 - <i32>RADIX_BITS - <i32>clz<u64>(<u64>(most - least)));
  memory.fill(base, 0, 4 << RADIX_BITS);
  let place = base + PLACES;
  for (let p = values; p < end; p += 8) {
    const counter = <usize>(<u64>(ordered(load<i64>(p)) - least) >> shift) << 2;
    store<u16>(place, <u16>counter);
    place += 2;
    increment(base + counter);
  }
  return true;
}

/** The bit patterns of negative numbers, read as integers, have the reverse order. */
@inline function ordered(bits: i64): i64 {
  return bits ^ ((bits >> 63) & i64.MAX_VALUE);
}

/** Copies the values to `to` in the order of their buckets. Each counter then holds the end address of its bucket. */
function scatter(values: usize, n: u32, to: usize, buckets: u32): void {
  let next = to;
  for (let counter = base; counter < base + (<usize>buckets << 2); counter += 4) {
    const count = <usize>load<u32>(counter);
    store<u32>(counter, <u32>next);
    next += count << 3;
  }
  const end = values + (<usize>n << 3);
  let place = base + PLACES;
  for (let p = values; p < end; p += 8) {
    const counter = base + <usize>load<u16>(place);
    const at = <usize>load<u32>(counter);
    store<u32>(counter, <u32>at + 8);
    store<f64>(at, load<f64>(p));
    place += 2;
  }
}

/** Writes the bounds of the bucket of each wanted rank. */
function bound(dealt: usize, low: u32, first: u32, last: u32): void {
  let counter = base, start = low, end = ended(counter, dealt);
  for (let i = first; i < last; i++) {
    while (end <= rank(i)) {
      counter += 4;
      start = end;
      end = ended(counter, dealt);
    }
    store<u32>(base + LOWS + (<usize>i << 2), start);
    store<u32>(base + HIGHS + (<usize>i << 2), end);
  }
}

@inline function ended(counter: usize, dealt: usize): u32 {
  return (load<u32>(counter) - <u32>dealt) >> 3;
}

/** A three-way deal around a frequent value. Values that equal it are done. */
function splitAround(
  center: f64, from: usize, to: usize, low: u32, high: u32, first: u32, last: u32, deal: u32,
): void {
  let less = to + (<usize>low << 3), greater = to + (<usize>high << 3);
  for (let p = from + (<usize>low << 3); p < from + (<usize>high << 3); p += 8) {
    const x = load<f64>(p);
    // Both writes go into the gap between the two sides. At most one of them is kept.
    store<f64>(less, x);
    store<f64>(greater - 8, x);
    less += <usize>(x < center) << 3;
    greater -= <usize>(x > center) << 3;
  }
  const equal = <u32>((less - to) >> 3), above = <u32>((greater - to) >> 3);
  const firstEqual = ranksBelow(equal, first, last), firstAbove = ranksBelow(above, firstEqual, last);
  const other = base + (to == base + FIRST ? SECOND : FIRST);
  pickSame(firstEqual, firstAbove, center);
  if (first < firstEqual) select(to, other, low, equal, first, firstEqual, deal + 1);
  if (firstAbove < last) select(to, other, above, high, firstAbove, last, deal + 1);
}
