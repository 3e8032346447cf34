/**
 * How the values of a column go with those of its neighbour, the previous column that has a cell in every analysed row:
 * distinct pairs of values in a row, and whether both rise or fall together from one row to the next.
 */
import { Column, MAX_INSPECTED } from '../abi';
import { ESCAPED, NEIGHBOUR_BYTES, NEIGHBOUR_CELLS, nameOf, PAIR_HASHES, put } from '../arena';
import { analysed, cellCount } from '../gather';
import { mix } from '../hash';
import { distinctHashes, mostFrequent } from './frequencies';
import { RUN } from './inspect';
import { areAllDistinct } from './values';

const CHAIN: u64 = 0x9E3779B97F4A7C15;

/** Inspected cells of this column, and where they are kept: 16 bytes each, a hash (0: null) and a number (else NaN). */
let count: u32 = 0, here: usize = NEIGHBOUR_CELLS;
/** The same of the neighbour. */
let neighbourCount: u32 = 0, there: usize = NEIGHBOUR_CELLS + NEIGHBOUR_BYTES;
/** 24 bits of the neighbour's name, 0 for none; whether its values are all distinct. */
let neighbour: u32 = 0, neighbourAllDistinct: bool = false;

/** Before the first column of a batch. */
export function forgetNeighbour(): void {
  neighbour = 0;
  neighbourCount = 0;
}

export function beginNeighbour(): void { count = 0; }

// @ts-ignore: decorator
@inline export function addNeighbour(hash: u64, number: f64): void {
  assert(count < <u32>MAX_INSPECTED, 'more cells are inspected than there is room for');
  store<u64>(here + (<usize>count << 4), hash);
  store<f64>(here + (<usize>count << 4), number, 8);
  count++;
}

/** Also makes the column the neighbour of the next one. */
export function putNeighbour(column: u32, record: usize): void {
  if (cellCount != analysed) return;
  const allDistinct = areAllDistinct(record);
  if (neighbour != 0 && neighbourCount == count) {
    put(record, Column.NEIGHBOUR, <f64>neighbour);
    putPairs(record, allDistinct || neighbourAllDistinct);
    putAgreement(record);
  }
  const now = here;
  here = there;
  there = now;
  neighbourCount = count;
  neighbourAllDistinct = allDistinct;
  const name = nameOf(column);
  neighbour = max<u32>(1, <u32>(hashName(<usize>load<u32>(name), <usize>(load<u32>(name, 4) & ~ESCAPED)) >> 40));
}

/** Without the salt: the host compares it with the same of another batch. */
function hashName(at: usize, length: usize): u64 {
  let hash: u64 = length;
  for (let i: usize = 0; i < length; i++) hash = (rotl<u64>(hash, 9) ^ <u64>load<u8>(at + i)) * CHAIN;
  return mix(hash);
}

/** `allDistinct`: one of the two columns has no value twice, so no pair occurs twice. */
function putPairs(record: usize, allDistinct: bool): void {
  let paired: u32 = 0;
  for (let at: usize = 0, end = <usize>count << 4; at < end; at += 16) {
    const a = load<u64>(here + at), b = load<u64>(there + at);
    // Without a branch: in a column that is half null each would be mispredicted.
    store<u64>(PAIR_HASHES + (<usize>paired << 3), mix(a + rotl<u64>(b, 31) * CHAIN));
    paired += <u32>(a != 0) & <u32>(b != 0);
  }
  if (!allDistinct) mostFrequent(PAIR_HASHES, paired);
  put(record, Column.PAIRED, <f64>paired);
  put(record, Column.PAIRS, <f64>(allDistinct ? paired : distinctHashes));
}

function putAgreement(record: usize): void {
  let compared: u32 = 0, agreeing: u32 = 0;
  for (let at: usize = 16, end = <usize>count << 4; at < end; at += 16) {
    // The first cell of a run does not follow the cell before it.
    if (cellCount > <u32>MAX_INSPECTED && (at >> 4) % <usize>RUN == 0) continue;
    const a = load<f64>(here + at, 8) - load<f64>(here + at - 8), b = load<f64>(there + at, 8) - load<f64>(there + at - 8);
    const product = a * b;
    compared += <u32>(product > 0) | <u32>(product < 0);
    agreeing += <u32>(product > 0);
  }
  put(record, Column.COMPARED, <f64>compared);
  put(record, Column.AGREEING, <f64>agreeing);
}
