/** The packed integers of Parquet: runs and bit-packed groups, and deltas. Nothing is written past what is asked for, whatever the bytes say. */
import type { Memory } from '../scratch.ts';
import { damaged } from './damaged.ts';

export class Cursor {
  readonly view: DataView;
  /** The low and the high 32 bits of the last number that was read. BigInts would take ten times as long. */
  low = 0;
  high = 0;

  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    public at = 0,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    if (this.at >= this.bytes.length) throw damaged('a page ends inside its values');
    return this.bytes[this.at++]!;
  }

  take(length: number): Uint8Array<ArrayBuffer> {
    this.skip(length);
    return this.bytes.subarray(this.at - length, this.at);
  }

  skip(length: number): void {
    if (!(length >= 0 && length <= this.left)) throw damaged('a page ends inside its values');
    this.at += length;
  }

  /** Reads an unsigned number of at most 64 bits into `low` and `high`, and returns it, rounded from 2^53 on. */
  varint(): number {
    this.low = this.high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte();
      const bits = byte & 0x7f;
      if (shift < 32) this.low |= bits << shift;
      if (shift > 25) this.high |= shift < 32 ? bits >>> (32 - shift) : bits << (shift - 32);
      if (byte < 0x80) return (this.high >>> 0) * 2 ** 32 + (this.low >>> 0);
    }
    throw damaged('a number has too many bytes');
  }

  /** Reads a signed number of 64 bits into `low` and `high`. */
  zigzag(): void {
    this.varint();
    const sign = -(this.low & 1);
    this.low = ((this.low >>> 1) | (this.high << 31)) ^ sign;
    this.high = (this.high >>> 1) ^ sign;
  }
}

/** Fills `out` with numbers of `width` bits. Throws if its items have fewer bits. */
export function readRuns(cursor: Cursor, width: number, out: Uint8Array | Uint32Array): void {
  if (width > out.BYTES_PER_ELEMENT * 8) throw damaged(`a page has numbers of ${width} bits`);
  for (let at = 0; at < out.length; ) {
    const header = cursor.varint();
    const count = Math.floor(header / 2);
    if (count === 0) throw damaged('a page has a run of no values');
    if (header % 2 === 1) at = readGroups(cursor, width, count, out, at);
    else {
      const end = Math.min(out.length, at + count);
      out.fill(littleEndian(cursor, (width + 7) >> 3), at, end);
      at = end;
    }
  }
}

function littleEndian(cursor: Cursor, bytes: number): number {
  let value = 0;
  for (let i = 0; i < bytes; i++) value |= cursor.byte() << (8 * i);
  return value >>> 0;
}

/** Groups of eight. The last one may lack the bytes that nobody asks for. */
function readGroups(
  cursor: Cursor,
  width: number,
  groups: number,
  out: Uint8Array | Uint32Array,
  at: number,
): number {
  const wanted = Math.min(out.length - at, groups * 8);
  const packed = cursor.take(Math.min(groups * width, cursor.left));
  if (packed.length * 8 < wanted * width) throw damaged('a page ends inside its values');
  const mask = maskOf(width);
  for (let i = 0; i < wanted; i++) out[at + i] = bitsAt(packed, i * width) & mask;
  return at + wanted;
}

const maskOf = (width: number): number => (width >= 32 ? -1 : 2 ** width - 1);

/** The 32 bits from `bit` on. Beyond the last byte they are 0. */
function bitsAt(packed: Uint8Array, bit: number): number {
  const byte = bit >>> 3;
  const low =
    (packed[byte] ?? 0) |
    ((packed[byte + 1] ?? 0) << 8) |
    ((packed[byte + 2] ?? 0) << 16) |
    ((packed[byte + 3] ?? 0) << 24);
  const shift = bit & 7;
  return shift === 0 ? low : (low >>> shift) | ((packed[byte + 4] ?? 0) << (32 - shift));
}

/** Values of the smallest miniblock that is read. The format demands a multiple of 32. */
const LEAST_MINIBLOCK = 8;
const MAX_MINIBLOCKS = 4096;

/**
 * Reads `count` numbers in DELTA_BINARY_PACKED. With `isLong` each number is two items of the result, its low and its high 32 bits; else it is
 * only the low ones, which do not depend on the high ones.
 */
export function readDeltas(
  cursor: Cursor,
  count: number,
  isLong: boolean,
  memory: Memory,
): Uint32Array<ArrayBuffer> {
  const [block, miniblocks] = [cursor.varint(), cursor.varint()];
  cursor.varint();
  cursor.zigzag();
  const each = block / miniblocks;
  if (!Number.isInteger(each) || each < LEAST_MINIBLOCK || each % 8 !== 0 || miniblocks > MAX_MINIBLOCKS)
    throw damaged('a page has blocks of deltas that cannot be');
  let { low, high } = cursor;
  const out = memory.integers(isLong ? count * 2 : count);
  const write = (at: number) => {
    if (isLong) {
      out[2 * at] = low;
      out[2 * at + 1] = high;
    } else out[at] = low;
  };
  if (count > 0) write(0);
  for (let at = 1; at < count; ) {
    cursor.zigzag();
    const [leastLow, leastHigh] = [cursor.low >>> 0, cursor.high];
    const widths = cursor.take(miniblocks);
    for (let i = 0; i < miniblocks && at < count; i++) {
      const [width, end] = [widths[i]!, Math.min(count, at + each)];
      if (width > 64) throw damaged(`a page has deltas of ${width} bits`);
      const packed = cursor.take(Math.min((each * width) / 8, cursor.left));
      if (packed.length * 8 < (end - at) * width) throw damaged('a page ends inside its deltas');
      const [lowMask, highMask] = [maskOf(width), width > 32 ? maskOf(width - 32) : 0];
      for (let bit = 0; at < end; at++, bit += width) {
        const delta = width === 0 ? 0 : (bitsAt(packed, bit) & lowMask) >>> 0;
        const sum = (low >>> 0) + leastLow + delta;
        low = sum | 0;
        if (isLong) {
          const deltaHigh = highMask === 0 ? 0 : bitsAt(packed, bit + 32) & highMask;
          high = (high + leastHigh + deltaHigh + Math.floor(sum / 2 ** 32)) | 0;
        }
        write(at);
      }
    }
  }
  return out;
}
