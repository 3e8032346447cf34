/** Numbers outside a pair of fences: how many, and the smallest and the largest of them. */

export let outsideCount: u32 = 0;
/** NaN when there are none. */
export let outsideMin: f64 = NaN;
export let outsideMax: f64 = NaN;

/** Counts those of `n` f64 at `values` that are below `low` or above `high`; the results are the globals above. */
export function outside(values: usize, n: u32, low: f64, high: f64): void {
  const lowest = f64x2.splat(low),
    highest = f64x2.splat(high),
    above = f64x2.splat(Infinity),
    below = f64x2.splat(-Infinity);
  const end = values + ((<usize>n) << 3);
  let count = i64x2.splat(0),
    least = above,
    most = below;
  for (let p = values; p < end; p += 16) {
    const x = v128.load(p);
    let out = v128.or(f64x2.lt(x, lowest), f64x2.gt(x, highest));
    // An odd n: the second lane lies behind the last value.
    if (p + 8 == end) out = i64x2.replace_lane(out, 1, 0);
    count = i64x2.sub(count, out);
    least = f64x2.pmin(least, v128.bitselect(x, above, out));
    most = f64x2.pmax(most, v128.bitselect(x, below, out));
  }
  outsideCount = <u32>(i64x2.extract_lane(count, 0) + i64x2.extract_lane(count, 1));
  outsideMin = outsideCount ? min<f64>(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1)) : NaN;
  outsideMax = outsideCount ? max<f64>(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1)) : NaN;
}
