/**
 * An enumeration: values that are allowed. The host writes them at RULE_DATA, ALLOWED_BYTES each. They are found by a hash table and then
 * compared, so two texts are never taken for one.
 */
import { ALLOWED_BYTES, MAX_ALLOWED, Tag } from '../abi';
import { cellsOf, DISTINCT_SCRATCH, edgeOf, HASHES, RULE_DATA, VALUES } from '../arena';
import { rowOf } from '../column';
import { hashText, valueSeed } from '../hash';
import { hashNumber } from '../statistics/distinct';
import { booleanAt, countOf, fetchTexts, isText, NO_COLUMN, NO_TEXT, numberAt, tagAt, textSlot } from './cells';
import { clearFlags, flag } from './failing';
import { bytesOf, doubled, isSameText, startOf } from './texts';

/** Kinds of values. Booleans have the value of their tag. */
const TEXT: u32 = 0, NUMBER: u32 = 1;
const VALUE: usize = 8, KIND: usize = 16;

const SLOTS: u32 = 4096;
let hasTexts: bool = false, hasNumbers: bool = false, flags: u32 = 0;

/** Reads the `count` values at RULE_DATA; the offsets of texts count from there. */
function readAllowed(count: u32): void {
  assert(count <= <u32>MAX_ALLOWED, 'an enumeration has too many values');
  memory.fill(DISTINCT_SCRATCH, 0, SLOTS << 1);
  hasTexts = false;
  hasNumbers = false;
  flags = 0;
  for (let i: u32 = 0; i < count; i++) {
    const entry = entryOf(i), kind = load<u32>(entry, KIND);
    if (kind == TEXT) {
      hasTexts = true;
      const slot = load<u64>(entry, VALUE) + <u64>RULE_DATA;
      store<u64>(entry, slot, VALUE);
      put(i, hashText(startOf(slot), bytesOf(slot)));
    } else if (kind == NUMBER) {
      hasNumbers = true;
      put(i, hashNumber(load<f64>(entry, VALUE), valueSeed()));
    } else flags |= 1 << kind;
  }
}

// @ts-ignore: decorator
@inline function entryOf(i: u32): usize { return RULE_DATA + <usize>i * ALLOWED_BYTES; }

function put(i: u32, hash: u64): void {
  store<u64>(entryOf(i), hash);
  let slot = <u32>hash & (SLOTS - 1);
  while (load<u16>(DISTINCT_SCRATCH + (<usize>slot << 1)) != 0) slot = (slot + 1) & (SLOTS - 1);
  store<u16>(DISTINCT_SCRATCH + (<usize>slot << 1), <u16>(i + 1));
}

/** Whether a text, or where `text` is NO_TEXT a number, is among the values. */
function isAmong(hash: u64, text: u64, x: f64): bool {
  let slot = <u32>hash & (SLOTS - 1), i: u32 = load<u16>(DISTINCT_SCRATCH + (<usize>slot << 1));
  for (; i != 0; i = load<u16>(DISTINCT_SCRATCH + (<usize>slot << 1))) {
    slot = (slot + 1) & (SLOTS - 1);
    const entry = entryOf(i - 1);
    if (load<u64>(entry) != hash) continue;
    const kind = load<u32>(entry, KIND);
    if (text == NO_TEXT ? kind == NUMBER && load<f64>(entry, VALUE) == x : kind == TEXT && isSameText(text, load<u64>(entry, VALUE)))
      return true;
  }
  return false;
}

function isAllowed(base: usize, cell: u32): bool {
  const tag = tagAt(base, cell);
  if (flags != 0 && ((flags >> booleanAt(base, cell)) & 1) != 0) return true;
  if (hasTexts) {
    const slot = textSlot(base, cell);
    if (slot != NO_TEXT && isAmong(hashOfText(base, cell, slot, tag), slot, NaN)) return true;
  }
  if (!hasNumbers) return false;
  const x = numberAt(base, cell);
  return !isNaN(x) && isAmong(hashNumber(x, valueSeed()), NO_TEXT, x);
}

/** A number or boolean of a CSV keeps its text, but no hash of it. */
// @ts-ignore: decorator
@inline function hashOfText(base: usize, cell: u32, slot: u64, tag: u32): u64 {
  return isText(tag) ? load<u64>(base + HASHES + (<usize>cell << 3)) : hashText(startOf(slot), bytesOf(slot));
}

/** Flags values that are not among the `count` at RULE_DATA; `among`: those that are. */
export function flagAllowed(column: u32, count: u32, among: bool): void {
  clearFlags();
  if (column == NO_COLUMN) return;
  readAllowed(count);
  const edge = edgeOf(column), base = cellsOf(column), cells = countOf(column);
  for (let cell: u32 = 0; cell < cells; cell++) {
    fetchTexts(base, cell, cells);
    const tag = tagAt(base, cell);
    if (tag == Tag.NULL) continue;
    // In JSON a text is nothing else.
    const isPlain = isText(tag) && !doubled;
    const isFound = isPlain
      ? hasTexts && isAmong(load<u64>(base + HASHES + (<usize>cell << 3)), load<u64>(base + VALUES + (<usize>cell << 3)), NaN)
      : isAllowed(base, cell);
    flag(rowOf(edge, base, cell), isFound == among);
  }
}
