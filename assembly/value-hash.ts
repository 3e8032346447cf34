/** One hash for each value that is not null, whatever its type. Equal values have equal hashes. */
import { Tag } from './abi';
import { isLarge, restIn, restOfText } from './exact';
import { mix, valueSeed } from './hash';
import { number, scanNumber } from './number';
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

/** Of the number that a text is. */
export function hashNumberText(at: usize, length: u32, seed: u64): u64 {
  scanNumber(at, true);
  const x = number, hash = hashNumber(x, seed);
  return isLarge(x) ? withRest(hash, restOfText(at, length, x)) : hash;
}

function withRest(hash: u64, rest: i64): u64 { return rest == 0 ? hash : mix(hash + <u64>rest); }
