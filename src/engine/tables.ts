/** Constant tables that the host writes into each new engine. Some powers need more than 64 bits, which the engine cannot compute. */

/** Byte offsets from the start of the tables, as in `assembly/arena.ts`. */
const POWERS_F64 = 1024;
const POWERS_U64 = 1536;
const LOW_BYTES = 2048;
const HIGH_BYTES = 2176;
const POWERS_FIVE = 4096;

const LEAST_POWER = -342;
const MOST_POWER = 308;

/** Fills the tables at `address` of an instance's memory. */
export function writeTables(memory: ArrayBuffer, address: number): void {
  const f64 = new Float64Array(memory, address + POWERS_F64, 23);
  for (let i = 0; i < f64.length; i++) f64[i] = Number(`1e${i}`);
  const u64 = new BigUint64Array(memory, address + POWERS_U64, 20);
  for (let i = 0; i < u64.length; i++) u64[i] = 10n ** BigInt(i);
  const bytes = new Uint8Array(memory, address);
  bytes.fill(255, LOW_BYTES, LOW_BYTES + 16).fill(0, LOW_BYTES + 16, LOW_BYTES + 32);
  bytes.fill(0, HIGH_BYTES, HIGH_BYTES + 16).fill(255, HIGH_BYTES + 16, HIGH_BYTES + 32);
  new BigUint64Array(memory, address + POWERS_FIVE, powersOfFive.length).set(powersOfFive);
}

/**
 * 128 bits of 5^q for q in -342..308, high word first, the highest bit set (Lemire 2021, "Number parsing at a gigabyte per
 * second", section 5). Rounded down for q >= 0; for q < 0 see `reciprocal`.
 */
function makePowersOfFive(): BigUint64Array {
  const table = new BigUint64Array((MOST_POWER - LEAST_POWER + 1) * 2);
  for (let q = LEAST_POWER; q <= MOST_POWER; q++) {
    const bits = q < 0 ? reciprocal(5n ** BigInt(-q)) : leading128(5n ** BigInt(q));
    table[(q - LEAST_POWER) * 2] = bits >> 64n;
    table[(q - LEAST_POWER) * 2 + 1] = bits & 0xffffffffffffffffn;
  }
  return table;
}

const bitLength = (x: bigint): bigint => BigInt(x.toString(2).length);

function leading128(x: bigint): bigint {
  const length = bitLength(x);
  return length < 128n ? x << (128n - length) : x >> (length - 128n);
}

/** The first 128 bits of 1 / x. Rounded up while x fits in 64 bits, where products can be exact, else down. */
function reciprocal(x: bigint): bigint {
  const length = bitLength(x - 1n);
  const scale = length <= 64n ? length + 127n : 2n * length + 128n;
  return leading128((1n << scale) / x + 1n);
}

const powersOfFive = makePowersOfFive();
