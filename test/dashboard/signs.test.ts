import { expect, test } from 'bun:test';
import { signsIn, signsText } from '../../src/dashboard/signs.ts';

test.each([
  ['all', true],
  ['none', false],
  ['mojibake, impossible_date', ['mojibake', 'impossible_date']],
] as const)('%j is %j, and back', (text, signs) => {
  expect(signsIn(text)).toEqual(signs as boolean | string[]);
  expect(signsText(typeof signs === 'boolean' ? signs : [...signs])).toBe(text);
});

test('what is not set is empty, no sign is none, and the API refuses what it does not know', () => {
  expect([signsText(null), signsText([])]).toEqual(['', 'none']);
  expect(signsIn(' mojibake ,, no')).toEqual(['mojibake', 'no']);
});
