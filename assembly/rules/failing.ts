/**
 * The rows that fail a rule. A check sets a flag for every row that fails; rows outside of the chosen ones do not count. Rows are chosen by the
 * condition of a rule; without one, all are.
 *
 * Checks run side by side, in pieces of rows, so that the texts of a piece are in the caches for all of them. Each has flags of its own.
 */
import { MAX_CHECKS, UNDECIDED } from '../abi';
import { CELLS, FOUND_ROWS, RULE_CHOSEN, RULE_FLAGS } from '../arena';
import { rows } from '../gather';

/** The flags of the check that runs. */
export let flags: usize = RULE_FLAGS;
/** The rows that it looks at: from the first up to the second. */
export let fromRow: u32 = 0, toRow: u32 = 0;

// @ts-ignore: decorator
@inline function flagsOf(check: u32): usize {
  assert(check < <u32>MAX_CHECKS, 'there is no such check');
  return RULE_FLAGS + <usize>check * CELLS;
}

/** Sets which check runs next, and the rows that it looks at. */
export function beginPiece(check: u32, from: u32, to: u32): void {
  flags = flagsOf(check);
  fromRow = from;
  toRow = min(to, rows);
}

export function clearFlags(check: u32): void { memory.fill(flagsOf(check), 0, <usize>rows); }

// @ts-ignore: decorator
@inline export function flag(row: u32, fails: bool): void {
  assert(row < rows, 'a flag of a row that is not there');
  store<u8>(flags + <usize>row, <u8>fails);
}

// @ts-ignore: decorator
@inline export function flagUndecided(row: u32): void { store<u8>(flags + <usize>row, <u8>UNDECIDED); }

// @ts-ignore: decorator
@inline export function isChosen(row: u32): bool { return load<u8>(RULE_CHOSEN + <usize>row) != 0; }

/** Rules are about all rows from now on. */
export function chooseAll(): u32 {
  memory.fill(RULE_CHOSEN, 1, <usize>rows);
  return rows;
}

/** Rules are about the rows that the check flagged, or about the others, from now on. Returns how many these are. */
export function chooseFlagged(check: u32, flagged: bool): u32 {
  const at = flagsOf(check);
  let count: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const chosen = (load<u8>(at + <usize>row) != 0) == flagged;
    store<u8>(RULE_CHOSEN + <usize>row, <u8>chosen);
    count += <u32>chosen;
  }
  return count;
}

/** How many chosen rows the check flagged. Writes the indexes of the first `limit` as u16 at FOUND_ROWS, ascending. */
export function failingRows(check: u32, limit: u32): u32 {
  const at = flagsOf(check);
  let count: u32 = 0;
  for (let row: u32 = 0; row < rows; row += 16) {
    const both = v128.and(v128.load(at + <usize>row), v128.load(RULE_CHOSEN + <usize>row));
    let hits: u32 = i8x16.bitmask(i8x16.ne(both, i8x16.splat(0)));
    if (rows - row < 16) hits &= (1 << (rows - row)) - 1;
    for (; hits != 0; hits &= hits - 1) {
      if (count < limit) store<u16>(FOUND_ROWS + (<usize>count << 1), <u16>(row + ctz(hits)));
      count++;
    }
  }
  return count;
}

/** Whether the check that ran last flagged a row, for the few that the host decides; and what it decided. */
export function flagAt(row: u32): u32 { return load<u8>(flags + <usize>row); }
export function setFlag(row: u32, fails: bool): void { flag(row, fails); }
