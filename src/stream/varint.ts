/** Kafka's integers of variable length: zigzag, then seven bits in each byte, the lowest first. */

const MORE = 0x80;
const BITS = 0x7f;
/** Bytes of the longest 32-bit and 64-bit integers. */
const MOST_INT_BYTES = 5;
const MOST_LONG_BYTES = 10;
/** So many bytes have at most 28 bits, which fit the 32-bit operators of JavaScript. */
const SHORT_BYTES = 4;

/** Reads a record from its bytes. Throws `RangeError` where they end too early, or are not what Kafka writes. */
export class VarintReader {
  constructor(
    readonly bytes: Buffer,
    public at = 0,
    readonly end = bytes.length,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  /** Whether all bytes of the next integer are here. */
  get hasInt(): boolean {
    for (let i = this.at; i < this.end; i++)
      if (this.bytes[i]! < MORE || i - this.at === MOST_INT_BYTES) return true;
    return false;
  }

  byte(): number {
    if (this.at >= this.end) throw new RangeError('the bytes end too early');
    return this.bytes[this.at++]!;
  }

  /** 32 bits. */
  int(): number {
    let value = 0;
    for (let i = 0; i < MOST_INT_BYTES; i++) {
      const byte = this.byte();
      value |= (byte & BITS) << (7 * i);
      if (byte < MORE) return (value >>> 1) ^ -(value & 1);
    }
    throw new RangeError('an integer has more than 32 bits');
  }

  /** 64 bits. */
  long(): bigint {
    let short = 0;
    let value = 0n;
    for (let i = 0; i < MOST_LONG_BYTES; i++) {
      const byte = this.byte();
      if (i < SHORT_BYTES) short |= (byte & BITS) << (7 * i);
      else value |= BigInt(byte & BITS) << BigInt(7 * i);
      if (byte >= MORE) continue;
      if (i < SHORT_BYTES) return BigInt((short >>> 1) ^ -(short & 1));
      value = BigInt.asUintN(64, value | BigInt(short));
      return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    }
    throw new RangeError('an integer has more than 64 bits');
  }

  /** The next `length` bytes, not copied. */
  take(length: number): Buffer {
    if (length < 0 || length > this.end - this.at) throw new RangeError('the bytes end too early');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** Reads a length and then so many bytes; null for the length -1. */
  sized(): Buffer | null {
    const length = this.int();
    return length === -1 ? null : this.take(length);
  }
}

/** Writes into `bytes`, which must have room. */
export class VarintWriter {
  constructor(
    readonly bytes: Buffer,
    public at = 0,
  ) {}

  int(value: number): this {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    for (; rest >= MORE; rest >>>= 7) this.bytes[this.at++] = (rest & BITS) | MORE;
    this.bytes[this.at++] = rest;
    return this;
  }

  long(value: bigint): this {
    let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
    for (; rest >= 128n; rest >>= 7n) this.bytes[this.at++] = Number(rest & 127n) | MORE;
    this.bytes[this.at++] = Number(rest);
    return this;
  }

  put(bytes: Uint8Array): this {
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
    return this;
  }

  sized(bytes: Uint8Array | null): this {
    return bytes === null ? this.int(-1) : this.int(bytes.length).put(bytes);
  }
}

export function sizeOfInt(value: number): number {
  let size = 1;
  for (let rest = ((value << 1) ^ (value >> 31)) >>> 0; rest >= MORE; rest >>>= 7) size++;
  return size;
}

export function sizeOfLong(value: bigint): number {
  let size = 1;
  for (let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)); rest >= 128n; rest >>= 7n) size++;
  return size;
}

/** Bytes that `sized` writes. */
export const sizeOfSized = (bytes: Uint8Array | null): number =>
  bytes === null ? sizeOfInt(-1) : sizeOfInt(bytes.length) + bytes.length;
