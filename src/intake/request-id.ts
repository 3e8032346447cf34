/** Names of requests: `req_` and a ULID (github.com/ulid/spec), whose text order is the order in time. */

/** Random bytes behind an id: 80 bits, so that ids of one millisecond differ. */
export const ID_RANDOM_BYTES = 10;

/** Crockford's base 32, in ASCII order. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE = 32;
const TIME_CHARACTERS = 10;
/** Bytes that are a number of 40 bits, which a double holds: bigints take many times as long. */
const GROUP_BYTES = 5;
const GROUP_CHARACTERS = 8;

/** The id of a request at `now` (ms, below 2^48) from ID_RANDOM_BYTES random bytes. */
export function requestId(now: number, random: Uint8Array): string {
  if (random.length !== ID_RANDOM_BYTES)
    throw new RangeError(`an id is made from ${ID_RANDOM_BYTES} random bytes`);
  const noise = group(random, 0) + group(random, GROUP_BYTES);
  return `req_${base32(now, TIME_CHARACTERS)}${noise}`;
}

function group(random: Uint8Array, start: number): string {
  let number = 0;
  for (let i = start; i < start + GROUP_BYTES; i++) number = number * 256 + random[i]!;
  return base32(number, GROUP_CHARACTERS);
}

/** The lowest id a request at `ms` can have: no id of an earlier time is at or above it. Times before 1970 are 1970. */
export function firstIdAt(ms: number): string {
  return requestId(Math.max(0, Math.ceil(ms)), new Uint8Array(ID_RANDOM_BYTES));
}

/** Ten characters hold 50 bits and a time has 48, so the first is at most 7. */
const REQUEST_ID = /^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether this is how an id of a request looks. */
export const isRequestId = (text: string): boolean => REQUEST_ID.test(text);

/** Of a whole number below 2^53. */
function base32(number: number, characters: number): string {
  let text = '';
  for (let rest = number; text.length < characters; rest = Math.floor(rest / BASE)) {
    text = ALPHABET[rest % BASE]! + text;
  }
  return text;
}

/** When the request of an id was made, in ms. */
export function timeOf(id: string): number {
  const digits = [...id.slice('req_'.length, 'req_'.length + TIME_CHARACTERS)];
  return digits.reduce((time, digit) => time * BASE + ALPHABET.indexOf(digit), 0);
}
