import { expect, test } from 'bun:test';
import { release } from '../../src/intake/release.ts';

const BYTES = 64 * 1024;

test('bytes that have their buffer to themselves are freed', () => {
  const bytes = new Uint8Array(BYTES).fill(1);
  release(bytes);
  expect(bytes.buffer.detached).toBe(true);
});

test('bytes that share their buffer are left alone', () => {
  const all = new Uint8Array(BYTES).fill(1);
  const shared = new Uint8Array(new SharedArrayBuffer(BYTES)).fill(1);
  release(all.subarray(1));
  release(shared);
  expect([all, shared].map(bytes => bytes.every(byte => byte === 1))).toEqual([true, true]);
});
