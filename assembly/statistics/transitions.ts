/**
 * Character transitions of texts: which kinds of characters follow one another anywhere in the text, and which signs it
 * contains. Most names of people have the same transitions, and most typing errors make others.
 */
import { Column } from '../abi';
import { INSPECTED_TRANSITIONS, put } from '../arena';
import { mix } from '../hash';
import { putDistribution } from './frequencies';
import { digitBits, inspectedBytes, letterBits, otherBits, spaceBits, textAt, upperBits } from './text';

let texts: u32 = 0;

export function beginTransitions(): void { texts = 0; }

export function addTransitions(): void {
  let found: u64 = signs();
  for (let i: u64 = 0; i < inspectedBytes; i += 16)
    found |= transitions(<u32>(digitBits >> i), <u32>(upperBits >> i), <u32>(letterBits >> i), <u32>(spaceBits >> i), <u32>(otherBits >> i));
  store<u64>(INSPECTED_TRANSITIONS + (<usize>texts << 3), mix(found + 1));
  texts++;
}

/** A bit for each of five kinds that another kind follows, among the lowest 16 bits. Two lower-case letters or two spaces in a row mean nothing. */
// @ts-ignore: decorator
@inline function transitions(digits: u32, uppers: u32, letters: u32, spaces: u32, others: u32): u64 {
  let next = i16x8.splat(0);
  next = i16x8.replace_lane(next, 0, <i16>digits);
  next = i16x8.replace_lane(next, 1, <i16>uppers);
  next = i16x8.replace_lane(next, 2, <i16>others);
  next = i16x8.replace_lane(next, 3, <i16>letters);
  next = i16x8.replace_lane(next, 4, <i16>spaces);
  return <u64>followers(digits, next) | <u64>followers(uppers, next) << 5 | <u64>followers(others, next) << 10
    | <u64>(followers(letters, next) & 0b10111) << 15 | <u64>(followers(spaces, next) & 0b01111) << 20;
}

// @ts-ignore: decorator
@inline function followers(kind: u32, next: v128): i32 {
  return i16x8.bitmask(i16x8.ne(v128.and(i16x8.splat(<i16>(kind << 1)), next), i16x8.splat(0)));
}

/** The characters that are neither letters nor digits nor white space, by five of their bits. */
function signs(): u64 {
  let found: u64 = 0;
  for (let left = otherBits; left != 0; left &= left - 1) found |= <u64>1 << (32 + <u64>(load<u8>(textAt + <usize>ctz(left)) & 31));
  return found;
}

export function putTransitions(record: usize): void {
  putDistribution(record + (<usize>Column.FIRST_TRANSITION_BUCKET << 3), INSPECTED_TRANSITIONS, texts);
}
