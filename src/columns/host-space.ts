/** Memory for buffers outside of the engine. */
import { Fault } from '../../assembly/abi.ts';
import { tooLarge } from './columns-error.ts';
import type { Space } from './field.ts';

export class HostSpace implements Space {
  #bytes = new Uint8Array(64 * 1024);
  #free = 8;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes;
  }

  allocate(length: number): number {
    const at = (this.#free + 7) & ~7;
    const end = at + length;
    if (!(end <= this.#maxBytes)) throw tooLarge(Fault.TEXTS);
    // Some bytes more, so that reads of whole numbers behind the last one are within.
    if (end + 64 > this.#bytes.length) {
      const longer = new Uint8Array(Math.max(end + 64, Math.ceil(this.#bytes.length * 1.5)));
      longer.set(this.#bytes.subarray(0, this.#free));
      this.#bytes = longer;
    }
    this.#free = end;
    return at;
  }

  /** Bytes in use. */
  get used(): number {
    return this.#free;
  }

  /** Frees what was allocated when `used` was more. */
  reset(used: number): void {
    this.#free = used;
  }
}
