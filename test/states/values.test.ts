/** Values of parts: exact up to a bound, close beyond it, and the same bits for every order and grouping. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  areAll,
  distinctIn,
  distinctInSample,
  MAX_VALUES,
  mergeValues,
  mostFrequentIn,
  NO_VALUES,
  type Values,
} from '../../src/states/values.ts';
import { valuesOf } from './values-of.ts';

/** A hash of 53 bits for each number, as evenly spread as the engine's. */
const hashOf = (x: number): number => Number(BigInt(Bun.hash.wyhash(String(x))) >> 11n);

const of = (values: Iterable<number>): Values => valuesOf(Float64Array.from(values, hashOf));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('values of parts', () => {
  test('few: how many differ, and how often the most frequent one occurs', () => {
    const values = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 5 }), parts => {
        const all = parts.flat();
        const merged = parts.map(of).reduce(mergeValues);
        const frequencies = Object.values(Object.groupBy(all, x => x)).map(each => each!.length);
        expect(distinctIn(merged)).toBe(frequencies.length);
        expect(mostFrequentIn(merged)).toBe(Math.max(0, ...frequencies));
        expect(merged).toEqual(of(all));
      }),
    );
  });

  test('exact at the bound, and estimated with one more', () => {
    const parts = range(0, 4).map(i => of(range((i * MAX_VALUES) / 4, ((i + 1) * MAX_VALUES) / 4)));
    const full = parts.reduce(mergeValues);
    expect(areAll(full)).toBe(true);
    expect(distinctIn(full)).toBe(MAX_VALUES);
    const over = mergeValues(full, of([MAX_VALUES]));
    expect(areAll(over)).toBe(false);
    expect(over.hashes.length).toBe(MAX_VALUES);
    expect(Math.abs(distinctIn(over) / MAX_VALUES - 1)).toBeLessThan(0.02);
  });

  test('beyond the bound order and grouping change no bit, and counts of what is kept are exact', () => {
    const parts = range(0, 6).map(i => of([...range(i * 3000, i * 3000 + 9000), ...range(0, 500)]));
    const [a, b, c, d, e, f] = parts as [Values, Values, Values, Values, Values, Values];
    const inOrder = parts.reduce(mergeValues, NO_VALUES);
    expect(areAll(inOrder)).toBe(false);
    const grouped = mergeValues(mergeValues(mergeValues(f, b), d), mergeValues(a, mergeValues(e, c)));
    expect(grouped).toEqual(inOrder);
    const all = range(0, 6).flatMap(i => [...range(i * 3000, i * 3000 + 9000), ...range(0, 500)]);
    expect(inOrder).toEqual(of(all));
  });

  test('a million distinct values: within 2.5%, three standard errors', () => {
    let merged = NO_VALUES;
    for (let from = 0; from < 1_000_000; from += 50_000)
      merged = mergeValues(merged, of(range(from, from + 50_000)));
    expect(Math.abs(distinctIn(merged) / 1_000_000 - 1)).toBeLessThan(0.025);
  });
});

describe('how many values differ in a sample', () => {
  const cells = range(0, 20_000);
  const sampled = (values: Values) => distinctInSample(values, 1, cells.length, 200);

  test('of all cells is how many differ', () => {
    const values = of([1, 2, 2, 3, 3, 3]);
    expect(distinctInSample(values, 1, 6)).toBe(3);
    expect(distinctInSample({ ...values, counts: values.counts.map(count => 50 * count) }, 1 / 50, 6)).toBe(
      3,
    );
    expect([distinctInSample(NO_VALUES, 1, 0), distinctInSample(NO_VALUES, 1, 5)]).toEqual([0, 0]);
  });

  test('where all values differ, all do, though most of them are not kept', () => {
    const kept = valuesOf(Float64Array.from(cells, hashOf), 512);
    expect(distinctInSample(kept, 1, cells.length)).toBe(20_000);
    expect(sampled(kept)).toBe(200);
  });

  test('does not depend on how many cells there are', () => {
    // Of 200 draws from 1,000 values 181 differ, of draws from 20 all 20.
    expect(Math.abs(sampled(of(cells.map(x => x % 1000))) - 181)).toBeLessThan(2);
    expect(sampled(of(cells.map(x => x % 20)))).toBe(20);
    const kept = valuesOf(
      Float64Array.from(cells, x => hashOf(x % 5000)),
      1024,
    );
    expect(Math.abs(sampled(kept) - 196)).toBeLessThan(2);
  });
});
