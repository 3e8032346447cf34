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

function base32(number: bigint, characters: number): string {
  const digits = Array.from({ length: characters }, (_, place) =>
    Number((number >> BigInt(5 * place)) & 31n),
  );
  return digits
    .reverse()
    .map(digit => ALPHABET[digit])
    .join('');
}
