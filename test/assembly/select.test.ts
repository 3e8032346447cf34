import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { MAX_ROWS, QUANTILES } from '../../assembly/abi.ts';
import '../property/seed.ts';
import { anyColumn, hardColumns, LENGTHS } from './columns.ts';
import { buffer, exports, start } from './statistics.ts';

const out = start + MAX_ROWS * 8 + 64;
const scratch = out + QUANTILES * 8;
const scratchEnd = scratch + exports.SELECT_SCRATCH_BYTES.value;
const GUARD = 0x5a;

function measured(values: Float64Array): Float64Array {
  const column = new Float64Array(buffer, start, values.length);
  new Uint8Array(buffer, start).fill(GUARD);
  column.set(values);
  const sorted = values.slice().sort();
  exports.quantiles(start, values.length, sorted[0]!, sorted.at(-1)!, scratch, out);
  expect(bitsOf(column)).toEqual(bitsOf(values));
  expect(new Uint8Array(buffer, scratchEnd, 256).every(byte => byte === GUARD)).toBe(true);
  return new Float64Array(buffer, out, QUANTILES).slice();
}

/** Type 7 (Hyndman and Fan 1996), by sorting the column. */
function oracle(values: Float64Array): Float64Array {
  const sorted = values.slice().sort();
  return Float64Array.from({ length: QUANTILES }, (_, i) => {
    const place = ((sorted.length - 1) * i) / (QUANTILES - 1);
    const share = place - Math.floor(place);
    const low = sorted[Math.floor(place)]!;
    const high = sorted[Math.min(Math.floor(place) + 1, sorted.length - 1)]!;
    return (Number.isFinite(high - low) ? low + share * (high - low) : low * (1 - share) + high * share) + 0;
  });
}

const bitsOf = (values: Float64Array): string[] =>
  [...new BigUint64Array(values.buffer, values.byteOffset, values.length)].map(bits => bits.toString(16));

const expectExact = (values: Float64Array): void =>
  expect(bitsOf(measured(values))).toEqual(bitsOf(oracle(values)));

const shuffled = (values: Float64Array, order: number[]): Float64Array =>
  Float64Array.from(values.keys())
    .sort((a, b) => order[a % order.length]! - order[b % order.length]! || a - b)
    .map(i => values[i]!);

describe('quantiles', () => {
  for (const name of Object.keys(hardColumns(1, 1))) {
    test(`are those of the sorted column, bit for bit, at every length: ${name}`, () => {
      for (const n of LENGTHS) expectExact(hardColumns(n, 11 * n)[name]!);
    });
  }

  test('are those of the sorted column, bit for bit, for any finite numbers', () => {
    fc.assert(fc.property(anyColumn(300), expectExact));
  });

  test('of hard columns in any order are those of the sorted column, bit for bit', () => {
    const names = Object.keys(hardColumns(1, 1));
    const order = fc.array(fc.nat(), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.integer({ min: 64, max: 3000 }), order, (name, n, ranks) =>
        expectExact(shuffled(hardColumns(n, n + 1)[name]!, ranks)),
      ),
    );
  });

  test('columns put together from hard ones are measured bit for bit', () => {
    const part = fc.tuple(
      fc.constantFrom(...Object.keys(hardColumns(1, 1))),
      fc.integer({ min: 1, max: 1500 }),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 2, maxLength: 6 }), parts => {
        const columns = parts.map(([name, n]) => hardColumns(n, n)[name]!);
        expectExact(Float64Array.from(columns.flatMap(column => [...column])));
      }),
    );
  });
});

describe('integerDistinct', () => {
  const distinctOf = (values: Float64Array): number => {
    measured(values);
    return exports.integerDistinct.value;
  };

  test('is the number of different integers, whose counts lie in the scratch', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -100, max: 155 }), { minLength: 64, maxLength: 500 }),
        integers => {
          expect(distinctOf(Float64Array.from(integers))).toBe(new Set(integers).size);
          const least = Math.min(...integers);
          const counts = new Uint32Array(buffer, scratch, Math.max(...integers) - least + 1);
          expect([...counts]).toEqual(
            [...counts.keys()].map(i => integers.filter(x => x === least + i).length),
          );
        },
      ),
    );
  });

  test('is 1 for one value, integer or not', () => {
    expect(distinctOf(new Float64Array(100).fill(2.5))).toBe(1);
    expect(distinctOf(Float64Array.of(-0, 0))).toBe(1);
    expect(new Uint32Array(buffer, scratch, 1)[0]).toBe(2);
  });

  test('is 0 for fractions, wide ranges and short columns', () => {
    for (const n of [9999, 10000]) expect(distinctOf(hardColumns(n, 1)['integers with one half']!)).toBe(0);
    expect(distinctOf(Float64Array.from({ length: 10000 }, (_, i) => i))).toBe(0);
    expect(distinctOf(Float64Array.of(1, 2, 3))).toBe(0);
  });

  test('does not depend on the column before', () => {
    expect(distinctOf(hardColumns(1000, 1)['small integers']!)).toBe(5);
    expect(distinctOf(hardColumns(1000, 1).uniform!)).toBe(0);
  });
});
