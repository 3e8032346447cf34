import { expect, test } from 'bun:test';
import { fullGC } from 'bun:jsc';
import { Collector } from '../../src/engine/collector.ts';

const MIB = 1024 * 1024;

/** A heap that holds `used` MiB, of which a collection leaves `alive`. */
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
    collector.look();
    return heap.collections;
  });
  expect(seen).toEqual([0, 1, 1, 2]);
});

test('growth counts from what the runtime itself has left', () => {
  const heap = { used: 100, alive: 50, collections: 0 };
  const collector = collectorOf(heap);
  for (const used of [40, 60]) {
    heap.used = used;
    collector.look();
  }
  expect(heap.collections).toBe(1);
});

test('what nobody holds is gone from the heap after a look', () => {
  const collector = new Collector();
  // What the suites before this one have left, they may hold: a browser's driver is large.
  fullGC();
  const before = collector.inUse();
  let garbage: number[][] | null = Array.from({ length: 100 }, (_, i) => new Array(100_000).fill(i));
  // Objects count from the collection on that they have survived.
  fullGC();
  const full = collector.inUse() - before;
  expect(garbage.length).toBe(100);
  garbage = null;
  collector.look();
  expect(collector.inUse() - before).toBeLessThan(full / 2);
});
