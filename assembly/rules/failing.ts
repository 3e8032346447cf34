/**
 * The rows that fail a rule. Each check begins with no flag and sets one for every row that fails; rows outside of the chosen ones do
 * not count. Rows are chosen by the condition of a rule; without one, all are.
 */
import { FOUND_ROWS, RULE_CHOSEN, RULE_FLAGS } from '../arena';
import { rows } from '../gather';

export function clearFlags(): void { memory.fill(RULE_FLAGS, 0, <usize>rows); }
export function flagAll(): void { memory.fill(RULE_FLAGS, 1, <usize>rows); }

// @ts-ignore: decorator
@inline export function flag(row: u32, fails: bool): void {
  assert(row < rows, 'a flag of a row that is not there');
  store<u8>(RULE_FLAGS + <usize>row, <u8>fails);
}

// @ts-ignore: decorator
@inline export function isChosen(row: u32): bool { return load<u8>(RULE_CHOSEN + <usize>row) != 0; }

/** Rules are about all rows from now on. */
export function chooseAll(): u32 {
  memory.fill(RULE_CHOSEN, 1, <usize>rows);
  return rows;
}

/** Rules are about the flagged rows, or about the others, from now on. Returns how many these are. */
export function chooseFlagged(flagged: bool): u32 {
  let count: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const chosen = (load<u8>(RULE_FLAGS + <usize>row) != 0) == flagged;
    store<u8>(RULE_CHOSEN + <usize>row, <u8>chosen);
    count += <u32>chosen;
  }
  return count;
}

/** How many chosen rows are flagged. Writes the indexes of the first `limit` as u16 at FOUND_ROWS, ascending. */
export function failingRows(limit: u32): u32 {
  let count: u32 = 0;
  for (let row: u32 = 0; row < rows; row += 16) {
    const both = v128.and(v128.load(RULE_FLAGS + <usize>row), v128.load(RULE_CHOSEN + <usize>row));
    let hits: u32 = i8x16.bitmask(i8x16.ne(both, i8x16.splat(0)));
    if (rows - row < 16) hits &= (1 << (rows - row)) - 1;
    for (; hits != 0; hits &= hits - 1) {
      if (count < limit) store<u16>(FOUND_ROWS + (<usize>count << 1), <u16>(row + ctz(hits)));
      count++;
    }
  }
  return count;
}

/** Whether a row is flagged, for the few that the host decides; and what it decided. */
export function flagAt(row: u32): u32 { return load<u8>(RULE_FLAGS + <usize>row); }
export function setFlag(row: u32, fails: bool): void { flag(row, fails); }
