/** How unusual a distance is: Student's t and the normal distribution on a logarithmic scale, closed forms all. */

/**
 * The normal deviate as unlikely as `t` with `freedom` degrees of freedom (Wallace 1959): true to a few percent of
 * itself from 3 degrees on.
 */
export const normalOf = (t: number, freedom: number): number =>
  (Math.sqrt(freedom * Math.log1p((t * t) / freedom)) * (8 * freedom + 1)) / (8 * freedom + 3);

/**
 * −log10 of the two-sided tail of a normal deviate z ≥ 0: 0 at 0, 1.3 at 1.96, 4.2 at 4, never falling. A straight line below 1, where nothing is
 * decided; above it Laplace's continued fraction of the Mills ratio, within 0.02.
 */
export function surprise(z: number): number {
  if (z < 1) return -Math.log10(1 - z * 0.6827);
  const mills = 1 / (z + 1 / (z + 2 / (z + 3 / (z + 4 / (z + 5)))));
  return ((z * z) / 2 - Math.log(2 * mills) + 0.9189385332046727) / Math.LN10;
}

/** The inverse of `surprise`, by bisection. */
export function deviateOf(wanted: number): number {
  let [low, high] = [0, 60];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (surprise(middle) < wanted) low = middle;
    else high = middle;
  }
  return high;
}

/** The largest magnitude of so many normal deviates, about: the mode of the limiting Gumbel distribution (Cramér 1946, 28.6). */
export function expectedLargest(count: number): number {
  const root = Math.sqrt(2 * Math.log(2 * count));
  return Math.max(1, root - (Math.log(Math.log(2 * count)) + Math.log(4 * Math.PI)) / (2 * root));
}

/**
 * The normal deviate as unlikely as a ratio F of two mean squares with so many degrees of freedom (Paulson 1942), the cube roots of which are
 * nearly normal (Wilson and Hilferty 1931).
 */
export function normalOfRatio(ratio: number, above: number, below: number): number {
  const root = Math.cbrt(ratio);
  const [a, b] = [2 / (9 * above), 2 / (9 * below)];
  return ((1 - b) * root - (1 - a)) / Math.sqrt(b * root * root + a);
}

/** The root of the largest of so many mean squares with these degrees of freedom, about. */
export function largestOfMix(count: number, freedom: number): number {
  const part = 2 / (9 * freedom);
  return (1 - part + expectedLargest(Math.max(1, count / 2)) * Math.sqrt(part)) ** 1.5;
}
