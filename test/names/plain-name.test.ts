import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { keyName } from '../../src/account/account-keys.ts';
import { channelSettings } from '../../src/alerts/channel.ts';
import { plainName } from '../../src/names/plain-name.ts';

const channelName = (given: unknown) =>
  channelSettings(
    { name: given, url: 'https://a.test' },
    'webhook',
    { allowPrivate: true, canMail: true },
    null,
  ).name;

const NAMES: [string, (given: unknown) => string][] = [
  ['a key', keyName],
  ['a channel', channelName],
  ['anything else', given => plainName(given, 'name', 100)],
];

/** The first and last of each range, and what browsers, terminals and mail clients obey. */
const REFUSED = [
  ...['\0', '\t', '\n', '\r', '\u001b', '\u001f', '\u007f', '\u0080', '\u0085', '\u009f', '\u2028', '\u2029'],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'],
  ...['\ud800', '\udbff', '\udc00', '\udfff'],
];
/** Their neighbours, and characters of scripts that join. */
const ACCEPTED = [
  ' ',
  '~',
  '\u00a0',
  '\u200d',
  '\u2010',
  '\u2065',
  '\u206a',
  '\ud7ff',
  '\ue000',
  '🔑',
  'שם',
  'اسم',
];

describe.each(NAMES)('the name of %s', (_, nameOf) => {
  test.each(REFUSED)('may not contain %j', character => {
    const given = `a${character}b`;
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    const refuse = () => nameOf(given);
    expect(refuse).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
    expect(refuse).toThrow(/^name must be a string of at most 100 characters without /);
    expect(refuse).toThrow(`'a\\u${code}b' contains one`);
  });

  test.each(ACCEPTED)('may contain %j', character => {
    expect(nameOf(`a${character}b`)).toBe(`a${character}b`);
  });

  test('has at most 100 characters; a surrogate pair is one', () => {
    for (const character of ['x', '🔑']) {
      expect(nameOf(` ${character.repeat(100)} `)).toBe(character.repeat(100));
      expect(() => nameOf(character.repeat(101))).toThrow(/^name must be .* 100 characters .* is too long$/);
    }
    expect(() => nameOf('x'.repeat(60_000))).toThrow('is too long');
  });

  test.each([[7], [true], [{}], [['a']]])('is a string, not %j', given => {
    expect(() => nameOf(given)).toThrow(/^name must be a string/);
  });

  test('from any text is stable, or the error can be shown', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 150 }), given => {
        try {
          const name = nameOf(given);
          expect(nameOf(name || 'a')).toBe(name || 'a');
          expect(name.isWellFormed()).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_PARAMETER' });
          expect((error as Error).message).not.toMatch(/\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u);
        }
      }),
    );
  });
});
