/**
 * Collects garbage that the runtime would keep for a long time.
 *
 * JavaScriptCore collects objects that have survived one collection only after its heap has multiplied, and it counts the memory of
 * every engine twice: 8 engines count 675 MB before the first object. Batch states in the tail of a baseline live just long enough
 * to survive once. So 70 KB of each wide batch piled up, to 1 GB of resident memory after 10,000 batches. A full collection takes
 * about 10 ms, as long as a wide batch. (`Bun.gc(false)` collects only young objects.)
 */
import { fullGC, heapSize } from 'bun:jsc';

const CHECK_EVERY_MS = 5000;
/** The heap must grow by this much before it is collected: an idle server collects nothing. */
const GROWTH_BYTES = 16 * 1024 * 1024;

export class Collector {
  /** Bytes in use after the last collection. */
  #kept: number;

  constructor(
    readonly inUse: () => number = heapSize,
    readonly collect: () => unknown = fullGC,
  ) {
    this.#kept = inUse();
  }

  /** Checks the heap every few seconds, as long as the process lives. */
  start(): void {
    setInterval(() => this.check(), CHECK_EVERY_MS).unref();
  }

  /** Collects when the heap has grown enough. */
  check(): void {
    const used = this.inUse();
    if (used - this.#kept < GROWTH_BYTES) {
      this.#kept = Math.min(this.#kept, used);
      return;
    }
    this.collect();
    this.#kept = this.inUse();
  }
}
