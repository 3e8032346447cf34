import { expect, test } from 'bun:test';
import { owned } from '../../../src/http/wire/owned.ts';

const READ_BYTES = 512 * 1024;

test.each([
  [0, READ_BYTES, 0],
  [1, READ_BYTES, 1],
  [65_535, READ_BYTES, 65_535],
  [65_536, READ_BYTES, READ_BYTES],
  [100, 200, 200],
  [100, 201, 100],
])('%d bytes of a read of %d keep %d', (bytes, read, kept) => {
  const part = Buffer.allocUnsafeSlow(read).fill('ab').subarray(0, bytes);
  const own = owned(part);
  expect(own.buffer.byteLength).toBe(kept);
  expect(own.equals(part)).toBe(true);
});
