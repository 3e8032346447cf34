/** Every page has an address that leads back to it, with any names. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { addressOf, jobsOf, RANGES, type Route, routeOf } from '../../src/dashboard/route.ts';
import { seed } from '../property/seed.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    ' ',
    '/',
    '..',
    '.',
    '#',
    '?source=x',
    '%',
    '%2F',
    '__proto__',
    'constructor',
    'a/b',
    '+',
    '&',
    '=',
    '\u202e',
  ),
);
/** A possible name. */
const name = text.filter(each => !['', '.', '..'].includes(each));
const status = fc.constantFrom('PASS', 'WARN', 'BLOCK', null);
const day = fc.constantFrom('2026-11-21', '2024-02-29', null);

const route: fc.Arbitrary<Route> = fc.oneof(
  fc.constantFrom(...RANGES).map(days => ({ page: 'overview' as const, days })),
  fc.constantFrom('alerts' as const, 'keys' as const, 'billing' as const).map(page => ({ page })),
  fc.constantFrom('', 'search=a%2Fb&sort=rows').map(query => ({ page: 'sources' as const, query })),
  name.map(source => ({ page: 'source' as const, source })),
  fc.record({
    page: fc.constant('source' as const),
    source: name,
    field: text,
    show: fc.constant('settings' as const),
  }),
  name.map(id => ({ page: 'job' as const, id })),
  fc.record({ page: fc.constant('jobs' as const), source: fc.option(text), status, from: day, to: day }),
  fc.record({ page: fc.constant('try' as const), source: fc.option(text) }),
);

test('an address leads to its page', () => {
  fc.assert(
    fc.property(route, there => {
      expect(routeOf(addressOf(there))).toEqual(there);
    }),
    { seed },
  );
});

test('a name of 10,000 characters has an address', () => {
  const source = 'é/'.repeat(5_000);
  expect(routeOf(addressOf({ page: 'source', source }))).toEqual({ page: 'source', source });
});

test('an unpaired surrogate, which no address can encode, is replaced', () => {
  expect(routeOf(addressOf({ page: 'source', source: 'a\ud800' }))).toEqual({
    page: 'source',
    source: 'a\ufffd',
  });
});

describe('an address that no link has', () => {
  const nameless = ['sources', 'jobs'].flatMap(place => ['', '.', '..'].map(name => `#/${place}/${name}`));
  const odd = ['#/nowhere', '#/keys/one', '#/__proto__', '#/constructor', '#/sources/%ff', '#/a/b/c'];
  test.each([...odd, ...nameless])('%s is an unknown page, and no error', hash => {
    expect(routeOf(hash)).toEqual({ page: 'unknown' });
  });

  test.each(['', '#', '#/', '#/?days=abc', '#/?days=31', '#/?days=__proto__'])(
    '%s is the overview of the default days',
    hash => {
      expect(routeOf(hash)).toEqual({ page: 'overview', days: 30 });
    },
  );

  test('an unknown verdict filters nothing', () => {
    expect(routeOf('#/jobs?status=__proto__')).toEqual(jobsOf(null));
  });

  test('the name of the verdict in addresses of version 1.0 is still read', () => {
    expect(routeOf('#/jobs?verdict=BLOCK&source=a')).toEqual(jobsOf('a', { status: 'BLOCK' }));
  });

  test.each(['2026-02-30', '2026-13-01', '21.11.2026', 'today', ''])('the day %p filters nothing', day => {
    expect(routeOf(`#/jobs?from=${day}&to=${day}`)).toEqual(jobsOf(null));
  });
});
