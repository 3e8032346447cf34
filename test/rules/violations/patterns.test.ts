/** Patterns: as RE2 matches them, whichever way they are matched, and in time that grows with the text alone. */
import { describe, expect, test } from 'bun:test';
import '../../property/seed.ts';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { automatonOf } from '../../../src/rules/declared/automaton.ts';
import { PatternCache } from '../../../src/rules/declared/patterns.ts';
import { violationsOf } from './rows-of.ts';

const PATTERNS = [
  '',
  '^$',
  '^',
  '$',
  'a',
  '^a',
  'a$',
  '^a$',
  'a|b',
  '(a+)+$',
  '^(?:a|ab)(?:c|bcd)$',
  'a{2,3}',
  '(?:ab){2}',
  'a*b?c+',
  '[^a]',
  '.',
  '^.$',
  '(?s).',
  '^.{2,3}$',
  '\\bab\\b',
  '\\Ba',
  'a\\B',
  '(?m)^b$',
  '(?i)AB',
  '(?i)k',
  '(?i)s',
  '\\d+',
  '^\\w+$',
  '\\s',
  '[[:alpha:]]$',
  '\\p{L}',
  '^\\p{Lu}',
  '\\P{L}',
  '[a-cé-ü]',
  'é',
  '😀',
  '[😀-😂]',
  '\\x{1F600}',
  '\\Aab\\z',
  '(|a)+b',
  '(?U)a+',
  '\\Qa.b\\E',
  '(?P<name>a)b',
  '(^a)|b$',
  'x*',
  '(?:\\b)+a',
];
const CHARACTERS = [
  'a',
  'b',
  'c',
  'A',
  'k',
  'K',
  's',
  'ſ',
  'K',
  'é',
  'Ä',
  '😀',
  '😁',
  ' ',
  '\n',
  '.',
  '1',
  '_',
  '"',
  '\\',
  '-',
];
const text = fc
  .array(fc.constantFrom(...CHARACTERS), { maxLength: 8 })
  .map(characters => characters.join(''));

test.each(PATTERNS)('%p finds what RE2 finds', pattern => {
  const matcher = RE2JS.compile(pattern);
  const cache = new PatternCache();
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 30 }), texts => {
      const [violation] = violationsOf(
        texts.map(a => ({ a })),
        { fields: { a: { pattern } } },
        cache,
      );
      const failing = texts.flatMap((each, row) => (matcher.matcher(each).find() ? [] : [row]));
      expect([...(violation?.rows ?? [])]).toEqual(failing);
    }),
    { numRuns: 20 },
  );
});

describe('a pattern without an automaton is matched by the library', () => {
  test.each([
    ['with too many states', '(a|b)*a(a|b){14}'],
    ['with letters outside of ASCII in any case', '(?i)straße'],
  ])('%s', (_, pattern) => {
    expect(automatonOf(pattern)).toBeNull();
    const texts = ['baaaaaaaaaaaaaab', 'b', 'STRASSE', 'Straße', 'STRAßE', 'b', 'say "straße"'];
    const matcher = RE2JS.compile(pattern);
    const failing = texts.flatMap((each, row) => (matcher.matcher(each).find() ? [] : [row]));
    const [violation] = violationsOf(
      texts.map(a => ({ a })),
      { fields: { a: { pattern } } },
    );
    expect([...violation!.rows!]).toEqual(failing);
  });

  test('once for each distinct text', () => {
    let asked = 0;
    const isMatch = (each: string) => ++asked > 0 && each === 'x';
    const patterns = { get: () => ({ automaton: null, isMatch }) } as unknown as PatternCache;
    const rows = Array.from({ length: 1000 }, (_, i) => ({ a: i % 2 === 0 ? 'x' : 'y' }));
    const [violation] = violationsOf(rows, { fields: { a: { pattern: 'x' } } }, patterns);
    expect([violation!.count, asked]).toEqual([500, 2]);
  });
});

test('long texts, and texts with escapes, are matched to their ends', () => {
  const rows = [
    'a'.repeat(100_000),
    `${'a'.repeat(100_000)}b`,
    `${'\n'.repeat(100_000)}b`,
    `"${'é'.repeat(50_000)}b`,
  ].map(a => ({ a }));
  const [violation] = violationsOf(rows, { fields: { a: { pattern: 'b$' } } });
  expect([...violation!.rows!]).toEqual([0]);
});

test('compiled patterns are kept up to a bound, and the oldest go first', () => {
  const cache = new PatternCache(40_000);
  const first = cache.get('a');
  cache.get('b');
  expect(cache.get('a')).toBe(first);
  cache.get('c');
  expect(cache.bytes).toBeLessThanOrEqual(40_000);
  expect(cache.get('a')).toBe(first);
  for (let i = 0; i < 50; i++) cache.get(`x${i}`);
  expect(cache.bytes).toBeLessThanOrEqual(40_000);
  expect(cache.get('a')).not.toBe(first);
});
