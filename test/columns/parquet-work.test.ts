/** A Parquet page of few bytes asks for little work; and its packed numbers are those that its bytes say. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { T } from '../../src/columns/parquet/thrift.ts';
import { Cursor, readDeltas } from '../../src/columns/parquet/runs.ts';
import { HEAP } from '../../src/columns/scratch.ts';
import {
  chunk,
  fileOf,
  group,
  integer,
  joined,
  list,
  page,
  root,
  struct,
  text,
  varint,
} from './parquet-bytes.ts';
import {
  BOOLEAN,
  BYTE_ARRAY,
  type Column,
  DELTA_LENGTHS,
  DELTAS,
  DICTIONARY,
  DOUBLE,
  FIXED,
  fileWith,
  INT32,
  INT64,
  INT96,
  length32,
  PLAIN,
  PREFIXED,
  RLE,
  run,
  same,
  SPLIT,
} from './parquet-column.ts';
import { MAX_BYTES, readParquet } from './read-parquet.ts';

const MANY = 200_000;

const ENCODED: Record<string, Column> = {
  'plain booleans': { type: BOOLEAN, encoding: PLAIN, data: new Uint8Array(MANY / 8), count: MANY },
  'plain numbers of 96 bits': { type: INT96, encoding: PLAIN, data: new Uint8Array(MANY * 12), count: MANY },
  'plain texts': { type: BYTE_ARRAY, encoding: PLAIN, data: new Uint8Array(MANY * 4), count: MANY },
  'runs of booleans': {
    type: BOOLEAN,
    encoding: RLE,
    data: length32(joined([run(1, MANY)])),
    count: MANY,
    rows: 2,
  },
  deltas: { type: INT64, encoding: DELTAS, data: same(MANY), count: MANY },
  'deltas in the smallest blocks': { type: INT32, encoding: DELTAS, data: same(MANY, 64, 8, 1), count: MANY },
  'lengths as deltas': { type: BYTE_ARRAY, encoding: DELTA_LENGTHS, data: same(MANY, 64), count: MANY },
  'texts with prefixes': {
    type: BYTE_ARRAY,
    encoding: PREFIXED,
    data: joined([same(MANY), same(MANY)]),
    count: MANY,
  },
  'split doubles': { type: DOUBLE, encoding: SPLIT, data: new Uint8Array(MANY * 8), count: MANY },
};

describe.each(Object.keys(ENCODED))('a page of 200,000 values as %s', name => {
  test('is read whole, in less than half a second of processor time', () => {
    const { ms, rows, refusal } = readParquet(fileWith(ENCODED[name]!));
    expect({ rows, refusal }).toEqual({ rows: ENCODED[name]!.rows ?? 1, refusal: null });
    expect(ms).toBeLessThan(500);
  });
});

describe('a run of no values is damage', () => {
  const levels = (junk: number[]) =>
    joined([length32(joined([junk, run(0, 1), run(1, 7)])), length32(joined([run(1, 8)]))]);
  const flags = { type: BOOLEAN, encoding: PLAIN, data: new Uint8Array(1), count: 8 };
  test.each<[string, number[]]>([
    ['of one value', [0, 0]],
    ['of groups', [1]],
  ])('%s, among levels', (_, junk) => {
    expect(readParquet(fileWith({ ...flags, levels: levels([]) })).refusal).toBeNull();
    expect(readParquet(fileWith({ ...flags, levels: levels(junk) })).refusal).toContain('run of no values');
  });

  test('among booleans', () => {
    const data = length32(joined([[0, 0], run(1, 8)]));
    expect(readParquet(fileWith({ ...flags, encoding: RLE, data })).refusal).toContain('run of no values');
  });
});

describe('values that a column of lists claims', () => {
  const claims = (count: number, rows: number) =>
    readParquet(fileWith({ type: INT64, encoding: DELTAS, data: same(2, 0), count, rows })).refusal;

  test('are at most 100,000 for each row and 100 for each byte', () => {
    const length = fileWith({ type: INT64, encoding: DELTAS, data: same(2, 0), count: 130_000 }).length;
    expect(claims(100_000, 1)).toContain('a page ends inside its values');
    expect(claims(100_000 + 100 * length, 1)).toContain('values, and its row group 1 rows');
    expect(claims(200_000, 2)).toContain('a page ends inside its values');
  });
});

test('a page without compression counts with the bytes that it has, whatever its header says', () => {
  const bytes = new Uint8Array(MAX_BYTES);
  const head = struct({ 1: integer(1), 2: integer(0), 3: integer(3), 4: integer(3) });
  const pages = joined([
    struct({ 1: integer(0), 2: integer(0), 3: integer(bytes.length), 5: head }).bytes,
    bytes,
  ]);
  const leaf = struct({ 1: integer(1), 3: integer(0), 4: text('a') });
  const groups = Array(16).fill(group([chunk('a', 1, 4, pages.length)], 1));
  const file = fileOf(pages, list(T.STRUCT, [root(1), leaf]), list(T.STRUCT, groups));
  expect(readParquet(file).refusal).toBe('16,000,000');
});

test('the header of a page that many chunks share counts each time', () => {
  const long = page(1, new Uint8Array(4), { 9: text('x'.repeat(4_000_000)) });
  const leaf = struct({ 1: integer(1), 3: integer(0), 4: text('a') });
  const groups = Array(100).fill(group([chunk('a', 1, 4, long.length)], 1));
  const file = fileOf(long, list(T.STRUCT, [root(1), leaf]), list(T.STRUCT, groups));
  expect(readParquet(file).refusal).toBe('16,000,000');
});

test('an entry of a dictionary that is repeated counts with its bytes each time', () => {
  const width = 1000;
  const entry = struct({ 1: integer(1), 2: integer(0) });
  const sized = { 1: integer(2), 2: integer(width), 3: integer(width), 7: entry };
  const before = joined([struct(sized).bytes, new Uint8Array(width)]);
  const named = (count: number) =>
    readParquet(
      fileWith({
        type: FIXED,
        encoding: DICTIONARY,
        data: joined([[1], run(0, count)]),
        count,
        width,
        before,
      }),
    ).refusal;
  const most = Math.floor(MAX_BYTES / width);
  expect(named(most)).toBeNull();
  expect(named(most + 1)).toContain('bytes; at most 8,388,608 are read');
});

test('a long name of a group takes no memory in the columns below it', () => {
  const columns = 9000;
  const schema = list(T.STRUCT, [
    root(1),
    struct({ 3: integer(0), 4: text('x'.repeat(4_000_000)), 5: integer(columns) }),
    ...Array.from({ length: columns }, (_, i) =>
      struct({ 1: integer(1), 3: integer(0), 4: text(String(i)) }),
    ),
  ]);
  const file = fileOf(new Uint8Array(), schema, list(T.STRUCT, []));
  const before = process.memoryUsage().rss;
  const { ms, refusal } = readParquet(file);
  expect(refusal).toBeNull();
  expect(ms).toBeLessThan(500);
  expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
});

describe('deltas', () => {
  /** As the format describes them, with BigInts. */
  function packed(
    values: bigint[],
    block: number,
    miniblocks: number,
    widen: number,
  ): Uint8Array<ArrayBuffer> {
    const bytes: number[] = [...varint(block), ...varint(miniblocks), ...varint(values.length)];
    const zigzag = (value: bigint) => {
      let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
      for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
      bytes.push(Number(rest));
    };
    zigzag(values[0]!);
    const each = block / miniblocks;
    for (let from = 1; from < values.length; from += block) {
      const deltas = values
        .slice(from, from + block)
        .map((value, i) => BigInt.asIntN(64, value - values[from + i - 1]!));
      const [least] = deltas.toSorted((a, b) => Number(a > b) - Number(a < b)) as [bigint];
      const rest = deltas.map(delta => BigInt.asUintN(64, delta - least));
      zigzag(least);
      const parts = Array.from({ length: miniblocks }, (_, i) => rest.slice(i * each, (i + 1) * each));
      const widths = parts.map(part =>
        part.length === 0
          ? 0
          : Math.min(
              64,
              widen + Math.max(...part.map(value => (value === 0n ? 0 : value.toString(2).length))),
            ),
      );
      bytes.push(...widths);
      for (const [i, part] of parts.entries()) {
        let bits = 0n;
        for (const [k, value] of part.entries()) bits |= value << BigInt(k * widths[i]!);
        if (part.length > 0)
          for (let k = 0; k < (each * widths[i]!) / 8; k++)
            bytes.push(Number((bits >> BigInt(8 * k)) & 0xffn));
      }
    }
    return Uint8Array.from(bytes);
  }

  const number = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -(2n ** 31n), max: 2n ** 31n - 1n }),
    fc.bigInt({ min: -5n, max: 5n }),
  );
  const shape = fc.constantFrom([8, 1], [32, 4], [128, 4], [64, 2]);

  test('of 64 and of 32 bits are the numbers that were packed', () => {
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 1, maxLength: 300 }),
        shape,
        fc.integer({ min: 0, max: 3 }),
        (values, [block, miniblocks], widen) => {
          const bytes = packed(values, block!, miniblocks!, widen);
          const long = readDeltas(new Cursor(bytes), values.length, true, HEAP);
          expect([...new BigInt64Array(long.buffer)]).toEqual(values);
          const short = readDeltas(new Cursor(bytes), values.length, false, HEAP);
          expect([...new Int32Array(short.buffer)]).toEqual(
            values.map(value => Number(BigInt.asIntN(32, value))),
          );
        },
      ),
    );
  });
});
