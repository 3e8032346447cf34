import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { headerOptions, headerSource } from '../../src/intake/headers.ts';
import { checkSource } from '../../src/names/source.ts';

/** A header's characters are its bytes. */
const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

test('any source survives percent-encoding', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), name => {
      fc.pre(name.trim() !== '' && name !== '.' && name !== '..' && !/\p{Cc}/u.test(name));
      expect(headerSource(new Headers({ 'X-Source': encodeURIComponent(name) }))).toBe(name);
    }),
  );
});

test('raw UTF-8 in a header is accepted', () => {
  expect(headerSource(new Headers({ 'X-Source': bytes('café') }))).toBe('café');
  const options = new Headers({ 'X-Options': bytes('{"rules":{"description":"é"}}') });
  expect(headerOptions(options).rules!.document).toEqual({ description: 'é' });
});

test('a plus sign is a plus sign', () => {
  expect(headerSource(new Headers({ 'X-Source': 'a+b' }))).toBe('a+b');
});

test.each(['a\ud800', '\udfff', '\ud800\ud800', '\udc00\ud800'])(
  'a source with a lone surrogate is rejected: %j',
  source => {
    expect(() => checkSource(source, 'source')).toThrow(
      expect.objectContaining({
        code: 'MISSING_SOURCE',
        message: expect.stringContaining('lone surrogates'),
      }),
    );
    expect(checkSource('a\ud83d\ude00', 'source')).toBe('a😀');
  },
);

test('a source keeps the spaces around it', () => {
  expect(checkSource(' a ', 'source')).toBe(' a ');
});
