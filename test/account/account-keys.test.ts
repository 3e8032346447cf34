import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { keyName } from '../../src/account/account-keys.ts';

describe('the name of a key', () => {
  test.each([undefined, null, '', '  ', '\n'])('has a default when %p is given', given => {
    expect(keyName(given)).toBe('API key');
  });

  test('is trimmed', () => {
    expect(keyName(' nightly load\n')).toBe('nightly load');
  });

  test('has at most 100 characters; a surrogate pair is one', () => {
    expect(keyName('x'.repeat(100))).toBe('x'.repeat(100));
    expect(keyName('🔑'.repeat(100))).toBe('🔑'.repeat(100));
    expect(keyName(` ${'x'.repeat(100)} `)).toBe('x'.repeat(100));
    expect(() => keyName('x'.repeat(101))).toThrow(/^name must be .* 100 .* 'x{64}…' is too long$/);
    expect(() => keyName('🔑'.repeat(101))).toThrow('is too long');
    expect(() => keyName('x'.repeat(60_000))).toThrow('is too long');
  });

  test.each(['a\nb', 'a\tb', 'a\0b', 'a\u007fb', 'a\u0085b'])('has no control characters: %j', given => {
    expect(() => keyName(given)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
  });

  test.each([[7], [true], [{}], [[]], [['a']]])('is a string, not %j', given => {
    expect(() => keyName(given)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
  });

  test('is well-formed, so that every store can hold it', () => {
    expect(keyName('a\ud800b')).toBe('a\ufffdb');
  });

  test('from any text is stable, or the error shows no control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 150 }), given => {
        try {
          const name = keyName(given);
          expect(keyName(name)).toBe(name);
          expect([...name].length).toBeWithin(1, 101);
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_PARAMETER' });
          expect((error as Error).message).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });
});
