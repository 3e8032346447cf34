/** Names of requests: `req_` and a ULID (github.com/ulid/spec), whose text order is the order in time. */

/** Random bytes behind an id: 80 bits, so that ids of one millisecond differ. */
export const ID_RANDOM_BYTES = 10;

/** Crockford's base 32, in ASCII order. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/** The id of a request at `now` (ms, below 2^48) from ID_RANDOM_BYTES random bytes. */
export function requestId(now: number, random: Uint8Array): string {
  if (random.length !== ID_RANDOM_BYTES)
    throw new RangeError(`an id is made from ${ID_RANDOM_BYTES} random bytes`);
  const noise = random.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
  return `req_${base32(BigInt(now), TIME_CHARACTERS)}${base32(noise, RANDOM_CHARACTERS)}`;
}

/** The lowest id a request at `ms` can have: no id of an earlier time is at or above it. Times before 1970 are 1970. */
export function firstIdAt(ms: number): string {
  return requestId(Math.max(0, Math.ceil(ms)), new Uint8Array(ID_RANDOM_BYTES));
}

/** Ten characters hold 50 bits and a time has 48, so the first is at most 7. */
const REQUEST_ID = /^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether this is how an id of a request looks. */
export const isRequestId = (text: string): boolean => REQUEST_ID.test(text);

function base32(number: bigint, characters: number): string {
  const digits = Array.from({ length: characters }, (_, place) =>
    Number((number >> BigInt(5 * place)) & 31n),
  );
  return digits
    .reverse()
    .map(digit => ALPHABET[digit])
    .join('');
}
