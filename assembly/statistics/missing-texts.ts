/**
 * Texts that stand for a missing value, such as `N/A`. Over all analysed texts: of few distinct ones by their list, of many by a filter on their
 * hashes, then by their length. Errors of spreadsheets, such as `#REF!`, are counted beside them. Among many texts that are all different no word is frequent, and none is counted.
 */
import { Column, ENUM_BYTES, Tag } from '../abi';
import { ESCAPED, get, LISTED, LISTED_BYTES, put, SHORT_NAME } from '../arena';
import { cellCount, hashes, tags, values } from '../gather';
import { hashText } from '../hash';
import { readCharacters, textAt, textLength } from './text';

/** In lower case, the first byte lowest: `-` `--` `?` `na` `n/a` `n.a.` `#n/a` `nan` `nil` `none` `null` `(null)` `<null>` `<na>` `missing` `\n`. */
const WORDS: usize = memory.data<u64>([
  0x2d, 0x2d2d, 0x3f, 0x616e, 0x612f6e, 0x2e612e6e, 0x612f6e23, 0x6e616e,
  0x6c696e, 0x656e6f6e, 0x6c6c756e, 0x296c6c756e28, 0x3e6c6c756e3c, 0x3e616e3c, 0x676e697373696d, 0x6e5c,
]);
const COUNT: usize = 16;
/** `#REF!` `#NUM!` `#NAME?` `#NULL!` `#VALUE!` `#DIV/0!`; `#n/a` is among the words. */
const ERRORS: usize = memory.data<u64>([0x2146455223, 0x214d554e23, 0x3f454d414e23, 0x214c4c554e23, 0x2145554c415623, 0x21302f56494423]);
const ERROR_COUNT: usize = 6;
const NUMBER_SIGN: u8 = 0x23;

/** Errors among the texts of the last column. */
export let errorTexts: u32 = 0;
const LONGEST: usize = 7;
/** An escape takes at most six bytes for one of the text. */
const LONGEST_MARKED: i32 = 6 * 7;

export function putMissingTexts(column: u32, record: usize, doubled: bool): void {
  const listed = <u32>get(record, Column.LISTED);
  let missing: u32 = 0;
  errorTexts = 0;
  if (listed != 0) {
    const list = LISTED + <usize>column * LISTED_BYTES;
    for (let i: u32 = 0; i < listed; i++) {
      const entry = list + <usize>i * ENUM_BYTES;
      if (standsForMissing(load<u64>(entry, 8), doubled)) missing += load<u32>(entry, 16);
      noteError(load<u64>(entry, 8));
    }
  } else if (get(record, Column.TEXTS) != 0) {
    const found = countMissing(doubled);
    if (get(record, Column.TEXTS) != get(record, Column.DISTINCT_TEXTS)) missing = found;
  }
  put(record, Column.MISSING_TEXTS, <f64>missing);
}

/** Four cells at a time: hardly any text is so short. */
function countMissing(doubled: bool): u32 {
  if (!areHashesKnown) noteHashes();
  const one = i32x4.splat(1), longest = i32x4.splat(<i32>LONGEST);
  // Marked lengths are negative.
  const longestMarked = i32x4.splat(<i32>ESCAPED + (doubled ? 0 : LONGEST_MARKED));
  let missing: u32 = 0, cell: usize = 0;
  for (; cell + 4 <= cellCount; cell += 4) {
    const at = values + (cell << 3), lengths = v128.shuffle<i32>(v128.load(at), v128.load(at, 16), 1, 3, 5, 7);
    const mayStand = v128.or(i32x4.lt_u(i32x4.sub(lengths, one), longest), i32x4.le_s(lengths, longestMarked));
    for (let left: u32 = i32x4.bitmask(mayStand); left != 0; left &= left - 1) missing += missingAt(cell + ctz(left), doubled);
  }
  for (; cell < cellCount; cell++) missing += missingAt(cell, doubled);
  return missing;
}

// @ts-ignore: decorator
@inline function missingAt(cell: usize, doubled: bool): u32 {
  if (load<u8>(tags + cell) != <u8>Tag.STRING || !mayBeHashOfWord(load<u64>(hashes + (cell << 3)))) return 0;
  noteError(load<u64>(values + (cell << 3)));
  return <u32>standsForMissing(load<u64>(values + (cell << 3)), doubled);
}

/** Whether the text of a cell is an error of a spreadsheet. */
function noteError(slot: u64): void {
  const at = <usize>(slot & 0xffffffff), length = <u32>(slot >> 32);
  if (length - 4 >= 4 || load<u8>(at) != NUMBER_SIGN) return;
  const word = load<u64>(at) & (((<u64>1 << (<u64>length << 3))) - 1);
  errorTexts += <u32>(word == 0x412f4e23);
  for (let i: usize = 0; i < ERROR_COUNT; i++) errorTexts += <u32>(load<u64>(ERRORS + (i << 3)) == word);
}

