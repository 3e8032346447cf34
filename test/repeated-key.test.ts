import { describe, expect, test } from 'bun:test';
import { repeatedKeyIn } from '../src/repeated-key.ts';

describe('a key that a map has twice is found, with both lines', () => {
  test.each([
    ['a: 1\na: 2', 'a', 2, 1],
    ['a:\n  b: 1\n  c: 2\n  b: 3', 'b', 4, 2],
    ['- a: 1\n  a: 2', 'a', 2, 1],
    ['- - a: 1\n    a: 2', 'a', 2, 1],
    ['x:\n- a: 1\n- a: 2\ny: 1\nx: 2', 'x', 5, 1],
    ['{"a": 1,\n "b": {"a": 2,\n "a": 3}}', 'a', 3, 2],
    ['f: { a: 1, b: [a, a], a: 2 }', 'a', 1, 1],
    ['"a": 1\na : 2', 'a', 2, 1],
    ["'a''b': 1\n\"a'b\": 2", "a'b", 2, 1],
    ['{"\\u0061": 1, "a": 2}', 'a', 1, 1],
    ['a: &x\n  b: 1\n  b: 2', 'b', 3, 2],
    ['a: !!map\n  c: 1\n  c: 1', 'c', 3, 2],
    ['a:\r\n  b: 1\r\n  b: 2\r\n', 'b', 3, 2],
    ['a: {b: "}", c: \'{\', b: 1}', 'b', 1, 1],
    ['--- # rules\na: 1\na: 2', 'a', 3, 2],
    ['__proto__: 1\n__proto__: 2', '__proto__', 2, 1],
  ])('%j', (text, key, line, firstLine) => {
    expect(repeatedKeyIn(text)).toMatchObject({ key, line, firstLine });
  });
});

test.each([
  ['a: 1\na: 2', []],
  ['a:\n  b:\n    c: 1\n    c: 2', ['a', 'b']],
  ['a: 1\nb: {c: {d: 1}, e: [1, {f: 1}, [{g: 1, g: 2}]]}', ['b', 'e', 2, 0]],
  ['{"a": {"x": [1, 2]}, "b": {"c": 1, "c": 2}}', ['b']],
])('%j: what is around it is told', (text, path) => {
  expect(repeatedKeyIn(text)!.path).toEqual(path);
});

test.each([
  ['{"a": {"x": 1, "x": 2}, "b": {"y": 1, "y": 2}}', 'b', ['y', ['b']]],
  ['{"a": 1, "a": 2, "b": 1, "b": 2}', 'b', ['b', []]],
  ['a: 1\na: 2\nb:\n  y: 1\n  y: 2', 'b', ['y', ['b']]],
  ['{"a": {"b": 1, "b": 2}}', 'b', null],
])('%j: the first one in the member %j is found', (text, member, expected) => {
  const found = repeatedKeyIn(text, member);
  expect(found && [found.key, found.path]).toEqual(expected as [string, string[]] | null);
});

describe('no repeated key is found in', () => {
  test.each([
    ['maps beside each other', 'a:\n  b: 1\nc:\n  b: 1'],
    ['entries of a list', '- a: 1\n- a: 2'],
    ['maps in a list in brackets', 'a: [\n  {x: 1, y: 2},\n  {x: 1}\n]\nb: 1'],
    ['a block of text', 't: |\n  a: 1\n  a: 2\nu: 1'],
    ['a folded text', 'a: >-\n\n  x: 1\n  x: 2\n\nb:\n  - c\n'],
    ['a text that goes on', 't: text\n  goes {on: and, on\nu: 1'],
    ['a quoted text that goes on', 'a: "x: 1\n  y"\nb: 1'],
    ['a comment', '# a: 1\na: 1 # a: 2\n'],
    ['addresses', 'a: http://x.y/z\nb: x:y\n'],
    ['merges', '<<: *a\n<<: *b'],
    ['documents behind each other', 'a: 1\n---\na: 2'],
    ['pairs in a list', 'k: [a: 1, a: 2]'],
    ['patterns', 'k: {re: ^[a]$, r: x:y}'],
  ])('%s', (_, text) => {
    expect(repeatedKeyIn(text)).toBeNull();
  });
});

test('takes time in proportion to the text, whatever the text', () => {
  const shapes = ['{', '[', '"', "'", '- ', '&a ', 'a ', ': ', '{a: ', "''", '\n', '\\', 'a: |\n ', '[a b'];
  for (const shape of shapes) repeatedKeyIn(shape.repeat(262_144 / shape.length));
  const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`);
  expect(repeatedKeyIn(keys.concat('k7: 2').join('\n'))).toMatchObject({
    key: 'k7',
    line: 20_001,
    firstLine: 8,
  });
});
