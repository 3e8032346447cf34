import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { keyName } from '../../src/account/account-keys.ts';

describe('the name of a key', () => {
  test.each([undefined, null, '', '  ', '\n'])('is a default one when %p is given', given => {
    expect(keyName(given)).toBe('API key');
  });

  test('has no spaces around it', () => {
    expect(keyName(' nightly load\n')).toBe('nightly load');
  });

  test('has at most 100 characters, a pair of surrogates being one', () => {
    expect(keyName('x'.repeat(100))).toBe('x'.repeat(100));
    expect(keyName('🔑'.repeat(100))).toBe('🔑'.repeat(100));
    expect(keyName(` ${'x'.repeat(100)} `)).toBe('x'.repeat(100));
    expect(() => keyName('x'.repeat(101))).toThrow(/^name must be .* 100 .* 'x{64}…' is longer$/);
    expect(() => keyName('🔑'.repeat(101))).toThrow('is longer');
    expect(() => keyName('x'.repeat(60_000))).toThrow('is longer');
  });

  test.each(['a\nb', 'a\tb', 'a\0b', 'a\u007fb', 'a\u0085b'])('has no control characters: %j', given => {
    expect(() => keyName(given)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
  });

  test.each([[7], [true], [{}], [[]], [['a']]])('is a string, not %j', given => {
    expect(() => keyName(given)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
  });

  test('is well-formed, so that every store can spell it', () => {
    expect(keyName('a\ud800b')).toBe('a\ufffdb');
  });

  test('of any text is one that needs no more change, or a refusal that shows no control character', () => {
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
