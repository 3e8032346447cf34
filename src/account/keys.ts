/** API keys: a fixed prefix that a secret scanner can recognise, and a secret of which only the SHA-256 is kept. */
import { createHash } from 'node:crypto';

export const KEY_PREFIX = 'sluice_live_';
/** Random bytes behind a new key. */
export const KEY_BYTES = 32;

const SHOWN_CHARACTERS = 4;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Letters and digits that hold KEY_BYTES bytes: 43 · log2(62) = 256.03 bits. */
const SECRET_CHARACTERS = 43;
const WELL_FORMED = /^sluice_live_[0-9A-Za-z]{32,200}$/;

/** A new key from KEY_BYTES random bytes. The bytes are one big number in base 62, so no bit is lost or favoured. */
export function keyFrom(random: Uint8Array): string {
  if (random.length !== KEY_BYTES) throw new RangeError(`a key is made from ${KEY_BYTES} random bytes`);
  let rest = random.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
  let secret = '';
  for (let place = 0; place < SECRET_CHARACTERS; place++) {
    secret = ALPHABET[Number(rest % 62n)] + secret;
    rest /= 62n;
  }
  return KEY_PREFIX + secret;
}

/** Whether a text can be a key at all: what cannot is refused without asking a store. */
export const isWellFormedKey = (text: string): boolean => WELL_FORMED.test(text);

/** SHA-256 of a key, lower-case hex: all that is ever stored of it. Keys are random, so it needs no salt. */
export const keySha256 = (key: string): string => createHash('sha256').update(key).digest('hex');

/** The leading part that a list may show: enough to tell two keys apart, too little to guess the rest. */
export const displayPrefix = (key: string): string => key.slice(0, KEY_PREFIX.length + SHOWN_CHARACTERS);
