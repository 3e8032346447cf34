/**
 * Salted 64-bit hashes of texts. NH (Black, Halevi, Krawczyk, Krovetz and Rogaway 1999) over blocks of 16 bytes, chained
 * by an odd multiplier, then mixed: for texts chosen without knowing the salt a pair collides with a probability of
 * about 2^-32, and no fixed difference collides under every salt, as it would with xor and multiply alone.
 */
import { LOW_BYTES, SEED } from './arena';

const CHAIN: u64 = 0x9E3779B97F4A7C15;
const LENGTH: u64 = 0xC2B2AE3D27D4EB4F;

// @ts-ignore: decorator
@inline export function mix(h: u64): u64 {
  h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93;
  h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93;
  return h ^ (h >> 32);
}

// @ts-ignore: decorator
@inline function nh(block: v128): u64 {
  const v = i32x4.add(block, v128.load(SEED));
  const products = i64x2.extmul_low_i32x4_u(v, v128.shuffle<i64>(v, v, 1, 0));
  return <u64>i64x2.extract_lane(products, 0) + <u64>i64x2.extract_lane(products, 1);
}

/** Takes in whole blocks; the length must be a multiple of 16. */
export function hashBlocks(state: u64, at: usize, length: usize): u64 {
  for (const end = at + length; at < end; at += 16) state = rotl<u64>(state, 23) * CHAIN + nh(v128.load(at));
  return state;
}

/** Takes in the last 0 to 16 bytes and the length of the whole text. Reads up to 16 bytes from `at`. */
// @ts-ignore: decorator
@inline export function hashEnd(state: u64, at: usize, rest: usize, length: usize): u64 {
  const block = v128.and(v128.load(at), v128.load(LOW_BYTES + 16 - rest));
  return mix(rotl<u64>(state, 23) * CHAIN + nh(block) + load<u64>(SEED, 16) + <u64>length * LENGTH);
}

/** Hash of a text whose bytes need no decoding. */
// @ts-ignore: decorator
@inline export function hashText(at: usize, length: usize): u64 {
  if (length <= 16) return hashEnd(0, at, length, length);
  const whole = (length - 1) & ~15;
  return hashEnd(hashBlocks(0, at, whole), at + whole, length - whole, length);
}
