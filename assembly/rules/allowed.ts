/**
 * An enumeration: values that are allowed. The host writes, behind ENUMERATION_BYTES: the slots of a hash table, the values, ALLOWED_BYTES each, and
 * the bytes of texts. Values are found by the table and then compared, so two texts are never taken for one.
 */
import { ALLOWED_BYTES, ENUMERATION_BYTES, MAX_ALLOWED, Tag } from '../abi';
import { cellsOf, edgeOf, HASHES, VALUES } from '../arena';
import { rowOf } from '../column';
import { hashText, valueSeed } from '../hash';
import { hashNumber } from '../statistics/distinct';
import { booleanAt, endCell, firstCell, isText, NO_TEXT, numberAt, tagAt, textSlot } from './cells';
import { flag } from './failing';
import { bytesOf, doubled, isSameText, startOf } from './texts';

/** Kinds of values. Booleans have the value of their tag. */
const TEXT: u32 = 0, NUMBER: u32 = 1;
const BOOLEANS: u32 = (1 << Tag.TRUE) | (1 << Tag.FALSE);
/** Of the enumeration: the slots of its table, a power of two; its values; a bit for each kind of them. */
const SLOTS: usize = 0, COUNT: usize = 4, KINDS: usize = 8;
/** Of a value, behind its hash. */
const VALUE: usize = 8, KIND: usize = 16;

// The enumeration that is looked into.
let table: usize = 0, entries: usize = 0, slots: u32 = 0, hasTexts: bool = false, hasNumbers: bool = false, flags: u32 = 0;

function open(at: usize): void {
  slots = load<u32>(at, SLOTS);
  table = at + ENUMERATION_BYTES;
  entries = table + (<usize>slots << 1);
  const kinds = load<u32>(at, KINDS);
  hasTexts = ((kinds >> TEXT) & 1) != 0;
  hasNumbers = ((kinds >> NUMBER) & 1) != 0;
  flags = kinds & BOOLEANS;
}

/** Fills the table of the enumeration at `at`. The host gives the offsets of texts from there. */
export function beginAllowed(at: usize): void {
  open(at);
  const count = load<u32>(at, COUNT);
  assert(count <= <u32>MAX_ALLOWED && count < slots, 'an enumeration has too many values');
  for (let i: u32 = 0; i < count; i++) {
    const entry = entryOf(i), kind = load<u32>(entry, KIND);
    if (kind == TEXT) {
      const slot = load<u64>(entry, VALUE) + <u64>at;
      store<u64>(entry, slot, VALUE);
      put(i, hashText(startOf(slot), bytesOf(slot)));
    } else if (kind == NUMBER) put(i, hashNumber(load<f64>(entry, VALUE), valueSeed()));
  }
}

// @ts-ignore: decorator
@inline function entryOf(i: u32): usize { return entries + <usize>i * ALLOWED_BYTES; }

function put(i: u32, hash: u64): void {
  store<u64>(entryOf(i), hash);
  let slot = <u32>hash & (slots - 1);
  while (load<u16>(table + (<usize>slot << 1)) != 0) slot = (slot + 1) & (slots - 1);
  store<u16>(table + (<usize>slot << 1), <u16>(i + 1));
}

/** Whether a text, or where `text` is NO_TEXT a number, is among the values. */
function isAmong(hash: u64, text: u64, x: f64): bool {
  let slot = <u32>hash & (slots - 1), i: u32 = load<u16>(table + (<usize>slot << 1));
  for (; i != 0; i = load<u16>(table + (<usize>slot << 1))) {
    slot = (slot + 1) & (slots - 1);
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

/** Flags values that are not in the enumeration at `at`; `among`: those that are. */
export function flagAllowed(column: u32, at: usize, among: bool): void {
  open(at);
  const edge = edgeOf(column), base = cellsOf(column), end = endCell(column);
  for (let cell = firstCell(column); cell < end; cell++) {
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
