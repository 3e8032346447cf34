/**
 * The engine's linear memory. Growing it detaches the buffer, and every view of the old buffer is dead. So nobody else keeps
 * a view: each read and write goes through here, and results are copies.
 */

export class EngineMemory {
  readonly #memory: WebAssembly.Memory;
  #bytes: Uint8Array<ArrayBuffer>;
  #doubles: Float64Array;
  #view: DataView;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#doubles = new Float64Array(memory.buffer);
    this.#view = new DataView(memory.buffer);
  }

  /** Bytes of address space in use. */
  get byteLength(): number {
    return this.#memory.buffer.byteLength;
  }

  write(bytes: Uint8Array, at: number): void {
    this.#current().set(bytes, at);
  }

  writeU64(values: BigUint64Array, at: number): void {
    new BigUint64Array(this.#current().buffer, at, values.length).set(values);
  }

  /** All of it. Not to be kept: the next call that grows memory detaches it. */
  whole(): Uint8Array<ArrayBuffer> {
    return this.#current();
  }

  bytes(at: number, length: number): Uint8Array<ArrayBuffer> {
    return this.#current().slice(at, at + length);
  }

  u16(at: number, length: number): Uint16Array {
    return new Uint16Array(this.#current().buffer, at, length).slice();
  }

  u32(at: number, length: number): Uint32Array {
    return new Uint32Array(this.#current().buffer, at, length).slice();
  }

  /** `at` is a multiple of 8. */
  u64(at: number, length: number): BigUint64Array {
    return new BigUint64Array(this.#current().buffer, at, length).slice();
  }

  /** `at` is a multiple of 8. */
  f64(at: number, length: number): Float64Array {
    this.#current();
    return this.#doubles.slice(at / 8, at / 8 + length);
  }

  /** As `f64`, but not a copy: not to be kept. */
  lent(at: number, length: number): Float64Array {
    this.#current();
    return this.#doubles.subarray(at / 8, at / 8 + length);
  }

  u32At(at: number): number {
    this.#current();
    return this.#view.getUint32(at, true);
  }

  u64At(at: number): bigint {
    this.#current();
    return this.#view.getBigUint64(at, true);
  }

  f64At(at: number): number {
    this.#current();
    return this.#view.getFloat64(at, true);
  }

  text(at: number, length: number): string {
    return decoder.decode(this.#current().subarray(at, at + length));
  }

  #current(): Uint8Array<ArrayBuffer> {
    // A detached view is empty, and costs less to ask than `memory.buffer`.
    if (this.#bytes.length === 0) {
      this.#bytes = new Uint8Array(this.#memory.buffer);
      this.#doubles = new Float64Array(this.#memory.buffer);
      this.#view = new DataView(this.#memory.buffer);
    }
    return this.#bytes;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
