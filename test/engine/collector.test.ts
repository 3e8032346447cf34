import { expect, test } from 'bun:test';
import { fullGC } from 'bun:jsc';
import { Collector } from '../../src/engine/collector.ts';

const MIB = 1024 * 1024;

/** A heap of `used` MiB. A collection leaves `alive` of them. */
function collectorOf(heap: { used: number; alive: number; collections: number }): Collector {
  return new Collector(
    () => heap.used * MIB,
    () => {
      heap.collections++;
      heap.used = heap.alive;
    },
  );
}

test('a heap is collected when it has grown, and not again before it has grown again', () => {
  const heap = { used: 100, alive: 110, collections: 0 };
  const collector = collectorOf(heap);
  const seen = [115, 117, 120, 127].map(used => {
    heap.used = used;
    collector.check();
    return heap.collections;
  });
  expect(seen).toEqual([0, 1, 1, 2]);
});

test('growth counts from what the last collection left', () => {
  const heap = { used: 100, alive: 50, collections: 0 };
  const collector = collectorOf(heap);
  for (const used of [40, 60]) {
    heap.used = used;
    collector.check();
  }
  expect(heap.collections).toBe(1);
});

test('objects without a reference are gone from the heap after a check', () => {
  // Engines of earlier suites count until they are collected, and would hide the growth.
  fullGC();
  const collector = new Collector();
  const before = collector.inUse();
  let garbage: number[][] | null = Array.from({ length: 100 }, (_, i) => new Array(100_000).fill(i));
  // Only objects that have survived a collection count.
  fullGC();
  const full = collector.inUse() - before;
  expect(garbage.length).toBe(100);
  garbage = null;
  collector.check();
  expect(collector.inUse() - before).toBeLessThan(full / 2);
});
