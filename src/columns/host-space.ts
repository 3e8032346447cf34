/** Memory for buffers outside of the engine. */
import { ColumnsError } from './columns-error.ts';
import type { Space } from './field.ts';

const MIB = 1024 * 1024;
/** No address is 0. */
const FIRST = 8;

export class HostSpace implements Space {
  #bytes = new Uint8Array(64 * 1024);
  #free = FIRST;
  readonly #what: string;
  readonly #maxBytes: number;

  /** `what` may have `maxBytes`: it begins the sentence for more. */
  constructor(what: string, maxBytes: number) {
    this.#what = what;
    this.#maxBytes = maxBytes;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes;
  }

  allocate(length: number): number {
    const at = (this.#free + 7) & ~7;
    const end = at + length;
    if (!(end <= FIRST + this.#maxBytes))
      throw new ColumnsError(`${this.#what} may have at most ${this.#maxBytes / MIB} MiB, decompressed`);
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
