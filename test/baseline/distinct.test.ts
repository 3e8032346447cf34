import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { REGISTERS } from '../../assembly/abi.ts';
import { DENSE_BYTES, estimateDistinct, packRegisters, Sketches } from '../../src/baseline/distinct.ts';
import { hashOf, registersOf } from './batches.ts';

const anyRegisters = fc.uint8Array({ min: 0, max: 56, minLength: REGISTERS, maxLength: REGISTERS });
const fewRegisters = fc.array(fc.tuple(fc.nat(REGISTERS - 1), fc.integer({ min: 1, max: 56 }))).map(pairs => {
  const registers = new Uint8Array(REGISTERS);
  for (const [index, value] of pairs) registers[index] = value;
  return registers;
});

const hashesFrom = (start: number, count: number): bigint[] =>
  Array.from({ length: count }, (_, i) => hashOf(start + i));

const STANDARD_ERROR = 1.04 / Math.sqrt(REGISTERS);

describe('distinct', () => {
  test('packed registers are unpacked as they were, few and many', () => {
    fc.assert(
      fc.property(fc.oneof(anyRegisters, fewRegisters), registers => {
        const packed = packRegisters(registers);
        expect(packed.length).toBeLessThanOrEqual(DENSE_BYTES);
        expect(new Sketches([packed]).union()).toEqual(registers);
      }),
    );
  });

  test('the union of two sketches is the sketch of both sets, in either order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5000)), fc.array(fc.nat(5000), { maxLength: 2000 }), (a, b) => {
        const [ofA, ofB] = [a, b].map(list => packRegisters(registersOf(list.map(hashOf))));
        const ofBoth = registersOf([...a, ...b].map(hashOf));
        expect(new Sketches([ofA!, ofB!]).union()).toEqual(ofBoth);
        expect(new Sketches([ofB!, ofA!]).union()).toEqual(ofBoth);
      }),
    );
  });

  test('nothing seen is 0', () => {
    expect(estimateDistinct(new Sketches([]).union())).toBe(0);
  });

  test('the estimate is within three standard errors from one value to a million', () => {
    for (const count of [1, 2, 10, 50, 200, 512, 1000, 1280, 1500, 2500, 10_000, 100_000, 1_000_000]) {
      const estimate = estimateDistinct(registersOf(hashesFrom(count, count)));
      expect(Math.abs(estimate / count - 1)).toBeLessThan(3 * STANDARD_ERROR);
    }
  });

  test('over many sets the error is as small as stated', () => {
    const sets = 60;
    for (const count of [300, 1300, 3000]) {
      const errors = Array.from(
        { length: sets },
        (_, set) => estimateDistinct(registersOf(hashesFrom(set * 10_000, count))) / count - 1,
      );
      const rootMeanSquare = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / sets);
      expect(rootMeanSquare).toBeLessThan(1.3 * STANDARD_ERROR);
    }
  });
});
