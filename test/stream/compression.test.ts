/** Record batches of Kafka that are damaged, or made to do harm. */
import { describe, expect, test } from 'bun:test';
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { decompressing } from '../../src/stream/kafka/compression.ts';

const [GZIP, SNAPPY, LZ4, ZSTD] = [1, 2, 3, 4];
const decompressed = async (codec: number, bytes: Buffer, most?: number) =>
  Buffer.concat(await Array.fromAsync(decompressing(codec, bytes, most)));
const snappy = (bytes: Buffer, most?: number) => decompressed(SNAPPY!, bytes, most);
const lz4 = (bytes: Buffer, most?: number) => decompressed(LZ4!, bytes, most);

const uint32 = (value: number, order: 'big' | 'little'): Buffer => {
  const bytes = Buffer.alloc(4);
  if (order === 'big') bytes.writeUInt32BE(value);
  else bytes.writeUInt32LE(value);
  return bytes;
};

describe('Snappy as Java writes it', () => {
  const HEADER = Buffer.concat([Buffer.from([0x82, ...Buffer.from('SNAPPY'), 0]), Buffer.alloc(8)]);
  const TEN = Buffer.from('0123456789');
  /** One literal of ten bytes. */
  const block = Buffer.concat([Buffer.from([10, (10 - 1) << 2]), TEN]);
  const framed = (length: number, bytes = block) => Buffer.concat([uint32(length, 'big'), bytes]);
  const two = Buffer.concat([HEADER, framed(block.length), framed(block.length)]);

  test('is read block after block', async () => {
    expect(await snappy(two)).toEqual(Buffer.concat([TEN, TEN]));
    expect(await snappy(block)).toEqual(TEN);
  });

  test.each([
    ['of a negative length, as -4', 0xfffffffc],
    ['of a length beyond the end', block.length + 1],
    ['without a byte', 0],
  ])('with a block %s is refused', async (_, length) => {
    await expect(snappy(Buffer.concat([HEADER, framed(length)]))).rejects.toThrow('Snappy are damaged');
  });

  test('has a limit for all blocks together', async () => {
    expect(await snappy(two, 20)).toHaveLength(20);
    await expect(snappy(two, 19)).rejects.toThrow('more than');
    expect(await snappy(block, 10)).toHaveLength(10);
    await expect(snappy(block, 9)).rejects.toThrow('more than 9 bytes');
  });

  test('has no more bytes than its codes can make', async () => {
    const claiming = Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0x7f]), TEN]);
    await expect(snappy(claiming)).rejects.toThrow('Snappy are damaged');
  });
});

describe('LZ4', () => {
  /** Blocks of at most 64 KiB, without a checksum. */
  const HEADER = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0]);
  const uncompressed = (length: number) =>
    Buffer.concat([
      HEADER,
      uint32((0x80000000 | length) >>> 0, 'little'),
      Buffer.alloc(length, 7),
      uint32(0, 'little'),
    ]);

  test('has blocks as large as its header says, and no larger ones', async () => {
    expect(await lz4(uncompressed(65536))).toEqual(Buffer.alloc(65536, 7));
    await expect(lz4(uncompressed(65537))).rejects.toThrow('its bytes in LZ4 are damaged');
  });

  test('has a limit', async () => {
    expect(await lz4(uncompressed(65536), 65536)).toHaveLength(65536);
    await expect(lz4(uncompressed(65536), 65535)).rejects.toThrow('more than 65,535 bytes');
  });
});

describe.each([
  ['gzip', GZIP!, gzipSync],
  ['ZSTD', ZSTD!, zstdCompressSync],
] as const)('%s', (name, codec, compress) => {
  const bytes = Buffer.from('0123456789'.repeat(1000));

  test('has a limit', async () => {
    expect(await decompressed(codec, compress(bytes), bytes.length)).toEqual(bytes);
    await expect(decompressed(codec, compress(bytes), bytes.length - 1)).rejects.toThrow(
      'more than 9,999 bytes',
    );
  });

  test('says that its bytes are damaged', async () => {
    await expect(decompressed(codec, deflateSync(bytes))).rejects.toThrow(`${name} are damaged`);
  });
});

test('a codec that Kafka does not have is named', async () => {
  await expect(decompressed(7, Buffer.alloc(1))).rejects.toThrow('its codec 7 is not known');
});
