/**
 * A view for hyparquet's reader of Thrift, which reads a number until a byte ends it: a megabyte of such bytes would keep it busy for
 * minutes. No number has more than ten.
 */
const MAX_BYTES = 10;

export class GuardedView {
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly byteLength: number;
  #next = -1;
  #run = 0;

  constructor(readonly view: DataView) {
    this.buffer = view.buffer;
    this.byteOffset = view.byteOffset;
    this.byteLength = view.byteLength;
  }

  getUint8(at: number): number {
    const byte = this.view.getUint8(at);
    this.#run = byte >= 0x80 && at === this.#next ? this.#run + 1 : 0;
    this.#next = at + 1;
    if (this.#run > MAX_BYTES) throw new RangeError('a number has too many bytes');
    return byte;
  }

  getInt8(at: number): number {
    return this.view.getInt8(at);
  }

  getFloat64(at: number, isLittleEndian: boolean): number {
    return this.view.getFloat64(at, isLittleEndian);
  }
}
