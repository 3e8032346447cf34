/**
 * API keys and session tokens: a fixed prefix, which secret scanners recognise, and a secret. Only the SHA-256 is
 * stored.
 */

export const KEY_PREFIX = 'sluice_live_';
export const TOKEN_PREFIX = 'sluice_session_';
/** Random bytes of a new key or token. */
export const SECRET_BYTES = 32;
/** Random bytes of a new key's id. */
export const KEY_ID_BYTES = 12;

const SHOWN_CHARACTERS = 4;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Letters and digits that encode SECRET_BYTES bytes: 43 · log2(62) = 256.03 bits. */
const SECRET_CHARACTERS = 43;
/** Accepts ids made by other programs too, but no NUL, which Postgres cannot store in a text. */
const KEY_ID = /^key_[0-9A-Za-z]{1,64}$/;
const WELL_FORMED_KEY = /^sluice_live_[0-9A-Za-z]{32,200}$/;
const WELL_FORMED_TOKEN = /^sluice_session_[0-9A-Za-z]{43}$/;

/** Makes a key from SECRET_BYTES random bytes. */
export const keyFrom = (random: Uint8Array): string => KEY_PREFIX + secretFrom(random);

/** Makes a key's id from KEY_ID_BYTES random bytes. It identifies the key and grants no access. */
export const keyIdFrom = (random: Uint8Array): string => `key_${Buffer.from(random).toString('hex')}`;

/** Makes a session token from SECRET_BYTES random bytes. */
export const tokenFrom = (random: Uint8Array): string => TOKEN_PREFIX + secretFrom(random);

/** Writes the bytes as one number in base 62, so that no bit is lost and the result is not biased. */
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

/** Whether a text has the format of a key id, a key or a token. Other texts are rejected without a query. */
export const isKeyId = (text: string): boolean => KEY_ID.test(text);
export const isWellFormedKey = (text: string): boolean => WELL_FORMED_KEY.test(text);
export const isWellFormedToken = (text: string): boolean => WELL_FORMED_TOKEN.test(text);

/** SHA-256 of a key or token, lower-case hex. Only this is stored. Both are random, so no salt is needed. */
export const secretSha256 = (secret: string): string => Bun.SHA256.hash(secret, 'hex');

/** The first characters, for lists: enough to tell keys apart, too few to guess the rest. */
export const displayPrefix = (key: string): string => key.slice(0, KEY_PREFIX.length + SHOWN_CHARACTERS);
