/** Pairs of adjacent inspected cells that are both not null: how many there are, are equal, and rise. */
import { Column, Tag } from '../abi';
import { put } from '../arena';

/** Bytes of two different texts that are compared. The byte behind a text is a quote or separator, which sorts before letters and digits. */
const COMPARED_BYTES: usize = 32;

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
    else if (tag == Tag.STRING && lastTag == Tag.STRING) rising += <u32>isTextAbove(<usize>(value & 0xffffffff), <usize>(lastValue & 0xffffffff));
  }
  lastTag = tag;
  lastHash = hash;
  lastValue = value;
}

function isTextAbove(a: usize, b: usize): bool {
  for (let i: usize = 0; i < COMPARED_BYTES; i += 8) {
    const x = bswap<u64>(load<u64>(a + i)), y = bswap<u64>(load<u64>(b + i));
    if (x != y) return x > y;
  }
  return false;
}

export function putAdjacent(record: usize): void {
  put(record, Column.ADJACENT, <f64>adjacent);
  put(record, Column.ADJACENT_EQUAL, <f64>equal);
  put(record, Column.ADJACENT_RISING, <f64>rising);
}
