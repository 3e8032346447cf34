/** Lists the distinct strings of a column, and those that a baseline does not know. Equal hashes mean equal strings: hashes have 64 bits and a secret key. */
import { ENUM_BYTES } from '../abi';

/** A slot has 16 bytes: a hash, and the address where its string is listed (0: the slot is empty). */
const MAX_SLOTS: usize = 4096;
const SLOT_BYTES: usize = 16;
export const TEXTS_SCRATCH_BYTES: usize = MAX_SLOTS * SLOT_BYTES;
/** Strings that a table holds, listed and known ones together. */
export const MAX_TEXTS: u32 = <u32>(MAX_SLOTS / 2) - 1;
/** In place of an address: the string is known, not listed. */
const KNOWN: u32 = 1;

/** How many distinct strings `unseenTexts` has listed. */
export let unseenListed: u32 = 0;

/**
 * Lists the distinct strings among `n` at `out`, in order of first occurrence. Each string has a hash u64 at `hashes`, and offset
 * u32 and length u32 at `texts`. An entry has ENUM_BYTES: hash, offset and length of the first occurrence, count, padding.
 * Returns how many there are; 0 when there are more than `limit` (at most MAX_TEXTS), and then the list is incomplete.
 */
export function listTexts(hashes: usize, texts: usize, n: u32, limit: u32, scratch: usize, out: usize): u32 {
  const mask = clear(scratch, limit);
  let listed: u32 = 0;
  for (let i: usize = 0; i < <usize>n; i++) {
    const hash = load<u64>(hashes + (i << 3));
    const slot = find(hash, scratch, mask), entry = load<u32>(slot, 8);
    if (entry) {
      count(entry);
    } else {
      if (listed == limit) return 0;
      list(hash, texts + (i << 3), slot, out + <usize>listed * ENUM_BYTES);
      listed++;
    }
  }
  return listed;
}

/**
 * Number of strings whose hash is not among the `knownCount` u64 at `known`. Lists up to `limit` distinct ones at `out`, as
 * `listTexts` does, and sets `unseenListed`. `knownCount` and `limit` together are at most MAX_TEXTS.
 */
export function unseenTexts(
  hashes: usize, texts: usize, n: u32, known: usize, knownCount: u32, limit: u32, scratch: usize, out: usize,
): u32 {
  const mask = tableOf(known, knownCount, limit, scratch);
  let unseen: u32 = 0;
  unseenListed = 0;
  for (let i: usize = 0; i < <usize>n; i++) {
    const hash = load<u64>(hashes + (i << 3));
    const slot = find(hash, scratch, mask), entry = load<u32>(slot, 8);
    if (entry == KNOWN) continue;
    unseen++;
    if (entry) {
      count(entry);
    } else if (unseenListed < limit) {
      list(hash, texts + (i << 3), slot, out + <usize>unseenListed * ENUM_BYTES);
      unseenListed++;
    }
  }
  return unseen;
}

/** Makes a table of the `knownCount` hashes at `known` with room for `others`, together at most MAX_TEXTS. Returns its mask. */
export function tableOf(known: usize, knownCount: u32, others: u32, table: usize): usize {
  const mask = clear(table, knownCount + others);
  for (let i: usize = 0; i < <usize>knownCount; i++) know(load<u64>(known + (i << 3)), table, mask);
  return mask;
}

/** Whether the hash is in a table of `tableOf`. */
export function isKnown(hash: u64, table: usize, mask: usize): bool {
  return load<u32>(find(hash, table, mask), 8) != 0;
}

/** Empties a table for `strings`, which will be at most half full. Returns its size in bytes minus one slot. */
function clear(table: usize, strings: u32): usize {
  assert(strings <= MAX_TEXTS, 'more strings than a table holds');
  const bytes = (<usize>1 << (33 - clz<u32>(strings))) * SLOT_BYTES;
  memory.fill(table, 0, bytes);
  return bytes - SLOT_BYTES;
}

/** The slot of `hash`, or the empty slot where it belongs. */
@inline function find(hash: u64, table: usize, mask: usize): usize {
  let slot = <usize>hash & mask;
  while (load<u32>(table + slot, 8) != 0 && load<u64>(table + slot) != hash) slot = (slot + SLOT_BYTES) & mask;
  return table + slot;
}

function know(hash: u64, table: usize, mask: usize): void {
  const slot = find(hash, table, mask);
  store<u64>(slot, hash);
  store<u32>(slot, KNOWN, 8);
}

@inline function list(hash: u64, text: usize, slot: usize, entry: usize): void {
  store<u64>(slot, hash);
  store<u32>(slot, <u32>entry, 8);
  store<u64>(entry, hash);
  store<u64>(entry, load<u64>(text), 8);
  store<u64>(entry, 1, 16);
}

@inline function count(entry: usize): void {
  store<u32>(entry, load<u32>(entry, 16) + 1, 16);
}
