import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { sourceInPath } from '../../src/http/source-path.ts';

const sourceAt = (path: string) => sourceInPath(new Request(`http://localhost${path}`));
const refusal = (message: RegExp) =>
  expect.objectContaining({ code: 'INVALID_PARAMETER', message: expect.stringMatching(message) });

test.each([
  ['/v1/schema/orders', 'orders'],
  ['/v1/schema/orders/history?limit=1', 'orders'],
  ['/v1/schema/orders?x=/a/b', 'orders'],
  ['/v1/schema/eu%2Forders%2F2026', 'eu/orders/2026'],
  ['/v1/schema/daily%20orders', 'daily orders'],
  ['/v1/schema/a+b', 'a+b'],
  ['/v1/schema/%C3%A9t%C3%A9/history', 'été'],
  ['/v1/schema/été', 'été'],
  ['/v1/schema/%F0%9F%90%99', '🐙'],
  ['/v1/schema/__proto__', '__proto__'],
  ['/v1/schema/100%2525', '100%25'],
  ['/v1/schema/what%3F%23', 'what?#'],
  ['/v1/schema/history/history', 'history'],
])('%s names the source %j', (path, source) => {
  expect(sourceAt(path)).toBe(source);
});

test.each([
  ['/v1/schema/%zz', /percent-encoded UTF-8.*'%zz'/],
  ['/v1/schema/50%', /percent-encoded UTF-8/],
  ['/v1/schema/%ff', /percent-encoded UTF-8/],
  ['/v1/schema/%C0%AF', /percent-encoded UTF-8/],
  ['/v1/schema/%ED%A0%80', /percent-encoded UTF-8/],
  ['/v1/schema/%20/history', /must not be blank/],
  ['/v1/schema/a%00b', /control characters/],
  [`/v1/schema/${'x'.repeat(201)}`, /at most 200 characters/],
])('%s is refused', (path, message) => {
  expect(() => sourceAt(path)).toThrow(refusal(message));
});

test('every valid source name survives encoding', () => {
  const names = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
    .filter(name => name.trim() !== '' && !/\p{Cc}/u.test(name) && name !== '.' && name !== '..');
  fc.assert(
    fc.property(names, name => {
      expect(sourceAt(`/v1/schema/${encodeURIComponent(name)}/history`)).toBe(name);
    }),
  );
});
