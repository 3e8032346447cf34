/** The packed integers of Parquet: runs and bit-packed groups, and deltas. Nothing is written past what is asked for, whatever the bytes say. */
import { damaged } from './damaged.ts';

export class Cursor {
  readonly view: DataView;

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

  /** An unsigned number of at most 64 bits. */
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw damaged('a number has too many bytes');
  }

  zigzag(): bigint {
    const value = this.varint();
    return (value >> 1n) ^ -(value & 1n);
  }
}

/** `count` numbers of `width` bits, at most 32. */
export function readRuns(cursor: Cursor, width: number, count: number): Uint32Array {
  if (width > 32) throw damaged(`a page has numbers of ${width} bits`);
  const out = new Uint32Array(count);
  for (let at = 0; at < count; ) {
    const header = Number(cursor.varint());
    if (header % 2 === 1) at = readGroups(cursor, width, (header - 1) / 2, out, at);
    else {
      const end = Math.min(count, at + header / 2);
      out.fill(littleEndian(cursor.take((width + 7) >> 3)), at, end);
      // An empty run makes no progress, but takes a byte.
      at = end;
    }
  }
  return out;
}

function littleEndian(bytes: Uint8Array): number {
  let value = 0;
  for (const [i, byte] of bytes.entries()) value |= byte << (8 * i);
  return value >>> 0;
}

/** Groups of eight. The last one may lack the bytes that nobody asks for. */
function readGroups(cursor: Cursor, width: number, groups: number, out: Uint32Array, at: number): number {
  const wanted = Math.min(out.length - at, groups * 8);
  const packed = cursor.take(Math.min(groups * width, cursor.left));
  if (packed.length * 8 < wanted * width) throw damaged('a page ends inside its values');
  const mask = width === 32 ? 0xffffffff : 2 ** width - 1;
  for (let i = 0, bit = 0; i < wanted; i++, bit += width) {
    const byte = bit >> 3;
    const low =
      (packed[byte] ?? 0) |
      ((packed[byte + 1] ?? 0) << 8) |
      ((packed[byte + 2] ?? 0) << 16) |
      ((packed[byte + 3] ?? 0) << 24);
    const shift = bit & 7;
    const value = shift === 0 ? low : (low >>> shift) | ((packed[byte + 4] ?? 0) << (32 - shift));
    out[at + i] = (value & mask) >>> 0;
  }
  return at + wanted;
}

/** DELTA_BINARY_PACKED: `count` numbers of 64 bits; those of 32 bits are their low halves. */
export function readDeltas(cursor: Cursor, count: number): BigInt64Array<ArrayBuffer> {
  const [block, miniblocks] = [Number(cursor.varint()), Number(cursor.varint())];
  cursor.varint();
  const out = new BigInt64Array(count);
  let value = cursor.zigzag();
  const each = block / miniblocks;
  if (!Number.isInteger(each) || each < 8 || each % 8 !== 0 || miniblocks > 4096)
    throw damaged('a page has blocks of deltas that cannot be');
  if (count > 0) out[0] = value;
  for (let at = 1; at < count; ) {
    const least = cursor.zigzag();
    const widths = cursor.take(miniblocks);
    for (let i = 0; i < miniblocks && at < count; i++) at = miniblock(widths[i]!, least, at);
  }
  return out;

  function miniblock(width: number, least: bigint, from: number): number {
    if (width > 64) throw damaged(`a page has deltas of ${width} bits`);
    const end = Math.min(count, from + each);
    const packed = cursor.take(Math.min((each * width) / 8, cursor.left));
    if (packed.length * 8 < (end - from) * width) throw damaged('a page ends inside its deltas');
    for (let at = from; at < end; at++) {
      value = BigInt.asIntN(64, value + least + bitsAt(packed, (at - from) * width, width));
      out[at] = value;
    }
    return end;
  }
}

function bitsAt(packed: Uint8Array, bit: number, width: number): bigint {
  let value = 0n;
  const first = bit >> 3;
  const bytes = (((bit & 7) + width + 7) >> 3) - 1;
  for (let i = bytes; i >= 0; i--) value = (value << 8n) | BigInt(packed[first + i] ?? 0);
  return BigInt.asUintN(width, value >> BigInt(bit & 7));
}
