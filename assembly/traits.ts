/**
 * What batches of one source have in common though no row does: how often the most frequent value occurs, what kinds of
 * characters texts are made of, which numbers are whole or negative. Shares need no more than LOOKED cells, spread over a
 * column's analysed cells, so that their cost has a bound; only the content hash is over all cells.
 *
 * The shape of a text tells for each of its first SHOWN bytes whether it is a digit, an upper-case letter, another letter
 * or a space: all dates of one format have one shape, names have many.
 */
import { Column, Like, LOOKED, Tag } from './abi';
import { cellsOf, DECODE, ESCAPED, HASHES, LOOKED_HASHES, LOOKED_SHAPES, LOOKED_TABLE, LOW_BYTES, TAGS, VALUES } from './arena';
import { hashNumber, raises } from './distinct';
import { decodeUnit, unit, unitBytes } from './escapes';
import { cellCount, hashes, tags, values } from './gather';
import { mix, valueSeed } from './hash';
import { bitsSum, squaresSum } from './moments';
import { countTags, tagCount } from './tags';

/** Neighbouring cells that are looked at together. */
const RUN: u32 = 16;
const RUNS: u32 = LOOKED / RUN;
/** Bytes of a text that are looked at; a multiple of 16. */
const SHOWN: usize = 64;
const QUOTE: u8 = 0x22, BACKSLASH: u8 = 0x5c;
const CHAIN: u64 = 0x9E3779B97F4A7C15;

// @ts-ignore: decorator
@inline function put(record: usize, entry: Column, value: f64): void { store<f64>(record + (<usize>entry << 3), value); }

export function hashTag(tag: i32): u64 { return mix(valueSeed() + <u64>tag); }

// ---- the content of a whole column ----

/**
 * 24 bits that depend on which values the column's `count` cells hold, absent ones and nulls left out, and not on their order: sums
 * over keyed hashes of texts and over the bits of numbers. `measured`: `moments` was just asked about all its numbers.
 */
export function contentOf(column: u32, count: u32, measured: bool): u32 {
  const base = cellsOf(column);
  countTags(base + TAGS, count);
  const hashed = tagCount(Tag.STRING) + tagCount(Tag.EMPTY) + tagCount(Tag.OBJECT) + tagCount(Tag.ARRAY);
  let sum = hashTag(Tag.FALSE) * <u64>tagCount(Tag.FALSE) + hashTag(Tag.TRUE) * <u64>tagCount(Tag.TRUE);
  if (hashed == count) sum += sumOfHashes(base + HASHES, count);
  else if (hashed != 0) sum += sumAmongOthers(base, count);
  if (tagCount(Tag.NUMBER)) sum += measured ? mixedSums(bitsSum, squaresSum) : sumOfNumbers(base, count);
  return <u32>(mix(sum + CHAIN * <u64>(count - tagCount(Tag.NULL))) >> 40);
}

function sumOfHashes(at: usize, n: u32): u64 {
  let a = i64x2.splat(0), b = a;
  const end = at + (<usize>n << 3);
  for (; at + 32 <= end; at += 32) {
    a = i64x2.add(a, v128.load(at));
    b = i64x2.add(b, v128.load(at, 16));
  }
  a = i64x2.add(a, b);
  let sum = <u64>i64x2.extract_lane(a, 0) + <u64>i64x2.extract_lane(a, 1);
  for (; at < end; at += 8) sum += load<u64>(at);
  return sum;
}

/** No branch: where half of the cells are null, each would be a guess. */
function sumAmongOthers(base: usize, count: u32): u64 {
  let sum: u64 = 0;
  for (let cell: usize = 0; cell < <usize>count; cell++) {
    sum += select<u64>(load<u64>(base + HASHES + (cell << 3)), 0, load<u8>(base + TAGS + cell) >= <u8>Tag.STRING);
  }
  return sum;
}

