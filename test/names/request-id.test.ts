import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { firstIdAt, ID_RANDOM_BYTES, isRequestId, requestId } from '../../src/names/request-id.ts';

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

test('the first id at a time separates earlier ids from later ones', () => {
  fc.assert(
    fc.property(time, time, random, (at, from, bytes) => {
      expect(requestId(at, bytes) >= firstIdAt(from)).toBe(at >= from);
    }),
  );
  expect(requestId(41, new Uint8Array(10).fill(255)) < firstIdAt(42)).toBe(true);
  expect(requestId(42, new Uint8Array(10)) >= firstIdAt(42)).toBe(true);
});

test('a time before 1970 has the smallest id, and fractions of a millisecond round up', () => {
  expect(firstIdAt(-1)).toBe('req_00000000000000000000000000');
  expect(firstIdAt(41.5)).toBe(firstIdAt(42));
});

test('every id has the format of an id', () => {
  fc.assert(fc.property(time, random, (at, bytes) => expect(isRequestId(requestId(at, bytes))).toBe(true)));
});

test.each([
  '',
  'req_',
  'req_01ARYZ6S41000000000000000',
  'req_01ARYZ6S4100000000000000000',
  'req_81ARYZ6S410000000000000000',
  'req_01aryz6s410000000000000000',
  'req_01ARYZ6S41000000000000000U',
  'req_01ARYZ6S410000000000000000\n',
  'key_01ARYZ6S410000000000000000',
])('%j does not', text => {
  expect(isRequestId(text)).toBe(false);
});
