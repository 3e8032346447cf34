/** Numbers, names and lists in sentences. */
import { expect, test } from 'bun:test';
import { compact, figure, grouped, percent, plural, quotedList, shortened } from '../../src/terms/wording.ts';

test('only a share of 0 is 0%, and only a share of 1 is 100%', () => {
  expect([0, 0.00001, 0.125, 0.99999, 1].map(percent)).toEqual(['0%', '<0.1%', '12.5%', '>99.9%', '100%']);
});

test('a number of the data has six digits, and an exponent when it is very large or small', () => {
  expect([0, 1234.56789, -2.5, 12345678, 1e300, 1e-9].map(figure)).toEqual([
    '0',
    '1,234.57',
    '-2.5',
    '12,345,678',
    '1.000e+300',
    '1.000e-9',
  ]);
});

test('a count has commas, a noun that agrees, and a short form', () => {
  expect([plural(1, 'row'), plural(2000, 'row'), plural(0, 'batch', 'batches')]).toEqual([
    '1 row',
    '2,000 rows',
    '0 batches',
  ]);
  expect([grouped(12_345.6), compact(12_345)]).toEqual(['12,346', '12.3K']);
});

test('a long name is cut between characters', () => {
  expect(shortened('😀'.repeat(400), 3)).toBe('😀😀😀…');
  expect(shortened('short', 5)).toBe('short');
});

test('a list quotes its first values and says when there are others', () => {
  expect(quotedList(['a', 'b\n'], 2)).toBe("'a', 'b\\u000a'");
  expect(quotedList(['a', 'b', 'c'], 2)).toBe("'a', 'b' and others");
});
