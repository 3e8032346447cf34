/** How large a record batch of a file may be. The bytes of its columns are zeros, and stand nowhere. */
import { expect, test } from 'bun:test';
import { Layout } from '../../assembly/abi.ts';
import { ArrowFile } from '../../src/columns/arrow/file.ts';
import { schemaMessage, streamOf } from '../../src/columns/arrow/writer.ts';
import { MAX_BATCH_BYTES } from '../../src/columns/cut.ts';
import type { Field } from '../../src/columns/field.ts';

const SMALL = 1_234_560;

const FIELD: Field = {
  name: 'a',
  physicalType: 'uint8',
  layout: Layout.UINT8,
  parameter: 0,
  nesting: null,
  children: [],
  dictionary: null,
  isJson: false,
};

/** A stream of one column, whose one record batch has `bytes`. */
function fileOf(bytes: number): ArrowFile {
  const column = { nulls: 0, buffers: [new Uint8Array(0), new Uint8Array(SMALL)] };
  const small = streamOf(schemaMessage([FIELD]), SMALL, [column]);
  const head = small.slice(0, small.length - SMALL - 8);
  const view = new DataView(head.buffer);
  for (let at = 0; at + 8 <= head.length; at++)
    if (view.getBigInt64(at, true) === BigInt(SMALL)) view.setBigInt64(at, BigInt(bytes), true);
  const read = (from: number, length: number) => {
    const part = new Uint8Array(length);
    part.set(head.subarray(from, from + length));
    return part;
  };
  return new ArrowFile({ size: head.length + bytes + 8, read, readInto: () => {} }, MAX_BATCH_BYTES);
}

test('a record batch of 512 MiB is read', () => {
  const rows = [...fileOf(MAX_BATCH_BYTES).rows()].map(each => each.rows);
  expect(rows).toEqual([MAX_BATCH_BYTES]);
});

test('a larger one is refused with a sentence that says so', () => {
  expect(() => [...fileOf(MAX_BATCH_BYTES + 64).rows()]).toThrow(
    'A record batch with its dictionaries may have at most 512 MiB, decompressed',
  );
});