// ---- hashes of the words ----

/** A bit for each hash of a word, in any case, by the hash's lowest bits. The text, which is rarely in the cache, is read for one in 70 others. */
const HASH_BITS: usize = memory.data(2048, 8);
const HASH_MASK: u64 = 2048 * 8 - 1;
/** Whether the bits are those of the batch's salt. */
let areHashesKnown: bool = false;

/** Before the first column of a batch. */
export function forgetHashesOfWords(): void { areHashesKnown = false; }

// @ts-ignore: decorator
@inline function mayBeHashOfWord(hash: u64): bool { return (load<u8>(HASH_BITS + <usize>((hash & HASH_MASK) >> 3)) >> <u8>(hash & 7) & 1) != 0; }

function noteHashes(): void {
  memory.fill(HASH_BITS, 0, <usize>(HASH_MASK + 1) >> 3);
  for (let i: usize = 0; i < COUNT; i++) noteInAnyCase(load<u64>(WORDS + (i << 3)));
  for (let i: usize = 0; i < ERROR_COUNT; i++) noteHash(load<u64>(ERRORS + (i << 3)));
  areHashesKnown = true;
}

/** The word with each subset of its letters as capitals. */
function noteInAnyCase(word: u64): void {
  let letters: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 8) if ((word >> shift & 0xff) - 97 < 26) letters |= <u64>32 << shift;
  for (let capitals = letters; ; capitals = (capitals - 1) & letters) {
    noteHash(word ^ capitals);
    if (capitals == 0) return;
  }
}

function noteHash(word: u64): void {
  store<u64>(SHORT_NAME, word);
  const hash = hashText(SHORT_NAME, <usize>(8 - (clz(word) >> 3))), byte = HASH_BITS + <usize>((hash & HASH_MASK) >> 3);
  store<u8>(byte, load<u8>(byte) | (<u8>1 << <u8>(hash & 7)));
}

const BACKSLASH: u32 = 0x5c, LETTER_U: u32 = 0x75;

/** By its length. A text with doubled quotes has a quote, as no word has. */
// @ts-ignore: decorator
@inline function mayStand(slot: u64, doubled: bool): bool {
  const length = <u32>(slot >> 32);
  return length - 1 < <u32>LONGEST || (!doubled && (length & ESCAPED) != 0 && (length & ~ESCAPED) <= <u32>LONGEST_MARKED);
}

/** The first bytes of the words, in lower case, less 32: a bit for each. */
const FIRST_LOW: u64 = 1 << (0x23 - 32) | 1 << (0x28 - 32) | 1 << (0x2d - 32) | 1 << (0x3c - 32) | 1 << (0x3f - 32);
const FIRST_HIGH: u64 = 1 << (0x6d - 96) | 1 << (0x6e - 96) | 1 << (0x7c - 96);

// @ts-ignore: decorator
@inline function mayBegin(first: u32): bool {
  const c = <u64>(first | 32);
  return c < 96 ? (FIRST_LOW >> (c - 32) & 1) != 0 : c < 128 && (FIRST_HIGH >> (c - 96) & 1) != 0;
}

/** Whether a text with escapes may begin with the first byte of a word, or that of an escape that may be one. */
// @ts-ignore: decorator
@inline function mayBeginEscaped(at: usize): bool {
  if (load<u8>(at) != BACKSLASH) return mayBegin(load<u8>(at));
  const next: u32 = load<u8>(at, 1);
  return next == LETTER_U || next == BACKSLASH;
}

/** Whether the text of a cell is one of the words, in any case. `doubled`: as in `readCharacters`. */
export function standsForMissing(slot: u64, doubled: bool): bool {
  if (!mayStand(slot, doubled)) return false;
  let at = <usize>(slot & 0xffffffff), length = <usize>(slot >> 32);
  if (length & ESCAPED) {
    if (!mayBeginEscaped(at)) return false;
    readCharacters(slot, doubled);
    at = textAt;
    length = textLength;
    if (length - 1 >= LONGEST) return false;
  }
  if (!mayBegin(load<u8>(at))) return false;
  const word = lowerCase(load<u64>(at) & ((<u64>1 << (<u64>length << 3)) - 1));
  for (let i: usize = 0; i < COUNT; i++) if (load<u64>(WORDS + (i << 3)) == word) return true;
  return false;
}

/** Sets the bit that tells a lower-case letter of ASCII in the bytes that are capital letters, and in no others. */
// @ts-ignore: decorator
@inline function lowerCase(bytes: u64): u64 {
  const low = bytes & 0x7f7f7f7f7f7f7f7f;
  const isAtLeastA = low + 0x3f3f3f3f3f3f3f3f, isAboveZ = low + 0x2525252525252525;
  return bytes | ((isAtLeastA & ~isAboveZ & ~bytes & 0x8080808080808080) >> 2);
}
