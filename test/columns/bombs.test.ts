/** What is decompressed has the length that its header names, or is refused without taking the memory that it would. */
import { describe, expect, test } from 'bun:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { inflated, lz4Frame, snappyBlock } from '../../src/columns/compression.ts';
import { decompressed } from '../../src/columns/parquet/codecs.ts';
import { HEAP } from '../../src/columns/scratch.ts';
import { processorMs } from '../fuzz/processor-time.ts';

const ZEROS = new Uint8Array(64 * 1024 * 1024);

/** One literal byte, then a match of the byte before: a block of LZ4. */
function lz4Zeros(length: number): number[] {
  const match = length - 1 - 4 - 15 - 5;
  return [
    0x1f,
    0,
    1,
    0,
    ...Array.from({ length: Math.floor(match / 255) }, () => 255),
    match % 255,
    0x50,
    0,
    0,
    0,
    0,
    0,
  ];
}

/** The same with a length before it and copies of at most 64 bytes: Snappy. */
function snappyZeros(length: number): number[] {
  const varint: number[] = [];
  let left = length;
  for (; left >= 0x80; left >>>= 7) varint.push((left & 0x7f) | 0x80);
  const copies = Array.from({ length: Math.floor((length - 1) / 64) }, () => [0xfe, 1, 0]).flat();
  const rest = (length - 1) % 64;
  return [...varint, left, 0x00, 0, ...copies, ...(rest === 0 ? [] : [((rest - 1) << 2) | 2, 1, 0])];
}

const LENGTH = 4 * 1024 * 1024;
const PAGES: Record<string, () => Uint8Array<ArrayBuffer>> = {
  GZIP: () => new Uint8Array(gzipSync(ZEROS.subarray(0, LENGTH))),
  ZSTD: () => new Uint8Array(zstdCompressSync(ZEROS.subarray(0, LENGTH))),
  BROTLI: () => new Uint8Array(brotliCompressSync(ZEROS.subarray(0, LENGTH))),
  LZ4_RAW: () => Uint8Array.from(lz4Zeros(LENGTH)),
  SNAPPY: () => Uint8Array.from(snappyZeros(LENGTH)),
};

describe.each(Object.keys(PAGES))('a page in %s', codec => {
  const page = PAGES[codec]!();

  test('is decompressed to exactly the length that its header names', () => {
    const plain = decompressed(page, codec, LENGTH, HEAP);
    expect([plain.length, plain.findIndex(byte => byte !== 0)]).toEqual([LENGTH, -1]);
  });

  test.each([LENGTH - 1, 1000, 1])('of more bytes than %d is refused', length => {
    expect(() => decompressed(page, codec, length, HEAP)).toThrow('The Parquet file is damaged: a page');
  });

  test('of 4 MiB takes less than half a second of processor time', () => {
    const since = processorMs();
    decompressed(page, codec, LENGTH, HEAP);
    expect(processorMs() - since).toBeLessThan(500);
  });

  test('of fewer bytes than its header names is refused', () => {
    expect(() => decompressed(page, codec, LENGTH + 1, HEAP)).toThrow('The Parquet file is damaged: a page');
  });
});

test('a page of 64 MiB takes no more memory than the length that its header names', () => {
  const bombs = [zstdCompressSync(ZEROS), gzipSync(ZEROS), brotliCompressSync(ZEROS)];
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  for (const [i, codec] of ['ZSTD', 'GZIP', 'BROTLI'].entries())
    for (let round = 0; round < 10; round++)
      expect(() => decompressed(new Uint8Array(bombs[i]!), codec, 4096, HEAP)).toThrow(
        'cannot be decompressed',
      );
  expect(process.memoryUsage().rss - before).toBeLessThan(ZEROS.length);
});

/** A frame of one block. */
function lz4FrameOf(block: number[]): Uint8Array {
  const head = [0x04, 0x22, 0x4d, 0x18, 0x40, 0x70, 0];
  const size = [block.length & 255, (block.length >> 8) & 255, (block.length >> 16) & 255, 0];
  return Uint8Array.from([...head, ...size, ...block, 0, 0, 0, 0]);
}

test.each([
  [
    'ZSTD',
    (from: Uint8Array, to: Uint8Array) => inflated('ZSTD', from, to),
    new Uint8Array(zstdCompressSync(ZEROS.subarray(0, LENGTH))),
  ],
  ['LZ4', lz4Frame, lz4FrameOf(lz4Zeros(LENGTH))],
] as const)(
  'a buffer of Arrow in %s fills exactly the memory that its length reserves',
  (_, decompress, frame) => {
    const memory = new Uint8Array(LENGTH + 16).fill(7);
    expect(decompress(frame, memory.subarray(8, 8 + LENGTH))).toBe(true);
    expect(decompress(frame, memory.subarray(8, 7 + LENGTH))).toBe(false);
    expect(decompress(frame, memory.subarray(8, 9 + LENGTH))).toBe(false);
    expect([...memory.subarray(0, 8), ...memory.subarray(LENGTH + 9)]).toEqual(
      Array.from({ length: 15 }, () => 7),
    );
  },
);

test('a Snappy literal of more than 2 GiB is damage', () => {
  const literal = [0xfc, 0xf0, 0xff, 0xff, 0xff];
  const bytes = Uint8Array.from([64, 0x08, 1, 2, 3, 0x08, 1, 2, 3, ...literal, 0, 0, 0, 0]);
  expect(snappyBlock(bytes, new Uint8Array(64))).toBe(false);
});

test('an LZ4 frame of empty blocks is damage', () => {
  const head = [0x04, 0x22, 0x4d, 0x18, 0x40, 0x70, 0];
  const frame = Uint8Array.from([...head, ...Array(100).fill([0, 0, 0, 0x80]).flat(), 0, 0, 0, 0]);
  expect(lz4Frame(frame, new Uint8Array(0))).toBe(false);
});
