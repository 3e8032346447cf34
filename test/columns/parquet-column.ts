/** Parquet files of one column with one page, in any encoding: a list has all its values in few rows, and its levels in few bytes. */
import { T } from '../../src/columns/parquet/thrift.ts';
import { chunk, fileOf, group, integer, joined, list, root, struct, text, varint } from './parquet-bytes.ts';

/** As in parquet.thrift. */
export const [BOOLEAN, INT32, INT64, INT96, DOUBLE, BYTE_ARRAY, FIXED] = [0, 1, 2, 3, 5, 6, 7];
export const [PLAIN, RLE, DELTAS, DELTA_LENGTHS, PREFIXED, DICTIONARY, SPLIT] = [0, 3, 5, 6, 7, 8, 9];
const [REQUIRED, REPEATED] = [0, 2];

export const length32 = (bytes: Uint8Array) =>
  joined([new Uint8Array(new Uint32Array([bytes.length]).buffer), bytes]);
export const run = (value: number, count: number) => [...varint(count * 2), value];

export interface Column {
  type: number;
  encoding: number;
  /** Of the values behind the levels. */
  data: Uint8Array;
  count: number;
  rows?: number;
  repetition?: number;
  /** In place of levels of one row. */
  levels?: Uint8Array;
  width?: number;
  before?: Uint8Array;
}

/** A file of one column with one page; a list has all its values in its first row. */
export function fileWith(column: Column): Uint8Array<ArrayBuffer> {
  const { type, encoding, data, count, rows = 1, repetition = REPEATED, width, before } = column;
  const levels =
    repetition === REQUIRED
      ? new Uint8Array()
      : (column.levels ??
        joined([length32(joined([run(0, rows), run(1, count - rows)])), length32(joined([run(1, count)]))]));
  const bytes = joined([levels, data]);
  const head = struct({ 1: integer(count), 2: integer(encoding), 3: integer(RLE), 4: integer(RLE) });
  const sized = { 1: integer(0), 2: integer(bytes.length), 3: integer(bytes.length), 5: head };
  const pages = joined([before ?? [], struct(sized).bytes, bytes]);
  const leaf = struct({
    1: integer(type),
    ...(width !== undefined && { 2: integer(width) }),
    3: integer(repetition),
    4: text('a'),
  });
  const groups = list(T.STRUCT, [group([chunk('a', count, 4, pages.length, type)], rows)]);
  return fileOf(pages, list(T.STRUCT, [root(1), leaf]), groups);
}

/** Numbers that are the same, as deltas. */
export const same = (count: number, width = 0, block = 128, miniblocks = 4) => {
  const each = [0, ...Array(miniblocks).fill(width), ...Array((block * width) / 8).fill(0)];
  const blocks = Math.ceil((count - 1) / block);
  const head = joined([varint(block), varint(miniblocks), varint(count), [0]]);
  return joined([head, new Uint8Array(blocks * each.length).map((_, i) => each[i % each.length]!)]);
};
