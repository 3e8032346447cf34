/**
 * Patterns, as automata over bytes that the host has compiled: linear in the length of a text, whatever the pattern. Behind what a check knows lie
 * the class of each byte, a u16, and a table with a u32 for each state and class: where the row of the next state begins. Classes and rows are
 * counted in bytes of the table. The last class is the end of the text. Two states stay: that of the first row, from which nothing is found, and
 * that of the second, the pattern is found.
 *
 * Each step waits for the one before, so four texts go through the automaton side by side. In a column of few values each is matched once.
 */
import { PATTERN_STATE_BYTES } from '../abi';
import { cellsOf, edgeOf, HASHES } from '../arena';
import { rowOf } from '../column';
import { endCell, firstCell, isText, NO_TEXT, tagAt, textSlot } from './cells';
import { flag } from './failing';
import { bytesOf, isEscaped, isSameText, nextUnit, startOf, unitLength, unitRead } from './texts';

/** From `pattern`: how many values occurred before and how many did not, the values, the classes, the table. */
const HITS: usize = 0, MISSES: usize = 4, CLASSES: usize = PATTERN_STATE_BYTES, TABLE: usize = CLASSES + 512;

let pattern: usize = 0, start: u32 = 0, width: u32 = 0;

/** Makes a check know no value. The automaton lies behind PATTERN_STATE_BYTES at `at`. */
export function beginPattern(at: usize): void {
  memory.fill(at, 0, PATTERN_STATE_BYTES);
  store<u32>(at, FREE_MISSES, HITS);
}

/** Flags texts without a match. `first`: the row of the first state. `rowBytes`: of each row. */
export function flagUnmatched(column: u32, at: usize, first: u32, rowBytes: u32): void {
  pattern = at;
  start = first;
  width = rowBytes;
  waiting = 0;
  // Where values hardly ever occur again, nobody looks for them.
  let hits = load<u32>(at, HITS), misses = load<u32>(at, MISSES);
  const edge = edgeOf(column), base = cellsOf(column), end = endCell(column);
  for (let cell = firstCell(column); cell < end; cell++) {
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
  store<u32>(at, hits, HITS);
  store<u32>(at, misses, MISSES);
}

// @ts-ignore: decorator
@inline function next(at: usize, row: u32, byte: u32): u32 { return load<u32>(at + <usize>(row + <u32>load<u16>(at + (<usize>byte << 1), CLASSES)), TABLE); }

/** Whether the rest of the text decides nothing. */
// @ts-ignore: decorator
@inline function stays(state: u32): bool { return state <= width; }

// @ts-ignore: decorator
@inline function isFound(state: u32): bool { return state == width; }

// @ts-ignore: decorator
@inline function atEnd(state: u32): u32 { return load<u32>(pattern + <usize>(state + width) - 4, TABLE); }

/** The last state of a text, from `state` behind its first `skip` bytes. */
function finished(slot: u64, state: u32, skip: usize): u32 {
  const at = pattern, to = startOf(slot) + bytesOf(slot);
  for (let p = startOf(slot) + skip; p < to && !stays(state); p++) state = next(at, state, load<u8>(p));
  return atEnd(state);
}

function escapedEnd(slot: u64): u32 {
  let state = start, p = startOf(slot);
  const to = p + bytesOf(slot);
  while (p < to && !stays(state)) {
    p = nextUnit(p, true);
    for (let bytes = unitRead, left = unitLength; left > 0; left--, bytes >>= 8) state = next(pattern, state, bytes & 0xff);
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
  const at = pattern, shortest = min(min(bytesOf(a), bytesOf(b)), min(bytesOf(c), bytesOf(d)));
  let w = start, x = start, y = start, z = start, i: usize = 0;
  while (i < shortest && !(stays(w) && stays(x) && stays(y) && stays(z))) {
    for (const to = min(shortest, i + STEPS); i < to; i++) {
      w = next(at, w, load<u8>(p + i));
      x = next(at, x, load<u8>(q + i));
      y = next(at, y, load<u8>(r + i));
      z = next(at, z, load<u8>(s + i));
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
const KNOWN: usize = 8;
const KNOWN_SLOTS: usize = 256;
const FREE_MISSES: u32 = 64;
const ENTRY: usize = 24, SLOT: usize = 8, MATCHES: usize = 16;

// @ts-ignore: decorator
@inline function entryOf(hash: u64): usize { return pattern + KNOWN + (<usize>hash & (KNOWN_SLOTS - 1)) * ENTRY; }

// @ts-ignore: decorator
@inline function isKnown(entry: usize, hash: u64, slot: u64): bool {
  const before = load<u64>(entry, SLOT);
  return load<u64>(entry) == hash && isSameText(before, slot);
}
