import { expect, test } from 'bun:test';
import { freeBuffer } from '../../src/intake/free-buffer.ts';

const BYTES = 64 * 1024;

test('bytes with a buffer of their own are freed', () => {
  const bytes = new Uint8Array(BYTES).fill(1);
  freeBuffer(bytes);
  expect(bytes.buffer.detached).toBe(true);
});

test('bytes that share a buffer are not freed', () => {
  const all = new Uint8Array(BYTES).fill(1);
  const shared = new Uint8Array(new SharedArrayBuffer(BYTES)).fill(1);
  freeBuffer(all.subarray(1));
  freeBuffer(shared);
  expect([all, shared].map(bytes => bytes.every(byte => byte === 1))).toEqual([true, true]);
});
