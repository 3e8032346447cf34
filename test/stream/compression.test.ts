/** Record batches of Kafka that are damaged, or made to do harm. */
import { describe, expect, test } from 'bun:test';
import { lz4, snappy } from '../../src/stream/kafka/compression.ts';

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

  test('is read block after block', () => {
    expect(snappy(two)).toEqual(Buffer.concat([TEN, TEN]));
    expect(snappy(block)).toEqual(TEN);
  });

  test.each([
    ['of a negative length, as -4', 0xfffffffc],
    ['of a length beyond the end', block.length + 1],
    ['without a byte', 0],
  ])('with a block %s is refused', (_, length) => {
    expect(() => snappy(Buffer.concat([HEADER, framed(length)]))).toThrow(
      'a record batch in Snappy cannot be',
    );
  });

  test('has a limit for all blocks together', () => {
    expect(snappy(two, 20)).toHaveLength(20);
    expect(() => snappy(two, 19)).toThrow('a record batch in Snappy cannot be decompressed');
    expect(snappy(block, 10)).toHaveLength(10);
    expect(() => snappy(block, 9)).toThrow('a record batch in Snappy cannot be decompressed');
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

  test('has blocks as large as its header says, and no larger ones', () => {
    expect(lz4(uncompressed(65536))).toEqual(Buffer.alloc(65536, 7));
    expect(() => lz4(uncompressed(65537))).toThrow('a record batch in LZ4 cannot be decompressed');
  });
});
