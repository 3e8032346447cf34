/**
 * Patterns, as automata over bytes that the host has compiled: linear in the length of a text, whatever the pattern. PATTERN_ROW_BYTES says how the
 * table is laid out.
 */
import { PATTERN_END, PATTERN_FOUND, PATTERN_ROW_BYTES, UNDECIDED } from '../abi';
import { cellsOf, edgeOf } from '../arena';
import { rowOf } from '../column';
import { endCell, firstCell, NO_TEXT, textSlot } from './cells';
import { flag, flagUndecided } from './failing';
import { bytesOf, isEscaped, nextUnit, startOf, unitLength, unitRead } from './texts';

/** Flags texts without a match, or with UNDECIDED; returns how many are that. `first`: the state before a text. */
export function flagUnmatched(column: u32, table: usize, first: u32): u32 {
  let undecided: u32 = 0;
  const edge = edgeOf(column), base = cellsOf(column), end = endCell(column);
  for (let cell = firstCell(column); cell < end; cell++) {
    const slot = textSlot(base, cell);
    if (slot == NO_TEXT) continue;
    const state = isEscaped(slot) ? behindEscaped(slot, table, first) : behind(slot, table, first);
    const row = rowOf(edge, base, cell);
    if (state == UNDECIDED) {
      undecided++;
      flagUndecided(row);
    } else flag(row, state != PATTERN_FOUND);
  }
  return undecided;
}

// @ts-ignore: decorator
@inline function next(table: usize, state: u32, byte: u32): u32 {
  return load<u16>(table + <usize>state * PATTERN_ROW_BYTES + (<usize>byte << 1));
}

// @ts-ignore: decorator
@inline function stays(state: u32): bool { return state <= <u32>UNDECIDED; }

/** The last state of a text. */
function behind(slot: u64, table: usize, state: u32): u32 {
  const to = startOf(slot) + bytesOf(slot);
  for (let p = startOf(slot); p < to && !stays(state); p++) state = next(table, state, load<u8>(p));
  return next(table, state, PATTERN_END);
}

function behindEscaped(slot: u64, table: usize, state: u32): u32 {
  let p = startOf(slot);
  const to = p + bytesOf(slot);
  while (p < to && !stays(state)) {
    p = nextUnit(p, true);
    for (let bytes = unitRead, left = unitLength; left > 0; left--, bytes >>= 8) state = next(table, state, bytes & 0xff);
  }
  return next(table, state, PATTERN_END);
}
