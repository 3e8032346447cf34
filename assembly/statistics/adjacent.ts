/** Pairs of adjacent inspected cells that are both not null: how many there are, are equal, and rise. */
import { Column, Tag } from '../abi';
import { ESCAPED, put } from '../arena';

/** Bytes of two different texts that are compared. Behind the end of a text come quotes in their place, which sort before letters and digits. */
const COMPARED_BYTES: usize = 32;
const QUOTES: u64 = 0x2222222222222222;

let adjacent: u32 = 0, equal: u32 = 0, rising: u32 = 0;
/** The cell before; Tag.NULL at the start of a run. */
let lastTag: i32 = Tag.NULL, lastHash: u64 = 0, lastValue: u64 = 0;

export function beginAdjacent(): void {
  adjacent = 0;
  equal = 0;
  rising = 0;
}

/** The next cell has no cell before it. */
export function beginAdjacentRun(): void { lastTag = Tag.NULL; }

// @ts-ignore: decorator
@inline export function addAdjacent(tag: i32, hash: u64, value: u64): void {
  if (tag != Tag.NULL && lastTag != Tag.NULL) {
    adjacent++;
    if (hash == lastHash) equal++;
    else if (tag == Tag.NUMBER && lastTag == Tag.NUMBER) rising += <u32>(reinterpret<f64>(value) > reinterpret<f64>(lastValue));
    else if (tag == Tag.STRING && lastTag == Tag.STRING) rising += <u32>isTextAbove(value, lastValue);
  }
  lastTag = tag;
  lastHash = hash;
  lastValue = value;
}

function isTextAbove(a: u64, b: u64): bool {
  for (let i: usize = 0; i < COMPARED_BYTES; i += 8) {
    const x = eightBytes(a, i), y = eightBytes(b, i);
    if (x != y) return x > y;
  }
  return false;
}

/** Eight bytes of the text of a slot, the first one the highest. */
// @ts-ignore: decorator
@inline function eightBytes(slot: u64, from: usize): u64 {
  const length = <usize>(slot >> 32) & ~<usize>ESCAPED, left = length > from ? length - from : 0;
  const bytes = bswap<u64>(load<u64>(<usize>(slot & 0xffffffff) + from));
  if (left >= 8) return bytes;
  const kept: u64 = left == 0 ? 0 : u64.MAX_VALUE << <u64>(64 - (left << 3));
  return (bytes & kept) | (QUOTES & ~kept);
}

export function putAdjacent(record: usize): void {
  put(record, Column.ADJACENT, <f64>adjacent);
  put(record, Column.ADJACENT_EQUAL, <f64>equal);
  put(record, Column.ADJACENT_RISING, <f64>rising);
}
