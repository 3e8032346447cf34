/**
 * Collects garbage that the runtime would keep for a long time.
 *
 * JavaScriptCore collects when its heap has grown in proportion to its size, and it counts the memory of every engine twice: 8 engines
 * count 675 MB before the first object, and 8 GB after batches of thousands of columns. So it would let gigabytes of garbage pile up.
 *
 * A collection of young objects takes a few milliseconds. One of all objects takes 10 to 60 ms, in which nothing else runs. It is needed for objects
 * that have survived a collection of the young, as batch states in the tail of a baseline do. (`Bun.gc(false)` does not say which of
 * the two it does.)
 */
import { edenGC, fullGC, heapSize } from 'bun:jsc';

const MIB = 1024 * 1024;
/** The heap must grow by this much before its young objects are collected: an idle server collects nothing. */
const YOUNG_BYTES = 16 * MIB;
/** And in spite of that by this much before all are: by more while requests wait. */
const OLD_BYTES = 32 * MIB;
const OLD_BYTES_BUSY = 128 * MIB;

const EVERY_MS = 250;

interface Heap {
  inUse(): number;
  collectYoung(): unknown;
  collectAll(): unknown;
}

const HEAP: Heap = { inUse: heapSize, collectYoung: edenGC, collectAll: fullGC };

export class Collector {
  /** Bytes in use after the last collection, and after the last one of all objects. */
  #young: number;
  #old: number;
  #checkedAt = 0;

  /** `isBusy`: whether requests wait. */
  constructor(
    readonly isBusy: () => boolean = () => false,
    readonly heap = HEAP,
  ) {
    this.#young = heap.inUse();
    this.#old = this.#young;
  }

  /** Checks the heap four times a second, or every so many ms, as long as the process lives. */
  start(everyMs = EVERY_MS): void {
    setInterval(() => this.check(), everyMs).unref();
  }

  /** Unless it has just been checked. */
  checkIfDue(): void {
    if (performance.now() - this.#checkedAt >= EVERY_MS) this.check();
  }

  /** Collects when the heap has grown enough. */
  check(): void {
    const { heap } = this;
    this.#checkedAt = performance.now();
    // Asked as rarely as possible: the runtime counts its blocks for milliseconds.
    let used = heap.inUse();
    if (used - this.#young >= YOUNG_BYTES) {
      heap.collectYoung();
      used = heap.inUse();
      this.#young = used;
    }
    if (used - this.#old >= (this.isBusy() ? OLD_BYTES_BUSY : OLD_BYTES)) {
      heap.collectAll();
      used = heap.inUse();
      this.#old = used;
    }
    this.#young = Math.min(this.#young, used);
    this.#old = Math.min(this.#old, used);
  }
}
