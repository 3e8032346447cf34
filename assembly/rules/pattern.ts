/**
 * Patterns, as automata over bytes that the host has compiled: linear in the length of a text, whatever the pattern. At RULE_DATA lie the
 * class of each byte, a u16, and a table with a u32 for each state and class: where the row of the next state begins. Classes and rows are
 * counted in bytes of the table. The last class is the end of the text. Two states stay: that of the first row, from which nothing is found, and
 * that of the second, the pattern is found.
 *
 * Each step waits for the one before, so four texts go through the automaton side by side. In a column of few values each is matched once.
 */
import { cellsOf, DISTINCT_SCRATCH, edgeOf, HASHES, RULE_DATA } from '../arena';
import { rowOf } from '../column';
import { countOf, fetchTexts, isText, NO_COLUMN, NO_TEXT, tagAt, textSlot } from './cells';
import { clearFlags, flag } from './failing';
import { bytesOf, isEscaped, isSameText, nextUnit, startOf, unitLength, unitRead } from './texts';

const CLASSES: usize = RULE_DATA;
const TABLE: usize = RULE_DATA + 512;

let start: u32 = 0, width: u32 = 0;

/** Flags texts without a match. `first`: the row of the first state. `rowBytes`: of each row. */
export function flagUnmatched(column: u32, first: u32, rowBytes: u32): void {
  clearFlags();
  if (column == NO_COLUMN) return;
  start = first;
  width = rowBytes;
  memory.fill(KNOWN, 0, KNOWN_SLOTS * ENTRY);
  waiting = 0;
  // Where values hardly ever occur again, nobody looks for them.
  let hits: u32 = FREE_MISSES, misses: u32 = 0;
  const edge = edgeOf(column), base = cellsOf(column), count = countOf(column);
  for (let cell: u32 = 0; cell < count; cell++) {
    fetchTexts(base, cell, count);
    const slot = textSlot(base, cell);
    if (slot == NO_TEXT) continue;
    const row = rowOf(edge, base, cell);
    if (isEscaped(slot)) { flag(row, !isFound(escapedEnd(slot))); continue; }
    // A number or boolean of a CSV has no hash.
    const hash = hits >= misses >> 3 && isText(tagAt(base, cell)) ? load<u64>(base + HASHES + (<usize>cell << 3)) : 0;
    if (hash != 0 && isKnown(entryOf(hash), hash, slot)) {
      hits++;
      flag(row, load<u32>(entryOf(hash), MATCHES) == 0);
    } else {
      misses++;
      wait(slot, hash, row);
    }
  }
  for (let i: u32 = 0; i < waiting; i++) settle(i, finished(slotOf(i), start, 0));
}

// @ts-ignore: decorator
@inline function next(state: u32, byte: u32): u32 { return load<u32>(<usize>(state + <u32>load<u16>(<usize>byte << 1, CLASSES)), TABLE); }

/** Whether the rest of the text decides nothing. */
// @ts-ignore: decorator
@inline function stays(state: u32): bool { return state <= width; }

// @ts-ignore: decorator
@inline function isFound(state: u32): bool { return state == width; }

// @ts-ignore: decorator
@inline function atEnd(state: u32): u32 { return load<u32>(<usize>(state + width) - 4, TABLE); }

/** The last state of a text, from `state` behind its first `skip` bytes. */
function finished(slot: u64, state: u32, skip: usize): u32 {
  const to = startOf(slot) + bytesOf(slot);
  for (let p = startOf(slot) + skip; p < to && !stays(state); p++) state = next(state, load<u8>(p));
  return atEnd(state);
}

function escapedEnd(slot: u64): u32 {
  let state = start, p = startOf(slot);
  const to = p + bytesOf(slot);
  while (p < to && !stays(state)) {
    p = nextUnit(p, true);
    for (let bytes = unitRead, left = unitLength; left > 0; left--, bytes >>= 8) state = next(state, bytes & 0xff);
  }
  return atEnd(state);
}

// ---- texts that wait for others ----

const LANES: u32 = 4;
/** Slot, hash, row. */
const WAITING: usize = memory.data(4 * 24);
let waiting: u32 = 0;

// @ts-ignore: decorator
@inline function laneAt(i: u32): usize { return WAITING + <usize>i * 24; }
// @ts-ignore: decorator
@inline function slotOf(i: u32): u64 { return load<u64>(laneAt(i)); }

function wait(slot: u64, hash: u64, row: u32): void {
  const lane = laneAt(waiting);
  store<u64>(lane, slot);
  store<u64>(lane, hash, 8);
  store<u32>(lane, row, 16);
  if (++waiting < LANES) return;
  matchFour();
  waiting = 0;
}

/** Steps between looks whether all texts are decided. */
const STEPS: usize = 32;

function matchFour(): void {
  const a = slotOf(0), b = slotOf(1), c = slotOf(2), d = slotOf(3);
  const p = startOf(a), q = startOf(b), r = startOf(c), s = startOf(d);
  const shortest = min(min(bytesOf(a), bytesOf(b)), min(bytesOf(c), bytesOf(d)));
  let w = start, x = start, y = start, z = start, i: usize = 0;
  while (i < shortest && !(stays(w) && stays(x) && stays(y) && stays(z))) {
    for (const to = min(shortest, i + STEPS); i < to; i++) {
      w = next(w, load<u8>(p + i));
      x = next(x, load<u8>(q + i));
      y = next(y, load<u8>(r + i));
      z = next(z, load<u8>(s + i));
    }
  }
  settle(0, finished(a, w, i));
  settle(1, finished(b, x, i));
  settle(2, finished(c, y, i));
  settle(3, finished(d, z, i));
}

function settle(i: u32, state: u32): void {
  const lane = laneAt(i), hash = load<u64>(lane, 8), known = entryOf(hash);
  flag(load<u32>(lane, 16), !isFound(state));
  if (hash == 0) return;
  store<u64>(known, hash);
  store<u64>(known, load<u64>(lane), SLOT);
  store<u32>(known, <u32>isFound(state), MATCHES);
}

// ---- values that occurred before ----

/** By some bits of the hash: hash, slot, and whether it matches. */
const KNOWN: usize = DISTINCT_SCRATCH;
const KNOWN_SLOTS: usize = 256;
const FREE_MISSES: u32 = 64;
const ENTRY: usize = 24, SLOT: usize = 8, MATCHES: usize = 16;

// @ts-ignore: decorator
@inline function entryOf(hash: u64): usize { return KNOWN + (<usize>hash & (KNOWN_SLOTS - 1)) * ENTRY; }

// @ts-ignore: decorator
@inline function isKnown(entry: usize, hash: u64, slot: u64): bool {
  const before = load<u64>(entry, SLOT);
  return load<u64>(entry) == hash && isSameText(before, slot);
}
