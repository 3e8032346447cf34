/**
 * Collects garbage that the runtime would leave for long.
 *
 * JavaScriptCore looks at objects that have survived one collection only when its heap has multiplied, and it counts the
 * memory of every engine into the heap, twice: 8 engines are 675 MB before the first object. Batch states in a baseline's tail live just
 * long enough to count as survivors, so 70 KB of each wide batch piled up, to a gigabyte of resident memory after 10,000. A full
 * collection takes about 10 ms, as long as a wide batch does. (`Bun.gc(false)` looks at young objects only.)
 */
import { fullGC, heapSize } from 'bun:jsc';

const LOOK_EVERY_MS = 5000;
/** A heap that has grown less is left alone: an idle server collects nothing. */
const GROWTH_BYTES = 16 * 1024 * 1024;

export class Collector {
  /** Bytes that were in use when all garbage was gone last. */
  #kept: number;

  constructor(
    readonly inUse: () => number = heapSize,
    readonly collect: () => unknown = fullGC,
  ) {
    this.#kept = inUse();
  }

  /** Looks now and then, as long as the process lives. */
  start(): void {
    setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  look(): void {
    const used = this.inUse();
    if (used - this.#kept < GROWTH_BYTES) {
      this.#kept = Math.min(this.#kept, used);
      return;
    }
    this.collect();
    this.#kept = this.inUse();
  }
}
