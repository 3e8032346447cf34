/** Hash of a quoted CSV cell in which two quotes mean one. The same text without quotes has the same hash. */
import { DECODE, DECODE_BYTES } from './arena';
import { hashBlocks, hashRest, hashText } from './hash';

const QUOTE: i8 = 34;
const FULL: usize = DECODE + DECODE_BYTES - 16;

let state: u64 = 0;

/** Hashes `length` raw bytes at `at`, without the quotes around them. Reads up to 16 bytes more. */
export function hashDoubled(at: usize, length: usize): u64 {
  const end = at + length;
  let to = DECODE, total: usize = 0;
  state = 0;
  while (at < end) {
    if (to > FULL) to = flush(to);
    assert(to <= FULL, 'there is no room for a vector');
    const text = v128.load(at);
    v128.store(to, text);
    // Up to the next quote. It is kept, its twin is not.
    const room = min<usize>(16, end - at);
    const plain = <usize>ctz(i8x16.bitmask(i8x16.eq(text, i8x16.splat(QUOTE))) | (1 << <u32>room));
    const quote = <usize>(plain < room);
    at += plain + 2 * quote;
    to += plain + quote;
    total += plain + quote;
  }
  return total <= FULL - DECODE ? hashText(DECODE, total) : hashRest(state, DECODE, to - DECODE, total);
}

/** Hashes whole blocks and removes them. At least one block stays for `hashRest`. */
function flush(to: usize): usize {
  const blocks = (to - DECODE) / 64 - 1, rest = DECODE + blocks * 64;
  state = hashBlocks(state, DECODE, blocks);
  memory.copy(DECODE, rest, to - rest);
  return DECODE + (to - rest);
}
