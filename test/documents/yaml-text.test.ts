import { describe, expect, test } from 'bun:test';
import { YamlText } from '../../src/documents/yaml-text.ts';

describe('a key that a map has twice is found, with both lines', () => {
  test.each([
    ['a: 1\na: 2', 'a', 2, 1],
    ['a:\n  b: 1\n  c: 2\n  b: 3', 'b', 4, 2],
    ['- a: 1\n  a: 2', 'a', 2, 1],
    ['- - a: 1\n    a: 2', 'a', 2, 1],
    ['x:\n- a: 1\n- a: 2\ny: 1\nx: 2', 'x', 5, 1],
    ['f: { a: 1, b: [a, a], a: 2 }', 'a', 1, 1],
    ['"a": 1\na : 2', 'a', 2, 1],
    ["'a''b': 1\n\"a'b\": 2", "a'b", 2, 1],
    ['a: &x\n  b: 1\n  b: 2', 'b', 3, 2],
    ['a: !!map\n  c: 1\n  c: 1', 'c', 3, 2],
    ['a:\r\n  b: 1\r\n  b: 2\r\n', 'b', 3, 2],
    ['a: {b: "}", c: \'{\', b: 1}', 'b', 1, 1],
    ['--- # rules\na: 1\na: 2', 'a', 3, 2],
    ['__proto__: 1\n__proto__: 2', '__proto__', 2, 1],
    ['1: a\n"1": b', '1', 2, 1],
    ['? a\n: 1\na: 2', 'a', 3, 1],
  ])('%j', (text, key, line, firstLine) => {
    expect(new YamlText(text).repeatedKey()).toEqual({ key, line, firstLine });
  });
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
    ['pairs in a list', 'k: [a: 1, a: 2]'],
    ['patterns', 'k: {re: ^[a]$, r: x:y}'],
  ])('%s', (_, text) => {
    expect(new YamlText(text).repeatedKey()).toBeNull();
  });
});

test('20,000 keys of one map take no quadratic time', () => {
  const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`);
  const before = process.cpuUsage();
  const found = new YamlText([...keys, 'k7: 2'].join('\n')).repeatedKey();
  const { user, system } = process.cpuUsage(before);
  expect(found).toEqual({ key: 'k7', line: 20_001, firstLine: 8 });
  expect((user + system) / 1e6).toBeLessThan(2);
});
