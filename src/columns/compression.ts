/** Decompresses pages and buffers into memory of the length that their header names, so a bomb cannot write more. */
import * as zlib from 'node:zlib';

const INFLATE = { GZIP: zlib.gunzipSync, BROTLI: zlib.brotliDecompressSync, ZSTD: zlib.zstdDecompressSync };

/** Decompresses `from` into `to`. Returns false if `from` is damaged, or does not have exactly the length of `to`. */
export function inflated(codec: keyof typeof INFLATE, from: Uint8Array, to: Uint8Array): boolean {
  try {
    // Chunks of the whole length: shorter ones would be joined, which takes as long again.
    const chunkSize = Math.max(zlib.constants.Z_MIN_CHUNK, to.length + 1);
    const plain = INFLATE[codec](from, { maxOutputLength: to.length, chunkSize });
    if (plain.length !== to.length) return false;
    to.set(plain);
    return true;
  } catch {
    return false;
  }
}

const FRAME_MAGIC = 0x184d2204;
const HAS_DICTIONARY = 1;
const HAS_SIZE = 8;
const HAS_BLOCK_CHECKSUMS = 16;
const UNCOMPRESSED = 0x80000000;

/** As `inflated`, of a frame of LZ4. */
export function lz4Frame(from: Uint8Array, to: Uint8Array): boolean {
  let end = 0;
  try {
    for (const block of lz4Blocks(from)) {
      end = unpacked(block, to, end);
      if (end < 0) return false;
    }
  } catch {
    return false;
  }
  return end === to.length;
}

interface Lz4Block {
  bytes: Uint8Array;
  isPlain: boolean;
}

/** The blocks of a frame of LZ4 (LZ4 Frame Format 1.6.4). Checksums are not verified. Throws where the frame is damaged. */
export function* lz4Blocks(from: Uint8Array): Generator<Lz4Block> {
  const view = new DataView(from.buffer, from.byteOffset, from.byteLength);
  const flags = from[4]!;
  const isFrame = from.length >= 7 && view.getUint32(0, true) === FRAME_MAGIC;
  let at = 7 + (flags & HAS_SIZE ? 8 : 0);
  while (isFrame && flags >> 6 === 1 && (flags & HAS_DICTIONARY) === 0 && at + 4 <= from.length) {
    const size = view.getUint32(at, true);
    if (size === 0) return;
    const length = size & ~UNCOMPRESSED;
    at += 4;
    // Empty blocks would be work without progress.
    if (length === 0 || at + length > from.length) break;
    yield { bytes: from.subarray(at, at + length), isPlain: (size & UNCOMPRESSED) !== 0 };
    at += length + (flags & HAS_BLOCK_CHECKSUMS ? 4 : 0);
  }
  throw new Error('its bytes in LZ4 are damaged');
}

/** As `lz4Block`, of a block that may be plain. */
export const unpacked = ({ bytes, isPlain }: Lz4Block, to: Uint8Array, at: number): number =>
  isPlain ? copied(bytes, to, at) : lz4Block(bytes, to, at);

function copied(block: Uint8Array, to: Uint8Array, at: number): number {
  if (at + block.length > to.length) return -1;
  to.set(block, at);
  return at + block.length;
}

/**
 * Decompresses one block into `to`, from `at` on. Returns the end of the output; -1 if the block is damaged. A match may refer to earlier
 * blocks. We know no maintained library for frames that writes into given memory.
 */
export function lz4Block(from: Uint8Array, to: Uint8Array, at: number): number {
  let i = 0;
  while (i < from.length) {
    const token = from[i++]!;
    let literals = token >> 4;
    if (literals === 15)
      for (let more = 255; more === 255 && i < from.length; literals += more) more = from[i++]!;
    if (i + literals > from.length || at + literals > to.length) return -1;
    copyLiterals(from, i, to, at, literals);
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
    repeat(to, at, distance, length);
    at += length;
  }
  return at;
}

/**
 * Decompresses a block of Snappy (format description of 2011-10-05) into `to`. Returns false if it is damaged or does not fill `to`.
 */
export function snappyBlock(from: Uint8Array, to: Uint8Array): boolean {
  let [i, at] = [0, 0];
  // Skips the length of the output, which the caller knows.
  while (i < from.length && from[i++]! >= 0x80);
  while (i < from.length) {
    const tag = from[i++]!;
    const isLiteral = (tag & 3) === 0;
    let length = (tag & 3) === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const extra = isLiteral ? Math.max(0, length - 60) : OFFSET_BYTES[tag & 3]!;
    if (i + extra > from.length) return false;
    const number = littleEndian(from, i, extra);
    i += extra;
    if (isLiteral && extra > 0) length = number + 1;
    if (at + length > to.length) return false;
    if (isLiteral) {
      if (i + length > from.length) return false;
      copyLiterals(from, i, to, at, length);
      i += length;
    } else {
      const distance = extra === 1 ? number | ((tag >> 5) << 8) : number;
      if (distance === 0 || distance > at) return false;
      repeat(to, at, distance, length);
    }
    at += length;
  }
  return at === to.length;
}

const OFFSET_BYTES = [0, 1, 2, 4];

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let k = count - 1; k >= 0; k--) value = value * 256 + bytes[at + k]!;
  return value;
}

/** Up to this length a loop copies faster than a call. */
const SHORT_BYTES = 32;

function copyLiterals(from: Uint8Array, i: number, to: Uint8Array, at: number, length: number): void {
  if (length > SHORT_BYTES) to.set(from.subarray(i, i + length), at);
  else for (let k = 0; k < length; k++) to[at + k] = from[i + k]!;
}

/** Copies `length` bytes from `distance` bytes before `at`. If `distance` is smaller than `length`, they repeat. */
function repeat(to: Uint8Array, at: number, distance: number, length: number): void {
  if (length <= SHORT_BYTES) {
    for (let k = 0; k < length; k++) to[at + k] = to[at + k - distance]!;
    return;
  }
  const from = at - distance;
  for (let done = 0; done < length; ) {
    const count = Math.min(distance + done, length - done);
    to.copyWithin(at + done, from, from + count);
    done += count;
  }
}
