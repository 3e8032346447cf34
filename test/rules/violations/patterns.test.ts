/** Patterns: as RE2 matches them, whichever way they are matched, and in time that grows with the text alone. */
import { describe, expect, test } from 'bun:test';
import '../../property/seed.ts';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { PATTERN_NEVER, PATTERN_ROW_BYTES, UNDECIDED } from '../../../assembly/abi.ts';
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

const failingOf = (pattern: string, texts: readonly string[], cache = new PatternCache()): number[] => {
  const rows = texts.map(a => ({ a }));
  return violationsOf(rows, { fields: { a: { pattern } } }, cache).flatMap(({ rows: failing }) => [
    ...failing!,
  ]);
};

function expectedOf(pattern: string, texts: readonly string[]): number[] {
  const matcher = RE2JS.compile(pattern);
  return texts.flatMap((each, row) => (matcher.matcher(each).find() ? [] : [row]));
}

test.each(PATTERNS)('%p finds what RE2 finds', pattern => {
  const cache = new PatternCache();
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 30 }), texts => {
      expect(failingOf(pattern, texts, cache)).toEqual(expectedOf(pattern, texts));
    }),
    { numRuns: 20 },
  );
});

describe('a pattern without a table is matched by the library', () => {
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
    ['too many states', '(a|b)*a(a|b){14}'],
    ['words', '\\b(?:\\p{L}+\\b){20}|ß$'],
    ['lines', '(?m)^say'],
  ])('%s', (_, pattern) => {
    expect(automatonOf(pattern)).toBeNull();
    expect(failingOf(pattern, texts)).toEqual(expectedOf(pattern, texts));
  });
});

describe('the library decides only about texts that the table leaves undecided', () => {
  const names = ['Ada', 'Ådå', '1', 'Å1', '', 'x"y', 'ſ', 'K'];
  test.each([
    ['letters beyond ASCII', '^\\p{L}+$', UNDECIDED],
    ['letters in any case', '(?i)^k$', UNDECIDED],
    ['any character', '^.{1,3}$', null],
    ['none beyond ASCII', '^[A-Z][a-z]+$', PATTERN_NEVER],
  ])('%s', (_, pattern, next) => {
    const { bytes, start } = automatonOf(pattern)!;
    const after = new Uint16Array(bytes.buffer)[start * (PATTERN_ROW_BYTES / 2) + 0xc3]!;
    if (next === null) expect(after).toBeGreaterThan(UNDECIDED);
    else expect(after).toBe(next);
    expect(failingOf(pattern, names)).toEqual(expectedOf(pattern, names));
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

test('tables of patterns are kept up to a bound, and the least recently used go first', () => {
  const cache = new PatternCache(12_000);
  const first = cache.automatonOf('a');
  cache.automatonOf('b');
  expect(cache.automatonOf('a')).toBe(first);
  cache.automatonOf('c');
  expect(cache.automatonOf('a')).toBe(first);
  for (let i = 0; i < 50; i++) cache.automatonOf(`x${i}`);
  expect(cache.automatonOf('a')).not.toBe(first);
});
