/** Cutting files of columns, and what that may take. */
import { describe, expect, test } from 'bun:test';
import { makeData, Null, RecordBatch, RecordBatchStreamWriter, Schema, Field, Struct } from 'apache-arrow';
import { Fault, Format } from '../../assembly/abi.ts';
import { ColumnsError } from '../../src/columns/columns-error.ts';
import {
  type CutLimits,
  cutColumns,
  MAX_CLAIMED_ROWS,
  MAX_ROWS_A_BYTE,
  OWN_FILE,
} from '../../src/columns/cut.ts';
import { T } from '../../src/columns/parquet/thrift.ts';
import { chunk, fileOf, group, joined, leaf, list, page, root } from './parquet-bytes.ts';

const MAX_BODY_BYTES = 32 * 1024 * 1024;

const sourceOf = (bytes: Uint8Array) => ({
  size: bytes.length,
  read: (from: number, length: number) => new Uint8Array(bytes.slice(from, from + length)),
  readInto: (into: Uint8Array, from: number) => into.set(bytes.subarray(from, from + into.length)),
});

const cut = (bytes: Uint8Array, format: Format, limits: Partial<CutLimits> = {}) =>
  cutColumns({
    source: sourceOf(bytes),
    format,
    maxBodyBytes: MAX_BODY_BYTES,
    limits: { ...OWN_FILE, ...limits },
  });

function refusalOf(work: () => unknown): [Fault, string] | null {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof ColumnsError)) throw error;
    return [error.fault, error.message];
  }
}

/** One column of nulls, which takes no bytes. */
function nulls(rows: number): Uint8Array {
  const schema = new Schema([new Field('a', new Null(), true)]);
  const data = makeData({
    type: new Struct(schema.fields),
    length: rows,
    children: [makeData({ type: new Null(), length: rows })],
  });
  const writer = new RecordBatchStreamWriter();
  writer.write(new RecordBatch(schema, data));
  writer.finish();
  return writer.toUint8Array(true);
}

test('a file may claim 10,000,000 rows and 1,000 for each of its bytes', () => {
  const most = MAX_CLAIMED_ROWS + MAX_ROWS_A_BYTE * nulls(1).length;
  expect([MAX_CLAIMED_ROWS, MAX_ROWS_A_BYTE]).toEqual([10_000_000, 1000]);
  expect(cut(nulls(most), Format.ARROW).next().value).toMatchObject({ rows: 10_000, last: false });
  expect(refusalOf(() => cut(nulls(most + 1), Format.ARROW).next())).toEqual([
    Fault.COLUMNS,
    expect.stringContaining('too many for its bytes'),
  ]);
});

describe('pages of Parquet', () => {
  const PAGES = 20;
  const VALUES = 5000;
  const BYTES = VALUES * 4;
  const pages = joined(Array.from({ length: PAGES }, () => page(VALUES, new Uint8Array(BYTES))));
  const names = ['a', 'b', 'c'];
  const rows = PAGES * VALUES;
  const chunks = names.map((name, i) => chunk(name, rows, 4 + i * pages.length, pages.length));
  const file = fileOf(
    joined(names.map(() => pages)),
    list(T.STRUCT, [root(names.length), ...names.map(leaf)]),
    list(T.STRUCT, [group(chunks, rows)]),
  );
  const bodiesWith = (limits: Partial<CutLimits>) => [...cut(file, Format.PARQUET, limits)];
  const whole = bodiesWith({});

  test('are freed when their rows are cut, and decoded again where they cannot be kept', () => {
    expect(whole.map(body => body.rows)).toEqual(Array.from({ length: 10 }, () => 10_000));
    // Of each column two pages for 10,000 rows, the next one, and the one before; twice, as they are copied.
    const kept = names.length * 4 * 2 * BYTES;
    expect(bodiesWith({ kept, column: 0 })).toEqual(whole);
    expect(bodiesWith({ kept: 0, column: 4 * 2 * BYTES })).toEqual(whole);
    expect(refusalOf(() => bodiesWith({ kept: 0, column: BYTES }))).toEqual([Fault.TEXTS, '']);
  });

  test('have a size that they may have', () => {
    expect(bodiesWith({ page: BYTES })).toEqual(whole);
    expect(refusalOf(() => bodiesWith({ page: BYTES - 1 }))?.[1]).toContain("'a'");
  });
});
