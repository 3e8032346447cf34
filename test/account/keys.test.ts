import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import {
  displayPrefix,
  isKeyId,
  isWellFormedKey,
  isWellFormedToken,
  KEY_ID_BYTES,
  keyFrom,
  keyIdFrom,
  SECRET_BYTES,
  secretSha256,
  tokenFrom,
} from '../../src/account/keys.ts';

const randomBytes = fc.uint8Array({ minLength: SECRET_BYTES, maxLength: SECRET_BYTES });

describe('keys', () => {
  test('a key made from any random bytes is well-formed', () => {
    fc.assert(fc.property(randomBytes, bytes => isWellFormedKey(keyFrom(bytes))));
    expect(keyFrom(new Uint8Array(SECRET_BYTES))).toBe(`sluice_live_${'0'.repeat(43)}`);
  });

  test('different random bytes make different keys', () => {
    fc.assert(
      fc.property(randomBytes, randomBytes, (a, b) => {
        expect(keyFrom(a) === keyFrom(b)).toBe(Buffer.compare(a, b) === 0);
      }),
    );
  });

  test('too few random bytes throw', () => {
    expect(() => keyFrom(new Uint8Array(SECRET_BYTES - 1))).toThrow(RangeError);
  });

  test('a key is the prefix and 32 to 200 letters and digits', () => {
    expect(isWellFormedKey(`sluice_live_${'a'.repeat(200)}`)).toBe(true);
    expect(isWellFormedKey(`sluice_live_${'a'.repeat(201)}`)).toBe(false);
    expect(isWellFormedKey(`sluice_live_${'a1'.repeat(16)}`)).toBe(true);
    expect(isWellFormedKey(`sluice_live_${'a'.repeat(31)}`)).toBe(false);
    expect(isWellFormedKey(`sluice_test_${'a'.repeat(32)}`)).toBe(false);
    expect(isWellFormedKey(`sluice_live_${'a'.repeat(31)}-`)).toBe(false);
    expect(isWellFormedKey(`sluice_live_${'a'.repeat(32)}\n`)).toBe(false);
    expect(isWellFormedKey(` sluice_live_${'a'.repeat(32)}`)).toBe(false);
    expect(isWellFormedKey('')).toBe(false);
  });

  test('a token has a key’s length and another prefix', () => {
    const token = tokenFrom(new Uint8Array(SECRET_BYTES));
    expect(token).toBe(`sluice_session_${'0'.repeat(43)}`);
    expect([isWellFormedToken(token), isWellFormedKey(token)]).toEqual([true, false]);
    for (const text of [token.slice(0, -1), `${token}0`, `${token}\n`, ` ${token}`, ''])
      expect([text, isWellFormedToken(text)]).toEqual([text, false]);
  });

  test('the id of a key is key_ and 1 to 64 letters and digits', () => {
    expect(keyIdFrom(new Uint8Array(KEY_ID_BYTES).fill(255))).toBe(`key_${'ff'.repeat(12)}`);
    for (const id of ['key_a', `key_${'Z'.repeat(64)}`]) expect([id, isKeyId(id)]).toEqual([id, true]);
    for (const id of ['key_', `key_${'Z'.repeat(65)}`, 'key_a-b', 'key_a\n', 'KEY_a', ''])
      expect([id, isKeyId(id)]).toEqual([id, false]);
  });

  test('the hash is SHA-256 in lower-case hex', () => {
    // FIPS 180-2, example B.1.
    expect(secretSha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test('the display prefix shows the start of a key and not the secret', () => {
    expect(displayPrefix(`sluice_live_abcd${'e'.repeat(32)}`)).toBe('sluice_live_abcd');
  });
});