/** As `moments` does, which sees the analysed numbers only. */
function sumOfNumbers(base: usize, count: u32): u64 {
  let bits: u64 = 0, squares: u64 = 0;
  for (let cell: usize = 0; cell < <usize>count; cell++) {
    const number = select<u64>(load<u64>(base + VALUES + (cell << 3)), 0, load<u8>(base + TAGS + cell) == <u8>Tag.NUMBER);
    bits += number;
    squares += (number >> 32) * (number >> 32);
  }
  return mixedSums(bits, squares);
}

// @ts-ignore: decorator
@inline function mixedSums(bits: u64, squares: u64): u64 { return mix(mix(bits + valueSeed()) + squares); }

// ---- the cells that are looked at ----

/** Non-null cells among those looked at; their hashes lie at LOOKED_HASHES. */
let looked: u32 = 0;
let numbers: u32 = 0, whole: u32 = 0, zeros: u32 = 0, negatives: u32 = 0;
/** Texts among them; their shapes lie at LOOKED_SHAPES. */
let texts: u32 = 0;
let padded: u32 = 0, withDigit: u32 = 0, withUpper: u32 = 0, withSpace: u32 = 0, withWide: u32 = 0;
let characters: u32 = 0, digits: u32 = 0, uppers: u32 = 0, spaces: u32 = 0;
let lengths: f64 = 0, squares: f64 = 0;

/**
 * Traits of the column gathered last. `doubled`: two quotes in a marked text stand for one (CSV); else it has escapes. `top`: share of the most
 * frequent value where that is known, else 0.
 */
export function measureTraits(record: usize, doubled: bool, top: f64): void {
  forget();
  lookAtCells(true, doubled);
  put(record, Column.LOOKED, <f64>looked);
  if (looked) put(record, Column.TOP, top > 0 ? top : <f64>mostFrequent(LOOKED_HASHES, looked) / <f64>looked);
  if (numbers) putNumbers(record);
  if (texts) putTexts(record);
}

function forget(): void {
  numbers = 0; whole = 0; zeros = 0; negatives = 0;
  texts = 0; padded = 0; withDigit = 0; withUpper = 0; withSpace = 0; withWide = 0;
  characters = 0; digits = 0; uppers = 0; spaces = 0; lengths = 0; squares = 0;
}

function putNumbers(record: usize): void {
  put(record, Column.LOOKED_NUMBERS, <f64>numbers);
  put(record, Column.WHOLE, <f64>whole);
  put(record, Column.ZEROS, <f64>zeros);
  put(record, Column.NEGATIVES, <f64>negatives);
}

function putTexts(record: usize): void {
  put(record, Column.LOOKED_TEXTS, <f64>texts);
  put(record, Column.PADDED, <f64>padded);
  put(record, Column.WITH_DIGIT, <f64>withDigit);
  put(record, Column.WITH_UPPER, <f64>withUpper);
  put(record, Column.WITH_SPACE, <f64>withSpace);
  put(record, Column.WITH_WIDE, <f64>withWide);
  put(record, Column.CHARACTERS, <f64>characters);
  put(record, Column.DIGITS, <f64>digits);
  put(record, Column.UPPERS, <f64>uppers);
  put(record, Column.SPACES, <f64>spaces);
  const mean = lengths / <f64>texts;
  put(record, Column.LENGTH_MEAN, mean);
  put(record, Column.LENGTH_M2, max<f64>(0, squares - mean * lengths));
  put(record, Column.TOP_SHAPE, <f64>mostFrequent(LOOKED_SHAPES, texts));
  put(record, Column.SHAPES, <f64>distinctLast);
}

/** Of the column gathered last the non-null cells looked at whose values would raise one of the REGISTERS at `registers`: values never seen before. */
export function lookFresh(registers: usize): u32 {
  lookAtCells(false, false);
  let fresh: u32 = 0;
  for (let i: usize = 0; i < <usize>looked; i++) {
    fresh += <u32>raises(load<u64>(LOOKED_HASHES + (i << 3)), registers);
  }
  return fresh;
}

