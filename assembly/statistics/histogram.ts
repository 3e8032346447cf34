/** Counts the numbers of a column in equal intervals between the smallest and the largest. */
import { HISTOGRAM_BINS } from '../abi';

/** Four tables, so that adjacent equal values do not wait for each other's count. */
const TABLES: usize = 4;
const TABLE_BYTES: usize = <usize>HISTOGRAM_BINS * 4;
const COUNTS: usize = memory.data(HISTOGRAM_BINS * 4 * 4, 16);

/** Added to an integer below 2^32, it leaves the integer in the low bits: one instruction, where a conversion takes five. */
const TO_INTEGER: f64 = 4503599627370496.0;

/** Where `histogram` writes its HISTOGRAM_BINS u32. */
export function histogramAddress(): usize {
  return COUNTS;
}

/**
 * Counts `n` finite f64 at `values`, all in `low` .. `high`, by interval: x is in interval floor((x - low) / (high - low) * 20),
 * computed in doubles, and the largest is in the last. Equal values are all in the first.
 */
export function histogram(values: usize, n: u32, low: f64, high: f64): void {
  memory.fill(COUNTS, 0, TABLE_BYTES * TABLES);
  // Halved when the range is beyond a double. Only then: halves of the smallest doubles are rounded.
  const scale: f64 = high - low < Infinity ? 1 : 0.5;
  const range = high * scale - low * scale;
  if (!(range > 0)) store<u32>(COUNTS, n);
  else if (scale == 1) deal(values, n, low, range);
  else dealHalved(values, n, low, range);
  for (let bin: usize = COUNTS; bin < COUNTS + TABLE_BYTES; bin += 4) {
    const first = load<u32>(bin) + load<u32>(bin + TABLE_BYTES);
    store<u32>(bin, first + load<u32>(bin + 2 * TABLE_BYTES) + load<u32>(bin + 3 * TABLE_BYTES));
  }
}

function deal(values: usize, n: u32, low: f64, range: f64): void {
  const lows = f64x2.splat(low), ranges = f64x2.splat(range);
  const integers = f64x2.splat(TO_INTEGER);
  const bins = f64x2.splat(HISTOGRAM_BINS), last = f64x2.splat(HISTOGRAM_BINS - 1);
  const end = values + (<usize>n << 3);
  let p = values;
  for (; p + 32 <= end; p += 32) {
    const x = f64x2.div(f64x2.sub(v128.load(p), lows), ranges), y = f64x2.div(f64x2.sub(v128.load(p, 16), lows), ranges);
    const a = f64x2.add(f64x2.floor(f64x2.pmin(f64x2.mul(x, bins), last)), integers);
    const b = f64x2.add(f64x2.floor(f64x2.pmin(f64x2.mul(y, bins), last)), integers);
    count(COUNTS, i32x4.extract_lane(a, 0));
    count(COUNTS + TABLE_BYTES, i32x4.extract_lane(a, 2));
    count(COUNTS + 2 * TABLE_BYTES, i32x4.extract_lane(b, 0));
    count(COUNTS + 3 * TABLE_BYTES, i32x4.extract_lane(b, 2));
  }
  for (; p < end; p += 8) count(COUNTS, binOf((load<f64>(p) - low) / range));
}

function dealHalved(values: usize, n: u32, low: f64, range: f64): void {
  const end = values + (<usize>n << 3);
  for (let p = values; p < end; p += 8) count(COUNTS, binOf((load<f64>(p) * 0.5 - low * 0.5) / range));
}

@inline function binOf(share: f64): u32 {
  return <u32>min<f64>(share * HISTOGRAM_BINS, HISTOGRAM_BINS - 1);
}

@inline function count(table: usize, bin: u32): void {
  assert(bin < <u32>HISTOGRAM_BINS, 'a number is outside the histogram');
  const at = table + (<usize>bin << 2);
  store<u32>(at, load<u32>(at) + 1);
}
