import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { ID_RANDOM_BYTES, requestId } from '../../src/intake/request-id.ts';

const random = fc.uint8Array({ minLength: ID_RANDOM_BYTES, maxLength: ID_RANDOM_BYTES });
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });

test("the specification's example time gives its characters", () => {
  expect(requestId(1469918176385, new Uint8Array(10))).toBe('req_01ARYZ6S410000000000000000');
  expect(requestId(0, new Uint8Array(10).fill(255))).toBe('req_0000000000ZZZZZZZZZZZZZZZZ');
});

test('ids sort by time', () => {
  fc.assert(
    fc.property(time, time, random, random, (a, b, x, y) => {
      fc.pre(a < b);
      expect(requestId(a, x) < requestId(b, y)).toBe(true);
    }),
  );
});

test('ids of one time differ when their random bytes do', () => {
  fc.assert(
    fc.property(time, random, random, (at, x, y) => {
      expect(requestId(at, x) === requestId(at, y)).toBe(Buffer.compare(x, y) === 0);
    }),
  );
});
