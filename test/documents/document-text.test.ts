import { describe, expect, test } from 'bun:test';
import {
  DocumentError,
  MAX_DEPTH,
  MAX_DOCUMENT_BYTES,
  MAX_VALUES,
  readDocument,
} from '../../src/documents/document-text.ts';

const read = (text: string) => readDocument(new TextEncoder().encode(text));

test('reads YAML and JSON, and dates stay texts', () => {
  expect(read('{"a": [1, "x"]}').value).toEqual({ a: [1, 'x'] });
  expect(read('a: [1, x]\nd: 2026-11-22').value).toEqual({ a: [1, 'x'], d: '2026-11-22' });
  expect(read('{a: 1}').value).toEqual({ a: 1 });
});

test.each([
  ['a: 1\nfields:\n  b:\n    minimum: x', ['fields', 'b', 'minimum'], 4],
  ['{"a": 1,\n "b": {\n  "c": 2}}', ['b', 'c'], 3],
  ['list:\n  - 1\n  - 2', ['list', 1], 3],
  ['a:\n  b: 1', ['a', 'gone', 'deeper'], 1],
])('knows the line of a value: %j', (text, path, line) => {
  expect(read(text).lineOf(path)).toBe(line);
});

test('a mistake has its line', () => {
  const error = (() => {
    try {
      read('a: 1\nb: [1, 2\nc: 3');
    } catch (thrown) {
      return thrown as DocumentError;
    }
  })();
  expect(error).toBeInstanceOf(DocumentError);
  expect(error!.line).toBe(3);
});

test.each([
  ['fields:\n  id: { unique: true }\n  id: { nullable: false }', 3],
  ['{"fields": {},\n "fields": {}}', 2],
])('a name that is there twice is a mistake with its line: %j', (text, line) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({ line, message: expect.stringContaining('twice') }),
  );
});

test.each([
  ['? [a, b]\n: 1', 1],
  ['a: 1\nb:\n  ? {c: 1}\n  : 2', 3],
  ['a: &list [1]\n*list : 2', 2],
])('a key that is a map or a list is a mistake with its line: %j', (text, line) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({ line, message: 'A key must be a text, not a map or a list' }),
  );
});

test('a merge of what is no map is a mistake', () => {
  expect(() => read('a: 1\n<<: 5')).toThrow(DocumentError);
});

test.each(['? ', '- '])('%j by the thousands is nested too deep', text => {
  expect(() => read(text.repeat(2000))).toThrow(`It may be nested at most ${MAX_DEPTH} deep`);
});

describe('bounds', () => {
  const list = (count: number) => `[${Array(count).fill('1').join(',')}]`;
  test.each([
    ['bytes', `a: ${'x'.repeat(MAX_DOCUMENT_BYTES - 3)}`, `a: ${'x'.repeat(MAX_DOCUMENT_BYTES - 2)}`],
    [
      'depth',
      '['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH),
      '['.repeat(MAX_DEPTH + 1) + ']'.repeat(MAX_DEPTH + 1),
    ],
    ['values', list(MAX_VALUES - 1), list(MAX_VALUES)],
  ])('of %s: at the limit it is read, past it refused', (_, within, past) => {
    expect(read(within).value).toBeDefined();
    expect(() => read(past)).toThrow(DocumentError);
  });

  test.each([
    ['brackets', '['.repeat(200_000)],
    ['dashes', '- '.repeat(100_000)],
    [
      'merges',
      `a: &a {${Array.from({ length: 10_000 }, (_, i) => `x${i}: 1`).join(', ')}}\n${'b: {<<: *a}\n'.repeat(100)}`,
    ],
    [
      'aliases',
      `a: &a [1,1,1,1,1,1,1,1,1]\n${[...'bcdefghij'].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefghij'[i]}`).join(',')}]`).join('\n')}`,
    ],
    ['a circle', 'a: &a [*a]'],
    ['bytes that are no text', '\ud800'],
  ])('hostile %s are refused', (what, text) => {
    const bytes =
      what === 'bytes that are no text' ? new Uint8Array([0xff, 0xfe]) : new TextEncoder().encode(text);
    expect(() => readDocument(bytes)).toThrow(DocumentError);
  });
});
