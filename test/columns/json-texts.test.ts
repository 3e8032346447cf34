/** Columns of texts that say that they are JSON: objects and arrays are told from texts where they lie. */
import { expect, test } from 'bun:test';
import { Format } from '../../assembly/abi.ts';
import { T } from '../../src/columns/parquet/thrift.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';
import { chunk, fileOf, group, integer, joined, list, page, root, struct, text } from './parquet-bytes.ts';

const [BYTE_ARRAY, JSON_TEXT] = [6, 19];
const MIB = 1024 * 1024;

function parquetOf(texts: string[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const data = joined(
    texts.flatMap(each => {
      const bytes = encoder.encode(each);
      return [new Uint8Array(new Uint32Array([bytes.length]).buffer), bytes];
    }),
  );
  const pages = page(texts.length, data);
  const leaf = struct({ 1: integer(BYTE_ARRAY), 3: integer(0), 4: text('a'), 6: integer(JSON_TEXT) });
  const groups = [group([chunk('a', texts.length, 4, pages.length, BYTE_ARRAY)], texts.length)];
  return fileOf(pages, list(T.STRUCT, [root(1), leaf]), list(T.STRUCT, groups));
}

function countsOf(texts: string[]): Record<string, number> {
  const { profile } = screenBytes(ENGINE, parquetOf(texts), { format: Format.PARQUET });
  return profile!.fields[0]!.counts;
}

test.each<[string, 'object' | 'array' | 'string']>([
  ['{}', 'object'],
  ['{"a": [1, {"b": null}], "c": "\\u00e4"}', 'object'],
  ['[]', 'array'],
  [' [1, 2]\n', 'array'],
  ['[1, 2', 'string'],
  ['{"a": 1', 'string'],
  ['{"a', 'string'],
  ['{"a": 01}', 'string'],
  ['[1] 2', 'string'],
  ['"text"', 'string'],
  ['17', 'string'],
  ['true', 'string'],
  ['', 'string'],
])('%p is told from the texts behind it', (json, kind) => {
  const counts = { object: 0, array: 0, string: 3, [kind]: kind === 'string' ? 6 : 3 };
  expect(countsOf([json, ']', json, '}', json, '": 1}'])).toMatchObject(counts);
});

test('a text of up to 4 MiB is checked, and of a longer one only the first bracket', () => {
  const open = (bytes: number) => `[${' '.repeat(bytes - 1)}`;
  expect(countsOf([open(4 * MIB), open(4 * MIB + 1)])).toMatchObject({ string: 1, array: 1 });
});

test('millions of objects in a text take no memory of their own', () => {
  const texts = [`[${'{},'.repeat(MIB)}{}]`];
  countsOf(texts);
  const before = process.memoryUsage().rss;
  expect(countsOf(texts)).toMatchObject({ array: 1 });
  // JSON.parse would take 64 bytes for each.
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
});
