import { expect, test } from 'bun:test';
import { keyName } from '../../src/account/account-keys.ts';

test.each([undefined, null, '', '  ', '\n'])('the name of a key has a default when %p is given', given => {
  expect(keyName(given)).toBe('API key');
});

test('the name of a key is trimmed', () => {
  expect(keyName(' nightly load\n')).toBe('nightly load');
});
