import { describe, expect, test } from 'bun:test';
import { HeldBytes } from '../../../src/http/wire/held.ts';

const LARGE = 64 * 1024;
const piece = (length: number, first: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => (first + i) % 251));

function holding(...lengths: number[]): HeldBytes {
  const held = new HeldBytes();
  let total = 0;
  for (const length of lengths) {
    held.add(piece(length, total));
    total += length;
  }
  return held;
}

describe('bytes that wait', () => {
  test.each([[[]], [[3]], [[1, 2, 3]], [[LARGE, 5]], [[5, LARGE, LARGE, 1, 1]]])(
    'have the order in which they came: %j',
    lengths => {
      const held = holding(...lengths);
      const total = lengths.reduce((sum, each) => sum + each, 0);
      expect(held.length).toBe(total);
      expect(held.joined().equals(piece(total, 0))).toBe(true);
    },
  );

  test('are skipped from the first one on, and more may follow', () => {
    const held = holding(LARGE, LARGE);
    held.skip(LARGE + 1);
    held.add(piece(2, 2 * LARGE));
    expect(held.length).toBe(LARGE + 1);
    expect(held.joined().equals(piece(LARGE + 1, LARGE + 1))).toBe(true);
    held.skip(LARGE + 1);
    expect([held.length, held.joined().length]).toEqual([0, 0]);
  });

  test('are copied once, however many large pieces come before they are read', () => {
    const held = new HeldBytes();
    const pieces = [piece(LARGE, 0), piece(LARGE, 1)];
    for (const each of pieces) held.add(each);
    const all = held.joined();
    expect(held.joined()).toBe(all);
    expect(pieces.every(each => each.buffer !== all.buffer)).toBe(true);
  });

  test('keep the read of a socket no longer than they need it', () => {
    const held = new HeldBytes();
    held.add(Buffer.allocUnsafeSlow(LARGE).subarray(0, 10));
    held.own();
    expect(held.joined().buffer.byteLength).toBe(10);
  });

  test('are forgotten', () => {
    const held = holding(LARGE, 1);
    held.clear();
    expect([held.length, held.joined().length]).toEqual([0, 0]);
  });
});
