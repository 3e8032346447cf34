/** Sums of doubles without rounding: every finite double is an integer times 2^-1074. */

const bits = new DataView(new ArrayBuffer(8));

function scaled(x: number): bigint {
  bits.setFloat64(0, Math.abs(x));
  const pattern = bits.getBigUint64(0);
  const exponent = pattern >> 52n;
  const fraction = pattern & 0xfffffffffffffn;
  const magnitude = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return x < 0 ? -magnitude : magnitude;
}

/** `numerator / denominator * 2^-power`, exact to one unit in the last place; Infinity beyond the doubles. */
function toNumber(numerator: bigint, denominator: bigint, power: number): number {
  const sign = numerator < 0n ? -1 : 1;
  const magnitude = numerator < 0n ? -numerator : numerator;
  const extra = Math.max(0, 64 + denominator.toString(2).length - magnitude.toString(2).length);
  const quotient = (magnitude << BigInt(extra)) / denominator;
  const drop = Math.max(0, quotient.toString(2).length - 64);
  const exponent = drop - extra - power;
  const half = Math.trunc(exponent / 2);
  return sign * Number(quotient >> BigInt(drop)) * 2 ** half * 2 ** (exponent - half);
}

export function exactMean(values: Float64Array): number {
  let sum = 0n;
  for (const x of values) sum += scaled(x);
  return toNumber(sum, BigInt(values.length), 1074);
}

/** Sum of squared deviations from the mean. */
export function exactM2(values: Float64Array): number {
  const n = BigInt(values.length);
  let sum = 0n;
  let squares = 0n;
  for (const x of values) {
    const integer = scaled(x);
    sum += integer;
    squares += integer * integer;
  }
  return toNumber(n * squares - sum * sum, n, 2148);
}
