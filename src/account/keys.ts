/**
 * API keys and session tokens: a fixed prefix that a secret scanner can recognise, and a secret of which only the
 * SHA-256 is kept.
 */

export const KEY_PREFIX = 'sluice_live_';
export const TOKEN_PREFIX = 'sluice_session_';
/** Random bytes behind a new key or token. */
export const SECRET_BYTES = 32;
/** Random bytes behind the id of a new key. */
export const KEY_ID_BYTES = 12;

const SHOWN_CHARACTERS = 4;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Letters and digits that hold SECRET_BYTES bytes: 43 · log2(62) = 256.03 bits. */
const SECRET_CHARACTERS = 43;
/** Ids that were made elsewhere pass too; a NUL, which Postgres does not take for a text, does not. */
const KEY_ID = /^key_[0-9A-Za-z]{1,64}$/;
const WELL_FORMED_KEY = /^sluice_live_[0-9A-Za-z]{32,200}$/;
const WELL_FORMED_TOKEN = /^sluice_session_[0-9A-Za-z]{43}$/;

/** A new key from SECRET_BYTES random bytes. */
export const keyFrom = (random: Uint8Array): string => KEY_PREFIX + secretFrom(random);

/** The id of a new key from KEY_ID_BYTES random bytes: it names the key and lets nobody in. */
export const keyIdFrom = (random: Uint8Array): string => `key_${Buffer.from(random).toString('hex')}`;

/** A new session token from SECRET_BYTES random bytes. */
export const tokenFrom = (random: Uint8Array): string => TOKEN_PREFIX + secretFrom(random);

/** The bytes are one big number in base 62, so no bit is lost or favoured. */
function secretFrom(random: Uint8Array): string {
  if (random.length !== SECRET_BYTES)
    throw new RangeError(`a secret is made from ${SECRET_BYTES} random bytes`);
  let rest = random.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
  let secret = '';
  for (let place = 0; place < SECRET_CHARACTERS; place++) {
    secret = ALPHABET[Number(rest % 62n)] + secret;
    rest /= 62n;
  }
  return secret;
}

/** Whether a text can be the id of a key, a key or a token at all: what cannot is refused without asking a store. */
export const isKeyId = (text: string): boolean => KEY_ID.test(text);
export const isWellFormedKey = (text: string): boolean => WELL_FORMED_KEY.test(text);
export const isWellFormedToken = (text: string): boolean => WELL_FORMED_TOKEN.test(text);

/** SHA-256 of a key or token, lower-case hex: all that is ever stored of it. Both are random, so it needs no salt. */
export const secretSha256 = (secret: string): string => Bun.SHA256.hash(secret, 'hex');

/** The leading part that a list may show: enough to tell two keys apart, too little to guess the rest. */
export const displayPrefix = (key: string): string => key.slice(0, KEY_PREFIX.length + SHOWN_CHARACTERS);
