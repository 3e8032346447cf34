import { describe, expect, test } from 'bun:test';
import { repeatedKeyIn } from '../../src/documents/repeated-key.ts';

describe('a key that an object has twice is found, with both lines and what is around it', () => {
  test.each([
    ['{"a": 1,\n "a": 2}', 'a', 2, 1, []],
    ['{"a": 1,\n "b": {"a": 2,\n "a": 3}}', 'a', 3, 2, ['b']],
    ['{"\\u0061": 1, "a": 2}', 'a', 1, 1, []],
    ['{"a": {"x": [1, 2]}, "b": {"c": 1, "c": 2}}', 'c', 1, 1, ['b']],
    ['{"b": {"c": {"d": 1}, "e": [1, {"f": 1}, [{"g": 1, "g": 2}]]}}', 'g', 1, 1, ['b', 'e', 2, 0]],
    ['{"a\\\\": "}", "b\\"": ":", "a\\\\": 1}', 'a\\', 1, 1, []],
    ['{"__proto__": 1, "__proto__": 2}', '__proto__', 1, 1, []],
  ])('%j', (text, key, line, firstLine, path) => {
    expect(repeatedKeyIn(text)).toEqual({ key, path, line, firstLine });
  });
});

test.each([
  ['{"a": {"x": 1, "x": 2}, "b": {"y": 1, "y": 2}}', 'b', ['y', ['b']]],
  ['{"a": 1, "a": 2, "b": 1, "b": 2}', 'b', ['b', []]],
  ['{"a": {"b": 1, "b": 2}}', 'b', null],
])('%j: the first one in the member %j is found', (text, member, expected) => {
  const found = repeatedKeyIn(text, member);
  expect(found && [found.key, found.path]).toEqual(expected as [string, string[]] | null);
});

test.each([
  ['objects beside each other', '{"a": {"b": 1}, "c": {"b": 1}}'],
  ['entries of a list', '[{"a": 1}, {"a": 2}]'],
  ['texts like keys', '{"a": "\\"b\\": 1", "b": ["a", "b", "a:"]}'],
  ['a number', '1'],
])('no repeated key is found in %s', (_, text) => {
  expect(repeatedKeyIn(text)).toBeNull();
});

test('long texts and many keys are read', () => {
  const long = 'x"\\'.repeat(90_000);
  expect(repeatedKeyIn(JSON.stringify({ [long]: long, b: { [long]: 1 } }))).toBeNull();
  const keys = Array.from({ length: 20_000 }, (_, i) => `"k${i}": 1`);
  expect(repeatedKeyIn(`{${[...keys, '"k7": 2'].join(',\n')}}`)).toMatchObject({
    key: 'k7',
    line: 20_001,
    firstLine: 8,
  });
});