/**
 * `closely`: takes the traits too, and not the hashes alone. Where there are more than LOOKED cells it is runs of RUN neighbours, one at a pseudo-random
 * place (xorshift, Marsaglia 2003) in each of equal strata: neighbouring texts lie on one page, single ones took twice the time.
 */
function lookAtCells(closely: bool, doubled: bool): void {
  looked = 0;
  if (cellCount <= <u32>LOOKED) { lookAtRun(0, cellCount, closely, doubled); return; }
  let random: u32 = 0x9e3779b9;
  for (let stratum: u32 = 0; stratum < RUNS; stratum++) {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    const begin = stratum * cellCount / RUNS, stop = (stratum + 1) * cellCount / RUNS;
    const start = begin + <u32>((<u64>random * (stop - begin - RUN + 1)) >> 32);
    lookAtRun(start, start + RUN, closely, doubled);
  }
}

function lookAtRun(begin: usize, end: usize, closely: bool, doubled: bool): void {
  const seed = valueSeed();
  for (let cell = begin; cell < end; cell++) {
    const tag: i32 = load<u8>(tags + cell);
    if (tag == Tag.NULL) continue;
    let hash: u64;
    if (tag == Tag.NUMBER) {
      const x = load<f64>(values + (cell << 3));
      hash = hashNumber(x, seed);
      if (closely) lookAtNumber(x);
    } else if (tag >= Tag.STRING) {
      hash = load<u64>(hashes + (cell << 3));
      if (closely && tag <= Tag.EMPTY) lookAtText(load<u64>(values + (cell << 3)), doubled);
    } else hash = hashTag(tag);
    store<u64>(LOOKED_HASHES + (<usize>looked << 3), hash);
    looked++;
  }
}

// @ts-ignore: decorator
@inline function lookAtNumber(x: f64): void {
  numbers++;
  whole += <u32>(Math.floor(x) == x);
  zeros += <u32>(x == 0);
  negatives += <u32>(x < 0);
}

// ---- texts ----

// @ts-ignore: decorator
@inline function within(v: v128, first: u8, count: u8): v128 {
  return i8x16.lt_u(i8x16.sub(v, i8x16.splat(<i8>first)), i8x16.splat(<i8>count));
}

// @ts-ignore: decorator
@inline function spacesIn(v: v128): v128 { return v128.or(within(v, 9, 5), i8x16.eq(v, i8x16.splat(32))); }

/** Where a text's last byte is. */
let last: usize = 0;

function lookAtText(slot: u64, doubled: bool): void {
  let at = <usize>(slot & 0xffffffff), length = <usize>(slot >> 32);
  last = at + length - 1;
  if (length & ESCAPED) {
    length = decode(at, length & ~ESCAPED, doubled);
    at = DECODE;
  }
  const shown = min<usize>(length, SHOWN);
  let shape: u64 = length, digit: u32 = 0, upper: u32 = 0, space: u32 = 0, wide: u32 = 0, inner: u32 = 0, edges: u32 = 0;
  for (let i: usize = 0; i < shown; i += 16) {
    const v = v128.and(v128.load(at + i), v128.load(LOW_BYTES + 16 - min<usize>(16, shown - i)));
    const d = <u32>i8x16.bitmask(within(v, 48, 10)), u = <u32>i8x16.bitmask(within(v, 65, 26));
    const s = <u32>i8x16.bitmask(spacesIn(v)), w = <u32>i8x16.bitmask(v);
    const c = <u32>i8x16.bitmask(i8x16.lt_s(v, i8x16.splat(-64)));
    const l = <u32>i8x16.bitmask(within(v, 97, 26)) | w;
    if (i == 0) edges = s & 1;
    digit += popcnt(d);
    upper += popcnt(u);
    space += popcnt(s);
    wide += popcnt(w) - popcnt(c);
    inner += popcnt(c);
    shape = (rotl<u64>(shape, 23) ^ (<u64>d | <u64>u << 16 | <u64>l << 32 | <u64>s << 48)) * CHAIN;
  }
  store<u64>(LOOKED_SHAPES + (<usize>texts << 3), mix(shape));
  texts++;
  if (length) padded += edges | <u32>i8x16.bitmask(spacesIn(i8x16.splat(load<i8>(last)))) & 1;
  const long = <u32>length - inner;
  characters += <u32>shown - inner;
  lengths += <f64>long;
  squares += <f64>long * <f64>long;
  digits += digit;
  uppers += upper;
  spaces += space;
  withDigit += <u32>(digit != 0);
  withUpper += <u32>(upper != 0);
  withSpace += <u32>(space != 0);
  withWide += <u32>(wide != 0);
}

