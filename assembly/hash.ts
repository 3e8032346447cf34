/**
 * Salted 64-bit hashes of texts: NH (Black, Halevi, Krawczyk, Krovetz and Rogaway 1999) with a key of 64 bytes, then mixed.
 * One, two or four overlapping vectors cover a text of up to 64 bytes without a loop. Longer texts are chained in blocks of
 * 64 bytes; the last block may overlap the one before. Two texts chosen without knowledge of the salt collide with a
 * probability of about 2^-32. No fixed difference collides under every salt, as it would with xor and multiply alone.
 */
import { LOW_BYTES, SALT, SEED } from './arena';

/** Parts of the key behind SEED: 64 bytes for NH, a word for texts, a word for other values. */
const TEXT_SEED: usize = 64;
const VALUE_SEED: usize = 72;
const BLOCK: usize = 64;

const CHAIN: u64 = 0x9E3779B97F4A7C15;
const LENGTH: u64 = 0xC2B2AE3D27D4EB4F;

// @ts-ignore: decorator
@inline export function mix(h: u64): u64 {
  h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93;
  h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93;
  return h ^ (h >> 32);
}

/** Derives the key from the 32 bytes at SALT. */
export function expandSalt(): void {
  for (let word: usize = 0; word < 10; word++) {
    const a = load<u64>(SALT + ((word & 3) << 3)), b = load<u64>(SALT + (((word + 1) & 3) << 3));
    store<u64>(SEED + (word << 3), mix(mix(a + CHAIN * <u64>(word + 1)) ^ b));
  }
}

/** The seed of hashes of values that are not texts. */
export function valueSeed(): u64 { return load<u64>(SEED, VALUE_SEED); }

// @ts-ignore: decorator
@inline function nh(block: v128, key: v128): v128 {
  const v = i32x4.add(block, key);
  return i64x2.extmul_low_i32x4_u(v, v128.shuffle<i64>(v, v, 1, 0));
}

/** The 64 bytes at `at`. */
// @ts-ignore: decorator
@inline function nhBlock(at: usize): v128 {
  return i64x2.add(
    i64x2.add(nh(v128.load(at), v128.load(SEED)), nh(v128.load(at, 16), v128.load(SEED, 16))),
    i64x2.add(nh(v128.load(at, 32), v128.load(SEED, 32)), nh(v128.load(at, 48), v128.load(SEED, 48))),
  );
}

// @ts-ignore: decorator
@inline function lanes(v: v128): u64 { return <u64>i64x2.extract_lane(v, 0) + <u64>i64x2.extract_lane(v, 1); }

// @ts-ignore: decorator
@inline export function finished(sum: u64, length: usize): u64 { return mix(sum + load<u64>(SEED, TEXT_SEED) + <u64>length * LENGTH); }

/** First step for a text of at most 16 bytes at the start of a vector; `finished` makes the hash. */
// @ts-ignore: decorator
@inline export function shortSum(text: v128, length: usize): u64 {
  return lanes(nh(v128.and(text, v128.load(LOW_BYTES + 16 - length)), v128.load(SEED)));
}

/** First step for a text of 17 to 64 bytes. */
// @ts-ignore: decorator
@inline export function mediumSum(at: usize, length: usize): u64 {
  const end = at + length;
  let sum = i64x2.add(nh(v128.load(at), v128.load(SEED)), nh(v128.load(end - 16), v128.load(SEED, 16)));
  if (length > 32) sum = i64x2.add(sum, i64x2.add(nh(v128.load(at, 16), v128.load(SEED, 32)), nh(v128.load(end - 32), v128.load(SEED, 48))));
  return lanes(sum);
}

/** Hash of a text. Reads at least 16 bytes. */
// @ts-ignore: decorator
@inline export function hashText(at: usize, length: usize): u64 {
  return length <= 16 ? finished(shortSum(v128.load(at), length), length) : hashLonger(at, length);
}

/** Hash of a text of more than 16 bytes. */
export function hashLonger(at: usize, length: usize): u64 {
  return length > BLOCK ? hashRest(0, at, length, length) : finished(mediumSum(at, length), length);
}

/** Adds whole blocks of a long text to the hash. At least 64 bytes must follow, in the next call or for `hashRest`. */
export function hashBlocks(state: u64, at: usize, blocks: usize): u64 {
  for (const end = at + blocks * BLOCK; at < end; at += BLOCK) state = rotl<u64>(state, 23) * CHAIN + lanes(nhBlock(at));
  return state;
}

/** Adds the last `rest` bytes, at least 64, of a text of `length` bytes, and finishes the hash. */
export function hashRest(state: u64, at: usize, rest: usize, length: usize): u64 {
  const blocks = (rest - 1) / BLOCK;
  state = hashBlocks(state, at, blocks);
  return finished(rotl<u64>(state, 23) * CHAIN + lanes(nhBlock(at + rest - BLOCK)), length);
}
