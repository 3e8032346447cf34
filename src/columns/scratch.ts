/**
 * Memory for columns that are decoded on their way into the engine. It is freed explicitly, because hundreds of MiB would wait for the
 * garbage collector. All batches of a process share a limit, and a batch that would exceed it is refused for now. Each `Scratch` also has
 * a small limit of its own, so that small bodies are read beside large ones.
 */
import { Fault } from '../../assembly/abi.ts';
import { ColumnsError, tooLarge } from './columns-error.ts';

const MIB = 1024 * 1024;
/** Limit for all batches together. A single batch may use all of it. */
const MAX_SHARED_BYTES = 192 * MIB;
/** Limit of each `Scratch`, in addition. */
const OWN_BYTES = 2 * MIB;
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

/** Counts what all batches of a process share. */
export class SharedBytes {
  bytes = 0;

  constructor(readonly max = MAX_SHARED_BYTES) {}

  /** False if there is not enough. */
  take(bytes: number): boolean {
    if (this.bytes + bytes > this.max) return false;
    this.bytes += bytes;
    return true;
  }
}

export const processScratch = new SharedBytes();

export class Scratch implements Memory {
  #used = 0;
  readonly #held = new Set<ArrayBufferView<ArrayBuffer>>();
  readonly #shared: SharedBytes;

  constructor(shared = processScratch) {
    this.#shared = shared;
  }

  /** Throws `ColumnsError`: TEXTS if no batch may have so many bytes, BUSY if other batches have too many at the moment. */
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
    if (!(this.#used + bytes <= this.#shared.max)) throw tooLarge(Fault.TEXTS);
    if (!this.#shared.take(sharedOf(this.#used + bytes) - sharedOf(this.#used)))
      throw new ColumnsError('', Fault.BUSY);
    this.#used += bytes;
  }

  #give(bytes: number): void {
    this.#shared.bytes -= sharedOf(this.#used) - sharedOf(this.#used - bytes);
    this.#used -= bytes;
  }

  #hold<View extends ArrayBufferView<ArrayBuffer>>(view: View): View {
    if (view.byteLength >= MIN_FREED_BYTES) this.#held.add(view);
    return view;
  }
}

const sharedOf = (used: number): number => Math.max(0, used - OWN_BYTES);
