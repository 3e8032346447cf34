/**
 * Rows with the same values in some fields: exactly. A hash table finds candidates, and equal hashes are compared value by value. Rows that lack
 * one of the values are not looked at. Every row of a group is flagged.
 */
import { MAX_ROWS, Tag } from '../abi';
import { cellsOf, DISTINCT_SCRATCH, edgeOf, GATHER_HASHES, GATHER_TAGS, HASHES, VALUES } from '../arena';
import { rowOf } from '../column';
import { rows } from '../gather';
import { mix, valueSeed } from '../hash';
import { hashOf } from '../value-hash';
import { cellOf, countOf, NO_COLUMN, tagAt } from './cells';
import { flag, isChosen } from './failing';
import { isSame } from './values';

const SLOTS: u32 = 32768;
const CHAIN: u64 = 0x9E3779B97F4A7C15;

let columns: usize = 0;

/** Flags rows that have the same values in the `count` columns at `at`, a u32 each. */
export function flagRepeated(at: usize, count: u32): void {
  columns = at;
  assert(<u32>MAX_ROWS < SLOTS, 'the table is too small');
  memory.fill(GATHER_HASHES, 0, <usize>rows << 3);
  memory.fill(GATHER_TAGS, 0, <usize>rows);
  for (let i: u32 = 0; i < count; i++) {
    if (columnAt(i) == NO_COLUMN) return;
    addHashes(columnAt(i));
  }
  memory.fill(DISTINCT_SCRATCH, 0, SLOTS << 1);
  for (let row: u32 = 0; row < rows; row++) {
    // Rows with a value in each column.
    if (load<u8>(GATHER_TAGS + <usize>row) == count && isChosen(row)) insert(row, count);
  }
}

// @ts-ignore: decorator
@inline function columnAt(i: u32): u32 { return load<u32>(columns + (<usize>i << 2)); }

// @ts-ignore: decorator
@inline function hashAt(row: u32): u64 { return load<u64>(GATHER_HASHES + (<usize>row << 3)); }

/** Adds the column's values to the hashes of their rows, and counts them. */
function addHashes(column: u32): void {
  const edge = edgeOf(column), base = cellsOf(column), count = countOf(column), seed = valueSeed();
  for (let cell: u32 = 0; cell < count; cell++) {
    const tag = tagAt(base, cell);
    if (tag == Tag.NULL) continue;
    const row = rowOf(edge, base, cell), at = <usize>cell << 3;
    const hash = hashOf(tag, base + VALUES + at, base + HASHES + at, seed);
    store<u64>(GATHER_HASHES + (<usize>row << 3), mix(hashAt(row) * CHAIN + hash));
    store<u8>(GATHER_TAGS + <usize>row, load<u8>(GATHER_TAGS + <usize>row) + 1);
  }
}

function insert(row: u32, count: u32): void {
  const hash = hashAt(row);
  let slot = <u32>hash & (SLOTS - 1);
  while (true) {
    const held: u32 = load<u16>(DISTINCT_SCRATCH + (<usize>slot << 1));
    if (held == 0) break;
    if (hashAt(held - 1) == hash && isSameRow(held - 1, row, count)) {
      flag(held - 1, true);
      flag(row, true);
      return;
    }
    slot = (slot + 1) & (SLOTS - 1);
  }
  store<u16>(DISTINCT_SCRATCH + (<usize>slot << 1), <u16>(row + 1));
}

function isSameRow(a: u32, b: u32, count: u32): bool {
  for (let i: u32 = 0; i < count; i++) {
    const column = columnAt(i), base = cellsOf(column);
    if (!isSame(base, cellOf(column, a), base, cellOf(column, b))) return false;
  }
  return true;
}
