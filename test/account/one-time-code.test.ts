import { expect, test } from 'bun:test';
import { codeFrom, codeSha256, isCode } from '../../src/account/one-time-code.ts';

/** Gives these numbers, three bytes each, one after the other. */
function randomOf(...numbers: number[]): (bytes: number) => Uint8Array {
  return bytes => {
    const number = numbers.shift()!;
    return Uint8Array.from({ length: bytes }, (_, i) => number >> (8 * (bytes - 1 - i)));
  };
}

test.each([
  [0, '000000'],
  [7, '000007'],
  [999_999, '999999'],
  [1_000_000, '000000'],
  [15_999_999, '999999'],
])('of the number %d the code is %s', (number, code) => {
  expect(codeFrom(randomOf(number))).toBe(code);
});

test.each([16_000_000, 16_777_215])(
  'the number %d, which would make some codes likelier, is drawn anew',
  number => {
    expect(codeFrom(randomOf(number, number, 123_456))).toBe('123456');
  },
);

test('the numbers below the limit give every code equally often', () => {
  const digits = new Uint32Array(1_000_000);
  let number = 0;
  const counting = () => Uint8Array.of(number >> 16, number >> 8, number);
  for (; number < 16_000_000; number += 8) digits[Number(codeFrom(counting))]!++;
  expect(new Set(digits.filter((_, code) => code % 8 === 0))).toEqual(new Set([16]));
});

test('a code matches only with both its id and its digits', () => {
  const sha256 = codeSha256('code_1', '123456');
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(isCode('code_1', sha256, '123456')).toBe(true);
  expect(isCode('code_1', sha256, '123457')).toBe(false);
  expect(isCode('code_2', sha256, '123456')).toBe(false);
  expect(isCode('code_1', sha256, '')).toBe(false);
});

test('without a stored code no code matches', () => {
  expect(isCode('code_1', null, '123456')).toBe(false);
  expect(isCode('code_1', null, '')).toBe(false);
});
