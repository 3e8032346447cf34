/** Texts that people type to try a form, and forget. They are looked for by their hashes, which lie together; the texts are far from each other in memory. */
import { Tag } from '../abi';
import { cellsOf, edgeOf, ESCAPED, FOUND_ROWS, HASHES, KNOWN, TAGS, VALUES } from '../arena';
import { COUNT, rowOf } from '../column';
import { hashText } from '../hash';

/** In lower case, two words of 8 bytes each, the first byte lowest. */
const TEXTS: usize = memory.data<u64>([
  0x74736574, 0, // test
  0x676e6974736574, 0, // testing
  0x7365742074736574, 0x74, // test test
  0x6573752074736574, 0x72, // test user
  0x7365744074736574, 0x6d6f632e74, // test@test.com
  0x6178654074736574, 0x6d6f632e656c706d, // test@example.com
  0x66647361, 0, // asdf
  0x6664736166647361, 0, // asdfasdf
  0x686766647361, 0, // asdfgh
  0x6473614066647361, 0x6d6f632e66, // asdf@asdf.com
  0x797472657771, 0, // qwerty
  0x7261626f6f66, 0, // foobar
  0x726162206f6f66, 0, // foo bar
  0x2e726162406f6f66, 0x6d6f63, // foo@bar.com
  0x7069206d65726f6c, 0x6d7573, // lorem ipsum
  0x796d6d7564, 0, // dummy
  0x616420796d6d7564, 0x6174, // dummy data
]);
const TEXT_COUNT: usize = 17;
const LONGEST: u32 = 16;
/** Behind it sixteen more bytes may be read. */
const SCRATCH: usize = memory.data(32, 16);

/** A bit for each hash of a text, by its lowest bits, where the host will write what it knows: one in 300 other texts is read. */
const BITS: usize = KNOWN;
const BIT_MASK: u64 = 2048 * 8 - 1;

/** Rows with such a text: in lower case, in capitals, or with one capital at the start. Returns how many; they are at FOUND_ROWS, a u16 each. */
export function findTestTexts(column: u32): u32 {
  noteHashes();
  const base = cellsOf(column), edge = edgeOf(column), cells = load<u32>(edge, COUNT);
  let found: u32 = 0;
  for (let cell: usize = 0; cell < <usize>cells; cell++) {
    const hash = load<u64>(base + HASHES + (cell << 3));
    if ((load<u8>(BITS + <usize>((hash & BIT_MASK) >> 3)) >> <u8>(hash & 7) & 1) == 0) continue;
    if (load<u8>(base + TAGS + cell) != <u8>Tag.STRING || !isTestText(load<u64>(base + VALUES + (cell << 3)))) continue;
    store<u16>(FOUND_ROWS + (<usize>found << 1), <u16>rowOf(edge, base, <u32>cell));
    found++;
  }
  return found;
}

function noteHashes(): void {
  memory.fill(BITS, 0, <usize>(BIT_MASK + 1) >> 3);
  for (let i: usize = 0; i < TEXT_COUNT; i++) {
    const low = load<u64>(TEXTS + (i << 4)), high = load<u64>(TEXTS + (i << 4), 8);
    noteHash(low, high);
    noteHash(low & ~0x20, high);
    noteHash(capitals(low), capitals(high));
  }
}

/** Of small letters; other characters stay. */
function capitals(bytes: u64): u64 {
  let small: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 8) if ((bytes >> shift & 0xff) - 97 < 26) small |= <u64>32 << shift;
  return bytes & ~small;
}

function noteHash(low: u64, high: u64): void {
  store<u64>(SCRATCH, low);
  store<u64>(SCRATCH, high, 8);
  const length = <usize>(high == 0 ? 8 - (clz(low) >> 3) : 16 - (clz(high) >> 3));
  const hash = hashText(SCRATCH, length), byte = BITS + <usize>((hash & BIT_MASK) >> 3);
  store<u8>(byte, load<u8>(byte) | (<u8>1 << <u8>(hash & 7)));
}

/** In whatever case. */
function isTestText(slot: u64): bool {
  const at = <usize>(slot & 0xffffffff), length = <u32>(slot >> 32);
  if (length - 1 >= LONGEST || (length & ESCAPED) != 0) return false;
  let low: u64 = 0, high: u64 = 0;
  for (let i: u32 = 0; i < length; i++) {
    let c = <u64>load<u8>(at + <usize>i);
    if (c - 65 < 26) c |= 32;
    if (i < 8) low |= c << (<u64>i << 3);
    else high |= c << (<u64>(i - 8) << 3);
  }
  for (let i: usize = 0; i < TEXT_COUNT; i++) if (load<u64>(TEXTS + (i << 4)) == low && load<u64>(TEXTS + (i << 4), 8) == high) return true;
  return false;
}
