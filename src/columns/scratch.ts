/**
 * Memory for columns that are decoded on their way into the engine. It is freed explicitly, because hundreds of MiB would wait for the
 * garbage collector. A thread reads one body at a time, and all that it decodes of it shares a limit.
 */
import { Fault } from '../../assembly/abi.ts';
import { tooLarge } from './columns-error.ts';

const MIB = 1024 * 1024;
export const MAX_SCRATCH_BYTES = 192 * MIB;
/** Smaller arrays are left to the collector: they have no buffer of their own yet, and asking for one costs more than freeing it saves. */
const MIN_FREED_BYTES = 16 * 1024;

/** Release an array as soon as it is not needed any more. Other arrays are freed later. */
export interface Memory {
  bytes(length: number): Uint8Array<ArrayBuffer>;
  integers(length: number): Uint32Array<ArrayBuffer>;
  release(array: ArrayBufferView<ArrayBuffer>): void;
}

/** The ordinary heap, freed by the garbage collector. */
export const HEAP: Memory = {
  bytes: length => new Uint8Array(length),
  integers: length => new Uint32Array(length),
  release() {},
};

/** What the scratches of a thread hold together. */
export class ScratchBytes {
  used = 0;

  constructor(readonly max = MAX_SCRATCH_BYTES) {}
}

const ofThread = new ScratchBytes();

export class Scratch implements Memory {
  #used = 0;
  readonly #held = new Set<ArrayBufferView<ArrayBuffer>>();
  readonly #all: ScratchBytes;

  constructor(all = ofThread) {
    this.#all = all;
  }

  /** Throws `ColumnsError` TEXTS for more bytes than a body may take. */
  bytes(length: number): Uint8Array<ArrayBuffer> {
    this.#take(length);
    return this.#hold(new Uint8Array(length));
  }

  /** Integers of 32 bits. Throws as `bytes` does. */
  integers(length: number): Uint32Array<ArrayBuffer> {
    this.#take(length * 4);
    return this.#hold(new Uint32Array(length));
  }

  release(array: ArrayBufferView<ArrayBuffer>): void {
    this.#give(array.byteLength);
    if (this.#held.delete(array)) array.buffer.transfer(0);
  }

  /** Releases everything. */
  free(): void {
    for (const { buffer } of this.#held) buffer.transfer(0);
    this.#held.clear();
    this.#give(this.#used);
  }

  #take(bytes: number): void {
    if (!(this.#all.used + bytes <= this.#all.max)) throw tooLarge(Fault.TEXTS);
    this.#all.used += bytes;
    this.#used += bytes;
  }

  #give(bytes: number): void {
    this.#all.used -= bytes;
    this.#used -= bytes;
  }

  #hold<View extends ArrayBufferView<ArrayBuffer>>(view: View): View {
    if (view.byteLength >= MIN_FREED_BYTES) this.#held.add(view);
    return view;
  }
}