/** Whether one text is as told. Overwrites what was looked at. */
export function isTextLike(slot: u64, doubled: bool, like: Like): bool {
  forget();
  lookAtText(slot, doubled);
  if (like == Like.PADDED) return padded != 0;
  if (like == Like.WITH_DIGIT) return withDigit != 0;
  if (like == Like.WITH_UPPER) return withUpper != 0;
  if (like == Like.WITH_SPACE) return withSpace != 0;
  return like == Like.WITH_WIDE && withWide != 0;
}

/** The shape of one text. */
export function shapeOf(slot: u64, doubled: bool): u64 {
  forget();
  lookAtText(slot, doubled);
  return load<u64>(LOOKED_SHAPES);
}

/** The begin of a marked text, decoded at DECODE, plain stretches a vector at a time; returns the length of the whole, which past SHOWN bytes is that of its raw rest. */
function decode(at: usize, length: usize, doubled: bool): usize {
  const end = at + length, mark = i8x16.splat(doubled ? QUOTE : BACKSLASH);
  let to = DECODE;
  while (at < end && to < DECODE + SHOWN) {
    const v = v128.load(at), plain = <usize>ctz(i8x16.bitmask(i8x16.eq(v, mark)) | 0x10000);
    v128.store(to, v);
    const copied = min<usize>(plain, end - at);
    at += copied;
    to += copied;
    if (copied == 16 || at == end) continue;
    if (doubled) {
      store<u8>(to++, QUOTE);
      at += 2;
    } else {
      at = decodeUnit(at);
      store<u32>(to, unit);
      to += unitBytes;
    }
  }
  last = (at < end ? end : to) - 1;
  return to - DECODE + (end - at);
}

// ---- frequencies ----

/** Distinct ones among the hashes that `mostFrequent` counted last. */
let distinctLast: u32 = 0;

/** How often the most frequent of `n` (at most LOOKED) hashes occurs; 0 of none. Hashes that agree in their upper 52 bits are taken for one. */
function mostFrequent(at: usize, n: u32): u32 {
  distinctLast = 0;
  if (n == 0) return 0;
  // A slot is a hash whose lower 12 bits are a count. There is always an empty one.
  const bits = 32 - clz<u32>(n), shift = <u64>(64 - bits), slots = <usize>1 << <usize>bits, end = LOOKED_TABLE + (slots << 3);
  memory.fill(LOOKED_TABLE, 0, slots << 3);
  let most: u32 = 0;
  for (const last = at + (<usize>n << 3); at < last; at += 8) {
    const hash = load<u64>(at);
    let slot = LOOKED_TABLE + (<usize>(hash >> shift) << 3);
    let held = load<u64>(slot);
    while (held != 0 && (held ^ hash) >> 12 != 0) {
      slot += 8;
      if (slot == end) slot = LOOKED_TABLE;
      held = load<u64>(slot);
    }
    const count = (<u32>held & 4095) + 1;
    store<u64>(slot, (hash & ~4095) | <u64>count);
    distinctLast += <u32>(held == 0);
    most = max<u32>(most, count);
  }
  return most;
}
