/** Request ids: `req_` and a ULID (github.com/ulid/spec). Sorted as text, they are sorted by time. */

/** Random bytes of an id: 80 bits, so that ids of the same millisecond differ. */
export const ID_RANDOM_BYTES = 10;

/** Crockford's base 32, in ASCII order. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE = 32;
const TIME_CHARACTERS = 10;
/** 40 bits fit in a double; bigints are many times slower. */
const GROUP_BYTES = 5;
const GROUP_CHARACTERS = 8;

/** Makes the id of a request at `now` (ms, below 2^48) from ID_RANDOM_BYTES random bytes. */
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

/** The smallest id that a request at `ms` can have; ids of earlier times are smaller. Times before 1970 count as 1970. */
export function firstIdAt(ms: number): string {
  return requestId(Math.max(0, Math.ceil(ms)), new Uint8Array(ID_RANDOM_BYTES));
}

/** Ten characters hold 50 bits and a time has 48, so the first character is at most 7. */
const REQUEST_ID = /^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether the text has the format of a request id. */
export const isRequestId = (text: string): boolean => REQUEST_ID.test(text);

/** The two characters of each number of ten bits: half the steps of single ones. */
const PAIRS = Array.from({ length: BASE * BASE }, (_, i) => ALPHABET[i >> 5]! + ALPHABET[i % BASE]!);

/** For an integer below 2^53; `characters` is even. */
function base32(number: number, characters: number): string {
  let text = '';
  for (let rest = number; text.length < characters; rest = Math.floor(rest / PAIRS.length)) {
    text = PAIRS[rest % PAIRS.length]! + text;
  }
  return text;
}

/** The time of the request, in ms. */
export function timeOf(id: string): number {
  const digits = [...id.slice('req_'.length, 'req_'.length + TIME_CHARACTERS)];
  return digits.reduce((time, digit) => time * BASE + ALPHABET.indexOf(digit), 0);
}
