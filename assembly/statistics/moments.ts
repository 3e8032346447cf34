/**
 * Minimum, maximum, mean and sum of squared deviations of the finite numbers of a column.
 *
 * In two passes. The second is corrected by the sum of the deviations (Chan, Golub and LeVeque 1983), so that a large offset
 * (timestamps, account numbers) costs no precision.
 */

export let minimum: f64 = 0;
export let maximum: f64 = 0;
/** Always finite and in `minimum` .. `maximum`. */
export let mean: f64 = 0;
/** Sum of squared deviations from `mean`, 0 or more; Infinity beyond the range of f64. */
export let m2: f64 = 0;

/** Sums of the numbers' bits and of the squares of their upper halves, modulo 2^64. They do not depend on the order; the hash of the content uses them. */
export let bitsSum: u64 = 0;
export let squaresSum: u64 = 0;

/** A power of two, so that scaling is exact. The sum of 10,000 scaled values is finite. */
const SCALE: f64 = 1.0 / 16384;

/** Measures `n` >= 1 finite f64 at `values`. The results are the globals above. */
export function moments(values: usize, n: u32): void {
  const end = values + (<usize>n << 3);
  const sum = sumAndExtremes(values, end);
  mean = within(isFinite(sum) ? sum / <f64>n : scaledSum(values, end) / <f64>n / SCALE);
  deviations(values, end, <f64>n);
}

function sumAndExtremes(values: usize, end: usize): f64 {
  let a = f64x2.splat(0), b = a;
  let low = f64x2.splat(Infinity), lowB = low, high = f64x2.splat(-Infinity), highB = high;
  let bits = i64x2.splat(0), squares = bits;
  let p = values;
  for (; p + 32 <= end; p += 32) {
    const x = v128.load(p), y = v128.load(p, 16);
    bits = i64x2.add(bits, i64x2.add(x, y));
    const upper = v128.shuffle<i32>(x, y, 1, 3, 5, 7);
    squares = i64x2.add(squares, i64x2.add(i64x2.extmul_low_i32x4_u(upper, upper), i64x2.extmul_high_i32x4_u(upper, upper)));
    a = f64x2.add(a, x);
    b = f64x2.add(b, y);
    low = f64x2.pmin(low, x);
    lowB = f64x2.pmin(lowB, y);
    high = f64x2.pmax(high, x);
    highB = f64x2.pmax(highB, y);
  }
  for (; p < end; p += 8) {
    const x = v128.load64_splat(p), upper = load<u32>(p, 4);
    bits = i64x2.add(bits, i64x2.replace_lane(x, 1, 0));
    squares = i64x2.add(squares, i64x2.replace_lane(i64x2.splat(<u64>upper * <u64>upper), 1, 0));
    a = f64x2.add(a, f64x2.replace_lane(x, 1, 0));
    low = f64x2.pmin(low, x);
    high = f64x2.pmax(high, x);
  }
  bitsSum = wholeLanes(bits);
  squaresSum = wholeLanes(squares);
  low = f64x2.pmin(low, lowB);
  high = f64x2.pmax(high, highB);
  // Adding zero turns -0 into 0.
  minimum = min<f64>(f64x2.extract_lane(low, 0), f64x2.extract_lane(low, 1)) + 0.0;
  maximum = max<f64>(f64x2.extract_lane(high, 0), f64x2.extract_lane(high, 1)) + 0.0;
  return lanes(f64x2.add(a, b));
}

function scaledSum(values: usize, end: usize): f64 {
  let sum: f64 = 0;
  for (let p = values; p < end; p += 8) sum += load<f64>(p) * SCALE;
  return sum;
}

function deviations(values: usize, end: usize, n: f64): void {
  const center = f64x2.splat(mean);
  let a = f64x2.splat(0), b = a, rest = a, restB = a;
  let p = values;
  for (; p + 32 <= end; p += 32) {
    const x = f64x2.sub(v128.load(p), center), y = f64x2.sub(v128.load(p, 16), center);
    a = f64x2.add(a, f64x2.mul(x, x));
    b = f64x2.add(b, f64x2.mul(y, y));
    rest = f64x2.add(rest, x);
    restB = f64x2.add(restB, y);
  }
  for (; p < end; p += 8) {
    const x = f64x2.replace_lane(f64x2.sub(v128.load64_splat(p), center), 1, 0);
    a = f64x2.add(a, f64x2.mul(x, x));
    rest = f64x2.add(rest, x);
  }
  m2 = lanes(f64x2.add(a, b));
  if (m2 == Infinity) return;
  const left = lanes(f64x2.add(rest, restB));
  m2 = max<f64>(0, m2 - left * left / n);
  mean = within(mean + left / n);
}

@inline function wholeLanes(pair: v128): u64 {
  return <u64>i64x2.extract_lane(pair, 0) + <u64>i64x2.extract_lane(pair, 1);
}

@inline function lanes(pair: v128): f64 {
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

/** Rounding can move the mean of equal values past them. */
@inline function within(x: f64): f64 {
  return max<f64>(minimum, min<f64>(maximum, x));
}
