/**
 * JSON strings: where they end, and what their escapes mean. A string with escapes is read a second time and decoded into
 * a buffer, because the hash is that of the decoded text. Plain parts are copied a vector at a time.
 */
import { DECODE, DECODE_BYTES } from './arena';
import { hashBlocks, hashRest, hashText } from './hash';
import { lookAtEscaped } from './signs/odd-bytes';
import { BACKSLASH, BAD, end, MORE, QUOTE, unexpected } from './scan';

const UNICODE: u32 = 0x75; // the u of \u0041

/** For each byte behind a backslash the character that the escape means; 0 when there is no such escape of two characters. */
const SHORT_ESCAPES: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 92, 0, 0, 0,
  0, 0, 8, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 13, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
], 16);

// @ts-ignore: decorator
@inline function shortEscape(c: u32): u32 { return load<u8>(SHORT_ESCAPES + <usize>c); }

// ---- where a string ends ----

/** Whether the string that `stringEnd` read last has escapes. */
export let escaped: bool = false;

/** A bit for each byte that ends a run of plain characters: quotes, backslashes, control characters. */
// @ts-ignore: decorator
@inline export function stopsIn(v: v128): u32 {
  const marks = v128.or(i8x16.eq(v, i8x16.splat(<i8>QUOTE)), i8x16.eq(v, i8x16.splat(<i8>BACKSLASH)));
  return i8x16.bitmask(v128.or(marks, i8x16.eq(i8x16.min_u(v, i8x16.splat(31)), v)));
}

/** From behind the opening quote to the closing one. */
export function stringEnd(p: usize): usize {
  escaped = false;
  while (true) {
    const stops = stopsIn(v128.load(p));
    if (stops == 0) { p += 16; continue; }
    p += ctz(stops);
    const c: u32 = load<u8>(p);
    if (c == QUOTE) return p >= end ? MORE : p;
    if (c != BACKSLASH || p >= end) return unexpected(p);
    escaped = true;
    const after = escapeEnd(p + 1);
    if (after <= BAD) return after;
    p = after;
  }
}

/** The end of the escape whose backslash is the byte before `p`. */
function escapeEnd(p: usize): usize {
  const c: u32 = load<u8>(p);
  if (shortEscape(c)) return p + 1;
  if (c != UNICODE) return unexpected(p);
  for (let i: usize = 1; i <= 4; i++) {
    const h: u32 = load<u8>(p + i);
    if (h - 48 >= 10 && (h | 32) - 97 >= 6) return unexpected(p + i);
  }
  return p + 5;
}

// ---- decoding ----

export let unit: u32 = 0, unitBytes: usize = 0;

/**
 * Decodes the character or escape at `p` to 1 to 4 bytes of UTF-8 in `unit`, the first in the lowest byte. A surrogate
 * without a partner becomes the 3 bytes of its number.
 */
export function decodeUnit(p: usize): usize {
  const c: u32 = load<u8>(p);
  if (c >= 0x80) {
    unitBytes = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    unit = load<u32>(p) & <u32>((<u64>1 << (unitBytes << 3)) - 1);
    return p + unitBytes;
  }
  if (c != BACKSLASH) { unit = c; unitBytes = 1; return p + 1; }
  const plain: u32 = shortEscape(load<u8>(p, 1));
  p += 2;
  if (plain) { unit = plain; unitBytes = 1; return p; }
  let u = hexadecimal(p);
  p += 4;
  if ((u & 0xfc00) == 0xd800 && load<u16>(p) == 0x755c && escapeEnd(p + 1) > BAD) {
    const low = hexadecimal(p + 2);
    if ((low & 0xfc00) == 0xdc00) { u = 0x10000 + ((u & 0x3ff) << 10) + (low & 0x3ff); p += 6; }
  }
  if (u < 0x80) { unit = u; unitBytes = 1; return p; }
  if (u < 0x800) { unit = 0x80c0 | (u >> 6) | ((u & 63) << 8); unitBytes = 2; }
  else if (u < 0x10000) { unit = 0x8080e0 | (u >> 12) | (((u >> 6) & 63) << 8) | ((u & 63) << 16); unitBytes = 3; }
  else { unit = 0x808080f0 | (u >> 18) | (((u >> 12) & 63) << 8) | (((u >> 6) & 63) << 16) | ((u & 63) << 24); unitBytes = 4; }
  lookAtEscaped(unit);
  return p;
}

/** Whether [p, to) holds more than `most` decoded bytes. Incomplete and invalid escapes do not count. */
export function isLonger(p: usize, to: usize, most: usize): bool {
  let bytes: usize = 0;
  while (p < to && bytes <= most) {
    if (load<u8>(p) == BACKSLASH && escapeEnd(p + 1) <= BAD) return false;
    p = decodeUnit(p);
    bytes += unitBytes;
  }
  return bytes > most;
}

function hexadecimal(p: usize): u32 {
  let value: u32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const c: u32 = load<u8>(p + i);
    value = (value << 4) | (c <= 57 ? c - 48 : (c | 32) - 87);
  }
  return value;
}

// ---- the hash of the decoded text ----

let state: u64 = 0, filled: usize = 0, total: usize = 0;

/** Makes room for one more vector and one unit behind it. Whole blocks are hashed and leave the buffer; at least one stays. */
// @ts-ignore: decorator
@inline function makeRoom(): void {
  if (filled > DECODE_BYTES - 16) flush();
  assert(filled <= DECODE_BYTES - 16, 'there is no room for a vector');
}

function flush(): void {
  const blocks = filled / 64 - 1;
  state = hashBlocks(state, DECODE, blocks);
  filled -= blocks * 64;
  total += blocks * 64;
  memory.copy(DECODE, DECODE + blocks * 64, filled);
}

function finishedHash(): u64 {
  assert(filled <= DECODE_BYTES, 'a text is longer than the buffer');
  const hash = total == 0 ? hashText(DECODE, filled) : hashRest(state, DECODE, filled, total + filled);
  forget();
  return hash;
}

function forget(): void {
  state = 0;
  filled = 0;
  total = 0;
}

/** Hash of the text that `readText` read. The same text without escapes has the same hash. */
export let readHash: u64 = 0;

/** As `stringEnd`, and hashes the text. */
export function readText(p: usize): usize {
  while (true) {
    makeRoom();
    const v = v128.load(p), stops = stopsIn(v);
    v128.store(DECODE + filled, v);
    const plain = <usize>ctz(stops | 0x10000);
    p += plain;
    filled += plain;
    if (plain == 16) continue;
    const c: u32 = load<u8>(p);
    if (c == QUOTE) { readHash = finishedHash(); return p; }
    const after = c == BACKSLASH ? escapeEnd(p + 1) : unexpected(p);
    if (after <= BAD) { forget(); return after; }
    p = decodeUnit(p);
    store<u32>(DECODE + filled, unit);
    filled += unitBytes;
  }
}

/** Hash of the valid text that begins at `p`. */
export function hashEscaped(p: usize): u64 {
  readText(p);
  return readHash;
}
