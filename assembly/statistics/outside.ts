/** Numbers outside a pair of fences: how many, and the smallest and the largest of them. */

export let outsideCount: u32 = 0;
/** NaN when there are none. */
export let outsideMin: f64 = NaN;
export let outsideMax: f64 = NaN;

/**
 * Counts the numbers below `low` or above `high` among `n` finite f64 at `values`. The results are the globals above. The cost does
 * not depend on the result, so do not call it when the extremes are known to be inside.
 */
export function outside(values: usize, n: u32, low: f64, high: f64): void {
  const end = values + (<usize>n << 3);
  const lowest = f64x2.splat(low), highest = f64x2.splat(high);
  const none = f64x2.splat(Infinity), nothing = f64x2.splat(-Infinity);
  let count = i64x2.splat(0), countB = count, least = none, leastB = none, most = nothing, mostB = nothing;
  let p = values;
  for (; p + 32 <= end; p += 32) {
    const x = v128.load(p), y = v128.load(p, 16);
    const out = beyond(x, lowest, highest), outB = beyond(y, lowest, highest);
    count = i64x2.sub(count, out);
    countB = i64x2.sub(countB, outB);
    least = f64x2.pmin(least, v128.bitselect(x, none, out));
    leastB = f64x2.pmin(leastB, v128.bitselect(y, none, outB));
    most = f64x2.pmax(most, v128.bitselect(x, nothing, out));
    mostB = f64x2.pmax(mostB, v128.bitselect(y, nothing, outB));
  }
  for (; p < end; p += 8) {
    const x = v128.load64_splat(p);
    const out = i64x2.replace_lane(beyond(x, lowest, highest), 1, 0);
    count = i64x2.sub(count, out);
    least = f64x2.pmin(least, v128.bitselect(x, none, out));
    most = f64x2.pmax(most, v128.bitselect(x, nothing, out));
  }
  keep(i64x2.add(count, countB), f64x2.pmin(least, leastB), f64x2.pmax(most, mostB));
}

/** All ones in the lanes outside. */
@inline function beyond(x: v128, lowest: v128, highest: v128): v128 {
  return v128.or(f64x2.lt(x, lowest), f64x2.gt(x, highest));
}

@inline function keep(count: v128, least: v128, most: v128): void {
  outsideCount = <u32>(i64x2.extract_lane(count, 0) + i64x2.extract_lane(count, 1));
  // Adding zero turns -0 into 0.
  outsideMin = outsideCount ? min<f64>(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1)) + 0.0 : NaN;
  outsideMax = outsideCount ? max<f64>(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1)) + 0.0 : NaN;
}
