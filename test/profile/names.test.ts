import { describe, expect, test } from 'bun:test';
import { headerNames } from '../../src/profile/names.ts';

describe('names of a CSV header', () => {
  test('unique names stay as they are, spaces included', () => {
    expect(headerNames(['id', ' id', '__proto__'])).toEqual({
      names: ['id', ' id', '__proto__'],
      repeated: [],
    });
  });

  test('a blank name becomes column_N, N from 1', () => {
    expect(headerNames(['', 'b', '  ']).names).toEqual(['column_1', 'b', 'column_3']);
  });

  test('a repeated name is named once and its later columns get the next number that is free', () => {
    expect(headerNames(['a', 'a', 'a'])).toEqual({ names: ['a', 'a_2', 'a_3'], repeated: ['a'] });
    expect(headerNames(['a', 'a_2', 'a', 'a'])).toEqual({
      names: ['a', 'a_2', 'a_3', 'a_4'],
      repeated: ['a'],
    });
    expect(headerNames(['a', 'a', 'a_2'])).toEqual({ names: ['a', 'a_3', 'a_2'], repeated: ['a'] });
  });

  test('as many equal names as there may be fields get as many names', () => {
    const { names, repeated } = headerNames(new Array(2000).fill('a'));
    expect([new Set(names).size, names[1999], repeated]).toEqual([2000, 'a_2000', ['a']]);
  });

  test('a number given to a blank name does not collide with a real one', () => {
    const { names } = headerNames(['', 'column_1']);
    expect(new Set(names).size).toBe(2);
  });
});
