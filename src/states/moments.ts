/**
 * Count, mean and sum of squared deviations of numbers that were measured in parts. Sums are exact, as integers of any length, so parts
 * may be added in any order and grouping: the result has the same bits.
 */
export interface Moments {
  count: number;
  /** Σ n·mean of the parts, in units of 2^-1074, the smallest double. */
  sum: bigint;
  /** Σ n·mean², in units of 2^-2148. */
  squares: bigint;
  /** Σ of the squared deviations within each part, in units of 2^-1074; null if one is beyond the range of a double. */
  deviations: bigint | null;
}

export const NO_MOMENTS: Moments = { count: 0, sum: 0n, squares: 0n, deviations: 0n };

/** Bits behind the point of the smallest double. */
const UNIT_BITS = 1074n;

/** Of one part. `mean` is finite; `m2`: the sum of squared deviations from it. */
export function momentsOf(count: number, mean: number, m2: number): Moments {
  const n = BigInt(count);
  const unit = inUnits(mean);
  return {
    count,
    sum: n * unit,
    squares: n * unit * unit,
    deviations: Number.isFinite(m2) ? inUnits(m2) : null,
  };
}

export const mergeMoments = (a: Moments, b: Moments): Moments => ({
  count: a.count + b.count,
  sum: a.sum + b.sum,
  squares: a.squares + b.squares,
  deviations: a.deviations === null || b.deviations === null ? null : a.deviations + b.deviations,
});

/** Mean and sum of squared deviations of all parts; each is rounded at the end. NaN without numbers; `m2` is infinite beyond the range of a double. */
export function readMoments({ count, sum, squares, deviations }: Moments): { mean: number; m2: number } {
  if (count === 0) return { mean: Number.NaN, m2: Number.NaN };
  const n = BigInt(count);
  const mean = quotient(sum, n << UNIT_BITS);
  if (deviations === null) return { mean, m2: Number.POSITIVE_INFINITY };
  // Between the parts: Σ n·mean² − (Σ n·mean)² / n.
  const between = n * squares - sum * sum;
  return { mean, m2: quotient(((n * deviations) << UNIT_BITS) + between, n << (2n * UNIT_BITS)) };
}

const words = new DataView(new ArrayBuffer(8));

/** A finite double as a whole number of units. */
function inUnits(x: number): bigint {
  words.setFloat64(0, x);
  const bits = words.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xfffffffffffffn;
  const size = exponent === 0n ? fraction : (fraction | 0x10000000000000n) << (exponent - 1n);
  return x < 0 ? -size : size;
}

/** Of the largest double. */
export const MOST_UNITS = inUnits(Number.MAX_VALUE);

/** Bits of a quotient before it is rounded: more than a double has, so the rest decides ties. */
const QUOTIENT_BITS = 64;

/** The double that is nearest to numerator / denominator, which is positive. */
function quotient(numerator: bigint, denominator: bigint): number {
  if (numerator < 0n) return -quotient(-numerator, denominator);
  if (numerator === 0n) return 0;
  const shift = QUOTIENT_BITS - bitsOf(numerator) + bitsOf(denominator);
  const [over, under] =
    shift >= 0 ? [numerator << BigInt(shift), denominator] : [numerator, denominator << BigInt(-shift)];
  const whole = over / under;
  const isExact = whole * under === over;
  return scaled(Number(isExact ? whole : whole | 1n), -shift);
}

const bitsOf = (n: bigint): number => n.toString(16).length * 4;

/** x · 2^power, in steps that neither overflow nor vanish before the last one. */
function scaled(x: number, power: number): number {
  let [result, left] = [x, power];
  while (left < -1000) {
    result *= 2 ** -1000;
    left += 1000;
  }
  while (left > 1000) {
    result *= 2 ** 1000;
    left -= 1000;
  }
  return result * 2 ** left;
}
