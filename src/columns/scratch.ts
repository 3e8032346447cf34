/** Memory for what is decoded on its way into the engine. It is freed at once, because garbage of hundreds of MiB would wait for the collector. */
import { Fault } from '../../assembly/abi.ts';
import { tooLarge } from './columns-error.ts';

export interface Memory {
  bytes(length: number): Uint8Array<ArrayBuffer>;
  integers(length: number): Uint32Array<ArrayBuffer>;
}

/** Freed by the collector. */
export const HEAP: Memory = {
  bytes: length => new Uint8Array(length),
  integers: length => new Uint32Array(length),
};

/** A smaller array has no buffer of its own yet: to ask for it costs more than it frees. */
const MIN_FREED_BYTES = 16 * 1024;

export class Scratch implements Memory {
  #used = 0;
  #held: ArrayBufferView<ArrayBuffer>[] = [];
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws `ColumnsError` where all that is in use would be more than `maxBytes`. */
  bytes(length: number): Uint8Array<ArrayBuffer> {
    this.#take(length);
    return this.#hold(new Uint8Array(length));
  }

  integers(length: number): Uint32Array<ArrayBuffer> {
    this.#take(length * 4);
    return this.#hold(new Uint32Array(length));
  }

  /** Nothing that was taken is used again. */
  free(): void {
    for (const { buffer } of this.#held) buffer.transfer(0);
    this.#held = [];
    this.#used = 0;
  }

  #take(bytes: number): void {
    this.#used += bytes;
    if (!(this.#used <= this.#maxBytes)) throw tooLarge(Fault.TEXTS);
  }

  #hold<View extends ArrayBufferView<ArrayBuffer>>(view: View): View {
    if (view.byteLength >= MIN_FREED_BYTES) this.#held.push(view);
    return view;
  }
}
