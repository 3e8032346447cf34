/** Kafka's integers of variable length, compared with the arithmetic of BigInt. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { sizeOfInt, sizeOfLong, VarintReader, VarintWriter } from '../../src/stream/varint.ts';

/** A plain reading of the format. */
function plain(value: bigint): number[] {
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  const bytes: number[] = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

const EDGES = [0n, -1n, 63n, -64n, 64n, 2n ** 31n - 1n, -(2n ** 31n)];
const LONG_EDGES = [...EDGES, 2n ** 27n, -(2n ** 27n) - 1n, 2n ** 28n, 2n ** 63n - 1n, -(2n ** 63n)];
const ints = fc.oneof(fc.constantFrom(...EDGES), fc.integer().map(BigInt));
const longs = fc.oneof(fc.constantFrom(...LONG_EDGES), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n));

test('integers of 32 bits are written and read as the format says', () => {
  fc.assert(
    fc.property(ints, value => {
      const bytes = Buffer.from(plain(value));
      expect(sizeOfInt(Number(value))).toBe(bytes.length);
      expect(new VarintWriter(Buffer.alloc(bytes.length)).int(Number(value)).bytes).toEqual(bytes);
      expect(new VarintReader(bytes).int()).toBe(Number(value));
    }),
  );
});

test('integers of 64 bits too', () => {
  fc.assert(
    fc.property(longs, value => {
      const bytes = Buffer.from(plain(value));
      expect(sizeOfLong(value)).toBe(bytes.length);
      expect(new VarintWriter(Buffer.alloc(bytes.length)).long(value).bytes).toEqual(bytes);
      expect(new VarintReader(bytes).long()).toBe(value);
    }),
  );
});

test('bytes that end too early, or have too many bits, are an error', () => {
  expect(() => new VarintReader(Buffer.from([0x80])).int()).toThrow('the bytes end too early');
  expect(() => new VarintReader(Buffer.alloc(5, 0x80)).int()).toThrow('more than 32 bits');
  expect(() => new VarintReader(Buffer.alloc(10, 0x80)).long()).toThrow('more than 64 bits');
  expect(() => new VarintReader(Buffer.from([4, 1])).sized()).toThrow('the bytes end too early');
  expect(() => new VarintReader(Buffer.from([3])).sized()).toThrow('the bytes end too early');
});
