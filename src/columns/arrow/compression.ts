/** Buffers that Arrow IPC compresses: frames of LZ4 or ZSTD. The length is known beforehand, so a bomb cannot fill more than that. */
import { zstdDecompressSync } from 'node:zlib';

/** Decompresses `from` into `to`; false where it is damaged, or is not as long. */
export function zstdFrame(from: Uint8Array, to: Uint8Array): boolean {
  try {
    const plain = zstdDecompressSync(from, { maxOutputLength: to.length });
    if (plain.length !== to.length) return false;
    to.set(plain);
    return true;
  } catch {
    return to.length === 0;
  }
}

const FRAME_MAGIC = 0x184d2204;
const HAS_DICTIONARY = 1;
const HAS_SIZE = 8;
const HAS_BLOCK_CHECKSUMS = 16;
const UNCOMPRESSED = 0x80000000;

/** The same for a frame of LZ4 (LZ4 Frame Format 1.6.4). Its checksums are not checked: the buffers' are not either. */
export function lz4Frame(from: Uint8Array, to: Uint8Array): boolean {
  const view = new DataView(from.buffer, from.byteOffset, from.byteLength);
  if (from.length < 7 || view.getUint32(0, true) !== FRAME_MAGIC) return false;
  const flags = from[4]!;
  if (flags >> 6 !== 1 || flags & HAS_DICTIONARY) return false;
  let at = 7 + (flags & HAS_SIZE ? 8 : 0);
  let end = 0;
  while (at + 4 <= from.length) {
    const size = view.getUint32(at, true);
    at += 4;
    if (size === 0) return end === to.length;
    const length = size & ~UNCOMPRESSED;
    if (at + length > from.length) return false;
    const block = from.subarray(at, at + length);
    end = size & UNCOMPRESSED ? copied(block, to, end) : lz4Block(block, to, end);
    if (end < 0) return false;
    at += length + (flags & HAS_BLOCK_CHECKSUMS ? 4 : 0);
  }
  return false;
}

function copied(block: Uint8Array, to: Uint8Array, at: number): number {
  if (at + block.length > to.length) return -1;
  to.set(block, at);
  return at + block.length;
}

/**
 * Decompresses one block at `at` and returns the end; -1 where it is damaged. A match may reach into the blocks before. We know no library
 * of frames that is kept up and writes into given memory.
 */
export function lz4Block(from: Uint8Array, to: Uint8Array, at: number): number {
  let i = 0;
  while (i < from.length) {
    const token = from[i++]!;
    let literals = token >> 4;
    if (literals === 15)
      for (let more = 255; more === 255 && i < from.length; literals += more) more = from[i++]!;
    if (i + literals > from.length || at + literals > to.length) return -1;
    // Short copies are quicker without a call.
    if (literals > 32) to.set(from.subarray(i, i + literals), at);
    else for (let k = 0; k < literals; k++) to[at + k] = from[i + k]!;
    i += literals;
    at += literals;
    if (i === from.length) return at;
    if (i + 2 > from.length) return -1;
    const distance = from[i]! | (from[i + 1]! << 8);
    i += 2;
    let length = token & 15;
    if (length === 15)
      for (let more = 255; more === 255 && i < from.length; length += more) more = from[i++]!;
    length += 4;
    if (distance === 0 || distance > at || at + length > to.length) return -1;
    if (distance >= length && length > 32) to.copyWithin(at, at - distance, at - distance + length);
    else for (let k = 0; k < length; k++) to[at + k] = to[at - distance + k]!;
    at += length;
  }
  return at;
}
