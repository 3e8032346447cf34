import { describe, expect, test } from 'bun:test';
import { BEFORE_JOB, integer, queryOf, queryText, sourceName } from '../../src/http/parameters.ts';

const asked = (query: string) => new Request(`http://localhost/v1/jobs${query}`);
const refusal = (...parts: string[]) =>
  expect.objectContaining({
    code: 'INVALID_PARAMETER',
    message: expect.stringMatching(new RegExp(parts.join('.*'), 's')),
  });

describe('an integer', () => {
  const LIMIT = integer('Jobs', { min: 1, max: 200, fallback: 50 });
  const limit = (query: string) => queryOf(asked(query), { limit: LIMIT }).limit;

  test.each([
    ['', 50],
    ['?', 50],
    ['?limits=3', 50],
    ['?limit=1', 1],
    ['?limit=200', 200],
    ['?limit=050', 50],
    ['?%6Cimit=%37', 7],
    ['?a=%zz&limit=9&b', 9],
    ['?limit=9#?limit=8', 9],
    ['??limit=8&?limit=7', 50],
  ])('%j is %d', (query, value) => {
    expect(limit(query)).toBe(value);
  });

  test.each([
    ['?limit=0', "'0'"],
    ['?limit=201', "'201'"],
    ['?limit=1e2', "'1e2'"],
    ['?limit=0x10', "'0x10'"],
    ['?limit=5.0', "'5.0'"],
    ['?limit=-1', "'-1'"],
    ['?limit=+5', "' 5'"],
    ['?limit=%205', "' 5'"],
    ['?limit=5%0A', "'5"],
    ['?limit=abc', "'abc'"],
    ['?limit=', "''"],
    ['?limit', "''"],
    ['?limit=%D9%A5', "'٥'"],
    ['?limit=99999999999999999999', "'99999999999999999999'"],
  ])('%j is refused with the name, the range and the value', (query, value) => {
    expect(() => limit(query)).toThrow(refusal('limit', '1 to 200', value));
  });

  test('is rejected if repeated, even if both values are valid', () => {
    expect(() => limit('?limit=5&limit=5')).toThrow(refusal('limit', '2 times'));
    expect(() => limit('?limit=5&%6cimit=5')).toThrow(refusal('limit', '2 times'));
  });

  test('is rejected with invalid encoding', () => {
    expect(() => limit('?limit=%')).toThrow(refusal('limit', 'percent-encoded UTF-8'));
    expect(() => limit('?limit=%ff')).toThrow(refusal('limit', 'percent-encoded UTF-8'));
  });
});

describe('a text', () => {
  test.each([
    ['?q=a%26b%3Dc', 'a&b=c'],
    ['?q=a=b=c', 'a=b=c'],
    ['?q=a+b%2B', 'a b+'],
    ['?q=', ''],
    ['?q', ''],
    ['?p=1', undefined],
    ['?q=%F0%9F%90%99', '🐙'],
  ])('%j is %j', (query, value) => {
    expect(queryText(asked(query), 'q')).toBe(value);
  });
});

describe('a source', () => {
  const sourceIn = (query: string) => queryOf(asked(query), { source: sourceName('Of these') }).source;

  test('may be any valid name', () => {
    expect(sourceIn('?source=eu%2Forders+2026')).toBe('eu/orders 2026');
    expect(sourceIn('?x=1')).toBeUndefined();
  });

  test.each(['', '%20', '..', 'a%00', '%EF%BF%BD%00', 'x'.repeat(201)])('%j is refused', source => {
    expect(() => sourceIn(`?source=${source}`)).toThrow(
      refusal('source must be a name of 1 to 200 characters that is not blank'),
    );
  });
});

describe('the id of a job', () => {
  const before = (query: string) => queryOf(asked(query), { before: BEFORE_JOB }).before;

  test('is returned unchanged', () => {
    const id = 'req_01ARYZ6S410000000000000000';
    expect(before(`?before=${id}`)).toBe(id);
    expect(before('')).toBeUndefined();
  });

  test.each(['', 'abc', 'req_1', '~', 'req_01aryz6s410000000000000000'])('%j is refused', id => {
    expect(() => before(`?before=${id}`)).toThrow(refusal('before must', `'${id}'`));
  });
});
