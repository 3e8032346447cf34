import { expect, test } from 'bun:test';
import { fullGC } from 'bun:jsc';
import { Collector } from '../../src/engine/collector.ts';

const MIB = 1024 * 1024;

/** A heap of `used` MiB. A collection of the young leaves `old` of them, one of all `alive`. */
function collectorOf(given: { used: number; old: number; alive: number; isBusy?: boolean }) {
  const heap = { isBusy: false, collections: '', ...given };
  const collector = new Collector(() => heap.isBusy, {
    inUse: () => heap.used * MIB,
    collectYoung() {
      heap.collections += 'y';
      heap.used = Math.min(heap.used, heap.old);
    },
    collectAll() {
      heap.collections += 'A';
      heap.used = heap.alive;
    },
  });
  const check = (used: number, old: number): string => {
    Object.assign(heap, { used, old, collections: '' });
    collector.check();
    return heap.collections;
  };
  return { heap, check };
}

test('young objects are collected when the heap has grown, and not again before it has grown again', () => {
  const { check } = collectorOf({ used: 100, old: 100, alive: 100 });
  expect([check(115, 100), check(116, 100), check(115, 100), check(116, 100)]).toEqual(['', 'y', '', 'y']);
});

test('all objects are collected when the heap has grown in spite of that', () => {
  const { check } = collectorOf({ used: 100, old: 100, alive: 100 });
  expect([check(120, 116), check(140, 131), check(150, 132), check(131, 131)]).toEqual(['y', 'y', 'yA', 'y']);
});

test('growth counts from what the last collection left', () => {
  const { check } = collectorOf({ used: 100, old: 100, alive: 40 });
  expect([check(40, 40), check(80, 72)]).toEqual(['', 'yA']);
});

test('while requests wait, the heap may grow by more', () => {
  const { heap, check } = collectorOf({ used: 100, old: 100, alive: 100, isBusy: true });
  expect(check(230, 227)).toBe('y');
  expect(check(250, 228)).toBe('yA');
  heap.isBusy = false;
  expect(check(140, 132)).toBe('yA');
});

test('objects without a reference are gone from the heap after a check', () => {
  // Engines of earlier suites count until they are collected, and would hide the growth.
  fullGC();
  const collector = new Collector();
  const { inUse } = collector.heap;
  const before = inUse();
  let garbage: number[][] | null = Array.from({ length: 100 }, (_, i) => new Array(100_000).fill(i));
  // Only objects that have survived a collection count.
  fullGC();
  const full = inUse() - before;
  expect(garbage.length).toBe(100);
  garbage = null;
  collector.check();
  expect(inUse() - before).toBeLessThan(full / 2);
});
