/** One hash for each value that is not null, whatever its type. Equal values have equal hashes. */
import { Tag } from './abi';
import { isLarge, restIn } from './exact';
import { mix, valueSeed } from './hash';
import { hashNumber } from './statistics/distinct';

export function hashTag(tag: i32): u64 { return mix(valueSeed() + <u64>tag); }

/** A number is hashed by its value and a boolean by its tag. A text or nested value has its hash at `hashAt` already. */
// @ts-ignore: decorator
@inline export function hashOf(tag: i32, valueAt: usize, hashAt: usize, seed: u64): u64 {
  if (tag == Tag.NUMBER) {
    const x = load<f64>(valueAt), hash = hashNumber(x, seed);
    return isLarge(x) ? withRest(hash, restIn(x, load<u64>(hashAt))) : hash;
  }
  return tag >= Tag.STRING ? load<u64>(hashAt) : hashTag(tag);
}

/** Of a number and its rest, see `exact.ts`. */
export function hashExactly(x: f64, rest: i64, seed: u64): u64 { return withRest(hashNumber(x, seed), isLarge(x) ? rest : 0); }

function withRest(hash: u64, rest: i64): u64 { return rest == 0 ? hash : mix(hash + <u64>rest); }
