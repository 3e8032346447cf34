/** Probabilities of the tails of the normal distribution, Student's t and F, on a logarithmic scale. Closed forms only. */

/**
 * The normal deviate that is as unlikely as `t` with so many degrees of freedom (Wallace 1959). Within a few percent from 3 degrees on.
 */
export const normalOfT = (t: number, degreesOfFreedom: number): number =>
  (Math.sqrt(degreesOfFreedom * Math.log1p((t * t) / degreesOfFreedom)) * (8 * degreesOfFreedom + 1)) /
  (8 * degreesOfFreedom + 3);

/**
 * −log10 of the two-sided tail of a normal deviate z ≥ 0: 0 at 0, 1.3 at 1.96, 4.2 at 4; it never falls. Below 1, where nothing is decided, a
 * straight line. Above 1 Laplace's continued fraction of the Mills ratio, within 0.02.
 */
export function surprise(z: number): number {
  if (z < 1) return -Math.log10(1 - z * 0.6827);
  const mills = 1 / (z + 1 / (z + 2 / (z + 3 / (z + 4 / (z + 5)))));
  return ((z * z) / 2 - Math.log(2 * mills) + 0.9189385332046727) / Math.LN10;
}

/** The inverse of `surprise`, by bisection. */
export function deviateOfSurprise(wanted: number): number {
  let [low, high] = [0, 60];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (surprise(middle) < wanted) low = middle;
    else high = middle;
  }
  return high;
}

/** About the largest magnitude of so many normal deviates: the mode of the limiting Gumbel distribution (Cramér 1946, 28.6). */
export function expectedMaximum(count: number): number {
  const root = Math.sqrt(2 * Math.log(2 * count));
  return Math.max(1, root - (Math.log(Math.log(2 * count)) + Math.log(4 * Math.PI)) / (2 * root));
}

/**
 * The normal deviate that is as unlikely as a ratio F of two mean squares with so many degrees of freedom (Paulson 1942): their cube roots are
 * nearly normal (Wilson and Hilferty 1931).
 */
export function normalOfF(ratio: number, numerator: number, denominator: number): number {
  const root = Math.cbrt(ratio);
  const [a, b] = [2 / (9 * numerator), 2 / (9 * denominator)];
  return ((1 - b) * root - (1 - a)) / Math.sqrt(b * root * root + a);
}

/** About the root of the largest of so many mean squares with these degrees of freedom. */
export function expectedMaximumRoot(count: number, degreesOfFreedom: number): number {
  const part = 2 / (9 * degreesOfFreedom);
  return (1 - part + expectedMaximum(Math.max(1, count / 2)) * Math.sqrt(part)) ** 1.5;
}
