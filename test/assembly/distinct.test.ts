import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { MAX_ROWS, QUANTILES, REGISTERS } from '../../assembly/abi.ts';
import '../property/seed.ts';
import { anyColumn, hardColumns } from './columns.ts';
import { buffer, exports, start } from './statistics.ts';

const hashes = start + MAX_ROWS * 8 + 64;
const registers = hashes + MAX_ROWS * 8 + 64;
const out = registers + REGISTERS;
const scratch = out + QUANTILES * 8;
const scratchEnd = scratch + exports.DISTINCT_SCRATCH_BYTES.value;
const GUARD = 0x5a;
const SEED = 0x0123456789abcdefn;

const registersNow = (): Uint8Array => new Uint8Array(buffer, registers, REGISTERS).slice();

function counted(values: BigUint64Array): number {
  new BigUint64Array(buffer, hashes).set(values);
  new Uint8Array(buffer, registers).fill(GUARD);
  const distinct = exports.countDistinct(hashes, values.length, scratch, registers);
  expect(new Uint8Array(buffer, scratchEnd, 256).every(byte => byte === GUARD)).toBe(true);
  return distinct;
}

/** HyperLogLog by the definition, on the hash's binary digits. */
function sketch(values: Iterable<bigint>): Uint8Array {
  const sketched = new Uint8Array(REGISTERS);
  for (const hash of values) {
    const digits = hash.toString(2).padStart(64, '0');
    const first = digits.indexOf('1', 9);
    const index = Number.parseInt(digits.slice(0, 9), 2);
    sketched[index] = Math.max(sketched[index]!, first < 0 ? 56 : first - 8);
  }
  return sketched;
}

function expectExact(values: BigUint64Array): void {
  expect(counted(values)).toBe(new Set(values).size);
  expect(registersNow()).toEqual(sketch(values));
}

function hashed(values: Float64Array, seed = SEED): BigUint64Array {
  new Float64Array(buffer, start).set(values);
  exports.hashNumbers(start, values.length, seed, hashes);
  return new BigUint64Array(buffer, hashes, values.length).slice();
}

const ramp = (n: number, different: number): BigUint64Array =>
  hashed(Float64Array.from({ length: n }, (_, i) => (i * 7919) % different));

describe('countDistinct', () => {
  test('counts any hashes, close together, equal or zero', () => {
    const hash = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 5n }));
    fc.assert(
      fc.property(fc.array(hash, { minLength: 1, maxLength: 400 }), some =>
        expectExact(BigUint64Array.from(some)),
      ),
    );
  });

  test('counts the distinct hashes around the sizes at which the table grows', () => {
    for (const different of [1, 2, 5, 126, 127, 128, 129, 130, 511, 512, 513, 1000, 4096, 9999, 10000]) {
      for (const n of [different, different + 1, 2 * different, MAX_ROWS]) {
        if (n <= MAX_ROWS) expectExact(ramp(n, different));
      }
    }
  });

  test('counts hashes that all belong to the same slot', () => {
    expectExact(BigUint64Array.from({ length: 3000 }, (_, i) => (BigInt(i % 1500) << 40n) | 1n));
  });

  test('counts the hash zero once, at any place', () => {
    expectExact(BigUint64Array.of(0n));
    expectExact(BigUint64Array.of(0n, 1n, 0n, 2n ** 63n));
    expectExact(
      BigUint64Array.from({ length: MAX_ROWS }, (_, i) => (i % 50 ? BigInt(i) * 0x9e3779b97f4a7c15n : 0n)),
    );
  });
});

describe('hashNumbers', () => {
  test('gives different numbers different hashes and equal ones the same', () => {
    fc.assert(
      fc.property(anyColumn(300), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (values, seed) => {
        expect(new Set(hashed(values, seed)).size).toBe(new Set(values).size);
      }),
    );
  });

  test('takes 0 and -0 for one number', () => {
    const [zero, negative] = hashed(Float64Array.of(0, -0));
    expect(zero).toBe(negative!);
  });

  test('gives other hashes for another seed', () => {
    const values = hardColumns(1000, 3).uniform!;
    const before = new Set(hashed(values));
    expect(hashed(values, SEED + 1n).some(hash => before.has(hash))).toBe(false);
  });

  test('spreads small integers evenly over the bits', () => {
    const all = hashed(Float64Array.from({ length: MAX_ROWS }, (_, i) => i));
    for (let bit = 0n; bit < 64n; bit++) {
      const ones = all.filter(hash => (hash >> bit) & 1n).length;
      // Five standard deviations of 10,000 fair coins.
      expect(Math.abs(ones - MAX_ROWS / 2)).toBeLessThan(250);
    }
  });
});

describe('registersOfIntegers', () => {
  test('makes the same registers from counts as countDistinct from hashes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -30, max: 225 }), { minLength: 64, maxLength: 300 }),
        integers => {
          const values = Float64Array.from(integers);
          const least = Math.min(...integers);
          const most = Math.max(...integers);
          const expected = sketch(hashed(values));
          exports.quantiles(start, values.length, least, most, scratch, out);
          expect(exports.integerDistinct.value).toBe(new Set(integers).size);
          exports.registersOfIntegers(scratch, least, most, SEED, registers);
          expect(registersNow()).toEqual(expected);
        },
      ),
    );
  });

  test('serves integers so large that adding 1 does not change them', () => {
    const values = Float64Array.from({ length: 100 }, (_, i) => 2 ** 60 + 256 * (i % 7));
    const expected = sketch(hashed(values));
    exports.quantiles(start, 100, 2 ** 60, 2 ** 60 + 6 * 256, scratch, out);
    exports.registersOfIntegers(scratch, 2 ** 60, 2 ** 60 + 6 * 256, SEED, registers);
    expect(registersNow()).toEqual(expected);
  });

  test('serves a column of one value, even one that adding 1 does not change', () => {
    for (const x of [2.5, -0, 1e300, -Number.MAX_VALUE, 2 ** 53]) {
      const expected = sketch(hashed(Float64Array.of(x, x)));
      exports.quantiles(start, 2, x, x, scratch, out);
      exports.registersOfIntegers(scratch, x, x, SEED, registers);
      expect(registersNow()).toEqual(expected);
    }
  });
});
