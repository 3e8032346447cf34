/** Patterns: as RE2 matches them, whichever way they are matched, and in time that grows with the text alone. */
import { describe, expect, test } from 'bun:test';
import '../../property/seed.ts';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { automatonOf } from '../../../src/rules/declared/automaton.ts';
import { LazyMatcher } from '../../../src/rules/declared/lazy-matcher.ts';
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
  '(?i)straße',
  '(?i)^[é-ö]k$',
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

describe('a pattern with too many states for a table is matched as far as texts reach', () => {
  const texts = [
    'baaaaaaaaaaaaaab',
    'b',
    'STRASSE',
    'Straße',
    'aé',
    'b',
    'say "straße"',
    'a\u{10400}'.repeat(30),
  ];
  test.each([
    ['alternatives that wait', '(a|b)*a(a|b){14}'],
    ['many letters', '^\\p{L}{1,100}$'],
    ['words', '\\b(?:\\p{L}+\\b){20}|ß$'],
  ])('%s', (_, pattern) => {
    expect(automatonOf(pattern)).toBeNull();
    const matcher = RE2JS.compile(pattern);
    const failing = texts.flatMap((each, row) => (matcher.matcher(each).find() ? [] : [row]));
    const [violation] = violationsOf(
      texts.map(a => ({ a })),
      { fields: { a: { pattern } } },
    );
    expect([...violation!.rows!]).toEqual(failing);
  });

  test('states are forgotten when there are many', () => {
    const pattern = '[ab]*a[ab]{400}c';
    const matcher = LazyMatcher.of(pattern, () => {});
    const random = 'aabab'.repeat(2000).replace(/aba/g, (found, at) => (at % 7 < 3 ? found : 'bbb'));
    const found = `${random}a${'b'.repeat(400)}c`;
    const bytes = (text: string) => new TextEncoder().encode(text);
    expect(matcher.isMatch(bytes(random))).toBe(false);
    expect(matcher.isMatch(bytes(found))).toBe(true);
    expect(matcher.isMatch(bytes(''))).toBe(false);
  });

  test('texts that occur again cost nothing, and a batch has a bound', () => {
    const random = Array.from({ length: 80_000 }, (_, i) =>
      (Math.imul(i, i + 7919) >>> 9) % 2 ? 'a' : 'b',
    ).join('');
    const rules = { fields: { a: { pattern: '[ab]*a[ab]{400}c' } } };
    const rows = (length: number, count: number) => Array(count).fill({ a: random.slice(0, length) });
    expect(violationsOf(rows(5000, 1000), rules)).toMatchObject([{ count: 1000 }]);
    expect(() => violationsOf(rows(80_000, 1), rules)).toThrow(
      'fields.a.pattern: takes too long over the texts of this batch; use smaller counts',
    );
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
  const cache = new PatternCache(12_000);
  const first = cache.automatonOf('a');
  cache.automatonOf('b');
  expect(cache.automatonOf('a')).toBe(first);
  cache.automatonOf('c');
  expect(cache.bytes).toBeLessThanOrEqual(12_000);
  expect(cache.automatonOf('a')).toBe(first);
  for (let i = 0; i < 50; i++) cache.automatonOf(`x${i}`);
  expect(cache.bytes).toBeLessThanOrEqual(12_000);
  expect(cache.automatonOf('a')).not.toBe(first);
});
