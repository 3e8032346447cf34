/** Parquet files as other programs write them: what is in them is read right, or named. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Format } from '../../assembly/abi.ts';
import { T } from '../../src/columns/parquet/thrift.ts';
import { newEngine, screenBytes } from '../engine/screen-bytes.ts';
import { chunk, fileOf, group, integer, list, leaf, page, root, struct, text } from './parquet-bytes.ts';
import { readParquet } from './read-parquet.ts';

const bytesOf = (name: string) => Bun.file(join(import.meta.dir, 'files', name)).bytes();

async function valuesOf(name: string): Promise<Record<string, unknown[]>> {
  const engine = newEngine();
  const { profile } = screenBytes(engine, await bytesOf(name), { format: Format.PARQUET });
  return Object.fromEntries(
    profile!.fields.map(({ name }, i) => [name, engine.cells(i).map(cell => cell.value)]),
  );
}

test('times of 96 bits are right in every year', async () => {
  expect(await valuesOf('int96.parquet')).toEqual({
    at: ['9999-12-31T23:59:59.999999Z', '0001-01-01T00:00:00Z', '2026-11-27T01:02:03.000004Z', null],
  });
});

test('a name with a dot is no path', async () => {
  expect(await valuesOf('dots.parquet')).toEqual({ 'a.b': [1, 2], a: [{ b: 'x' }, { b: 'y' }] });
});

describe('a page with a checksum', () => {
  test('is read if it has that checksum', async () => {
    expect(await valuesOf('checksums.parquet')).toEqual({ a: [1, 2, 3], b: ['x', 'y', null] });
  });

  test('is refused if it has another one', async () => {
    const bytes = await bytesOf('checksums.parquet');
    const at = Buffer.from(bytes).indexOf(new Uint8Array(new BigInt64Array([1n, 2n, 3n]).buffer));
    bytes[at] = 9;
    expect(readParquet(bytes).refusal).toBe(
      "The Parquet file is damaged: a page of 'a' does not have its checksum",
    );
  });
});

test('times of 96 bits that microseconds of 64 bits cannot hold are refused', () => {
  const time = new Uint8Array(12);
  new DataView(time.buffer).setInt32(8, 2 ** 31 - 1, true);
  const one = page(1, time);
  const schema = list(T.STRUCT, [root(1), struct({ 1: integer(3), 3: integer(0), 4: text('at') })]);
  const groups = list(T.STRUCT, [group([chunk('at', 1, 4, one.length, 3)], 1)]);
  expect(readParquet(fileOf(one, schema, groups)).refusal).toBe(
    "The Parquet file has a time in 'at' that is more than 292,000 years from 1970, which is not read",
  );
});

test.each([
  ['encrypted', 'The Parquet file is encrypted, which is not read: write it without encryption'],
  ['encrypted-column', "The Parquet file has the encrypted column 'b', which is not read"],
])('%s.parquet is refused as what it is', async (name, message) => {
  const engine = newEngine();
  const { refused } = screenBytes(engine, await bytesOf(`${name}.parquet`), { format: Format.PARQUET });
  expect(refused?.reason).toBe(message);
});

test('a column that is encrypted is refused by its name', () => {
  const one = page(1, new Uint8Array(4));
  const encryption = { 8: struct({ 1: struct({}) }) };
  const chunks = [chunk('a', 1, 4, one.length), chunk('b', 1, 4, one.length, 1, encryption)];
  const schema = list(T.STRUCT, [root(2), leaf('a'), leaf('b')]);
  expect(readParquet(fileOf(one, schema, list(T.STRUCT, [group(chunks, 1)]))).refusal).toBe(
    "The Parquet file has the encrypted column 'b', which is not read",
  );
});
