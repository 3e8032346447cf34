/** Decimals that only exact arithmetic can decide: half way between two doubles, or next to that. */
import fc from 'fast-check';

const bits = new DataView(new ArrayBuffer(8));

/** The middle between a double and the next one above it is `integer` * 2^`power`. */
function middleAbove(pattern: bigint): { integer: bigint; power: number } {
  const biased = Number(pattern >> 52n);
  const fraction = pattern & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  return { integer: 2n * mantissa + 1n, power: Math.max(biased, 1) - 1076 };
}

/** All digits of `integer` * 2^`power`: up to 768, and many zeros for small ones. */
function decimalOf(integer: bigint, power: number): { digits: string; places: number } {
  if (power >= 0) return { digits: String(integer << BigInt(power)), places: 0 };
  return { digits: String(integer * 5n ** BigInt(-power)), places: -power };
}

const plain = (digits: string, places: number): string => {
  const padded = digits.padStart(places + 1, '0');
  return places === 0 ? padded : `${padded.slice(0, -places)}.${padded.slice(-places)}`;
};

const scientific = (digits: string, places: number): string =>
  `${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ''}e${digits.length - 1 - places}`;

/** A tail behind the last digit moves the number above the middle, unless it is all zeros. */
const tail = fc.constantFrom('', '', '0', '1', '0000000001', `${'0'.repeat(900)}1`, '0'.repeat(900));

function writeMiddle(pattern: bigint, step: bigint, rest: string, isPlain: boolean): string {
  const { integer, power } = middleAbove(pattern);
  const { digits, places } = decimalOf(integer, power);
  // A tail needs a point before it.
  const more = places === 0 ? '' : rest;
  const moved = String(BigInt(digits) + (digits.length > 19 ? step : 0n)) + more;
  const write = isPlain ? plain : scientific;
  return write(moved, places + more.length);
}

const hardOf = (pattern: fc.Arbitrary<bigint>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom('', '-'), pattern, fc.constantFrom(0n, 0n, 1n, -1n), tail, fc.boolean())
    .map(([sign, double, step, rest, isPlain]) => `${sign}${writeMiddle(double, step, rest, isPlain)}`);

const patternOf = (value: number): bigint => {
  bits.setFloat64(0, value);
  return bits.getBigUint64(0);
};

/** Of doubles near 1, as money and measurements are. */
export const hardNumber: fc.Arbitrary<string> = hardOf(
  fc.double({ min: 0.001, max: 1e6, noNaN: true }).map(patternOf),
);

const LARGEST = patternOf(Number.MAX_VALUE);

/** Of any double: subnormal ones, and the largest, above which the middle is Infinity's. */
export const hardestNumber: fc.Arbitrary<string> = hardOf(
  fc.oneof(
    fc.bigInt({ min: 0n, max: LARGEST }),
    fc.bigInt({ min: 0n, max: 1n << 53n }),
    fc.constantFrom(0n, 1n, (1n << 52n) - 1n, 1n << 52n, LARGEST - 1n, LARGEST),
  ),
);
