/**
 * What batches of one source have in common though no row does: how often the most frequent value occurs, what kinds of
 * characters texts are made of, which numbers are whole or negative. Shares need no more than LOOKED cells, spread over a
 * column's analysed cells, so that their cost has a bound; only the content hash is over all cells.
 *
 * The shape of a text tells for each of its first SHOWN bytes whether it is a digit, an upper-case letter, another letter
 * or a space: all dates of one format have one shape, names have many. Its form tells which kinds of characters follow one another
 * anywhere in it: most names of people have one form, and most slips of a program or a finger make another.
 *
 * A mix counts cells in BUCKETS by some bits of a hash. Two mixes are compared without knowing what is in them.
 */
import { BUCKETS, Column, Like, LOOKED, PACK, Tag } from './abi';
import {
  BY_PLACE, BY_PLACE_BYTES, cellsOf, DECODE, ESCAPED, get, HASHES, LOOKED_FORMS, LOOKED_HASHES, LOOKED_SHAPES, LOOKED_TABLE, LOW_BYTES, MIX_COUNTS,
  nameOf, PAIR_HASHES, put, TAGS, VALUES,
} from './arena';
import { hashNumber, raises } from './distinct';
import { decodeUnit, unit, unitBytes } from './escapes';
import { analysed, cellCount, hashes, tags, values } from './gather';
import { mix, valueSeed } from './hash';
import { bitsSum, squaresSum } from './moments';
import { countTags, tagCount } from './tags';

/** Neighbouring cells that are looked at together. */
const RUN: u32 = 16;
const RUNS: u32 = LOOKED / RUN;
/** Bytes of a text that are looked at; a multiple of 16. */
const SHOWN: usize = 64;
/** Bytes of two different texts that are compared. Behind the end of one lies what ends texts: below letters and digits. */
const COMPARED_BYTES: usize = 32;
const QUOTE: u8 = 0x22, BACKSLASH: u8 = 0x5c;
const CHAIN: u64 = 0x9E3779B97F4A7C15;

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
let numbers: u32 = 0, whole: u32 = 0, zeros: u32 = 0, negatives: u32 = 0, tens: u32 = 0, tenths: u32 = 0, hundredths: u32 = 0;
/** Texts among them; their shapes lie at LOOKED_SHAPES, their forms at LOOKED_FORMS. */
let texts: u32 = 0;
let padded: u32 = 0, withDigit: u32 = 0, withUpper: u32 = 0, withSpace: u32 = 0, withWide: u32 = 0;
let characters: u32 = 0, digits: u32 = 0, uppers: u32 = 0, spaces: u32 = 0;
let lengths: f64 = 0, squares: f64 = 0;
/** Places looked at, and where what is at them lies: of this column, and of the last one that had every row. */
let place: u32 = 0, here: usize = BY_PLACE, there: usize = BY_PLACE + BY_PLACE_BYTES;
/** Places there; 24 bits of its name, 0 for none. */
let placesThere: u32 = 0, beside: u32 = 0;
/** Whether no value is there twice, in this column and in that one. */
let allDifferent: bool = false, allDifferentThere: bool = false;
/** Neighbours: the last cell of the run (Tag.NULL at its begin). */
let neighbours: u32 = 0, sames: u32 = 0, rises: u32 = 0;
let lastTag: i32 = Tag.NULL, lastHash: u64 = 0, lastValue: u64 = 0;

/**
 * Traits of the column gathered last. `doubled`: two quotes in a marked text stand for one (CSV); else it has escapes. `top`: share of the most
 * frequent value where that is known, else 0.
 */
export function measureTraits(column: u32, record: usize, doubled: bool, top: f64): void {
  forget();
  lookAtCells(true, doubled);
  put(record, Column.LOOKED, <f64>looked);
  if (looked) putValues(record, top);
  if (numbers) putNumbers(record);
  if (texts) putTexts(record);
  putBeside(column, record);
}

function forget(): void {
  numbers = 0; whole = 0; zeros = 0; negatives = 0; tens = 0; tenths = 0; hundredths = 0;
  neighbours = 0; sames = 0; rises = 0; allDifferent = false;
  texts = 0; padded = 0; withDigit = 0; withUpper = 0; withSpace = 0; withWide = 0;
  characters = 0; digits = 0; uppers = 0; spaces = 0; lengths = 0; squares = 0;
}

function putValues(record: usize, top: f64): void {
  put(record, Column.TOP, top > 0 ? top : <f64>mostFrequent(LOOKED_HASHES, looked) / <f64>looked);
  put(record, Column.NEIGHBOURS, <f64>neighbours);
  put(record, Column.SAMES, <f64>sames);
  put(record, Column.RISES, <f64>rises);
  allDifferent = get(record, Column.DISTINCT) == get(record, Column.VALUES);
  // Values that are all different fill the buckets evenly, whatever they are.
  if (!allDifferent) putMix(record + (<usize>Column.FIRST_MIX << 3), LOOKED_HASHES, looked);
}

function putNumbers(record: usize): void {
  put(record, Column.TENS, <f64>tens);
  put(record, Column.TENTHS, <f64>tenths);
  put(record, Column.HUNDREDTHS, <f64>hundredths);
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
  putMix(record + (<usize>Column.FIRST_SHAPE_MIX << 3), LOOKED_SHAPES, texts);
  putMix(record + (<usize>Column.FIRST_FORM_MIX << 3), LOOKED_FORMS, texts);
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
  place = 0;
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
    const tag: i32 = load<u8>(tags + cell), value = load<u64>(values + (cell << 3));
    let hash: u64 = 0, number = NaN;
    if (tag == Tag.NUMBER) {
      number = reinterpret<f64>(value);
      hash = hashNumber(number, seed);
      if (closely) lookAtNumber(number);
    } else if (tag >= Tag.STRING) {
      hash = load<u64>(hashes + (cell << 3));
      if (closely && tag <= Tag.EMPTY) lookAtText(value, doubled);
    } else if (tag != Tag.NULL) hash = hashTag(tag);
    if (closely) {
      store<u64>(here + (<usize>place << 4), hash);
      store<f64>(here + (<usize>place << 4), number, 8);
      place++;
      if (cell > begin) lookAtNeighbours(tag, hash, value);
      lastTag = tag; lastHash = hash; lastValue = value;
    }
    if (tag == Tag.NULL) continue;
    store<u64>(LOOKED_HASHES + (<usize>looked << 3), hash);
    looked++;
  }
}

/** The cell at hand beside the last one. */
// @ts-ignore: decorator
@inline function lookAtNeighbours(tag: i32, hash: u64, value: u64): void {
  if (tag == Tag.NULL || lastTag == Tag.NULL) return;
  neighbours++;
  if (hash == lastHash) sames++;
  else if (tag == Tag.NUMBER && lastTag == Tag.NUMBER) rises += <u32>(reinterpret<f64>(value) > reinterpret<f64>(lastValue));
  else if (tag == Tag.STRING && lastTag == Tag.STRING) rises += <u32>isTextAbove(<usize>(value & 0xffffffff), <usize>(lastValue & 0xffffffff));
}

function isTextAbove(a: usize, b: usize): bool {
  for (let i: usize = 0; i < COMPARED_BYTES; i += 8) {
    const x = bswap<u64>(load<u64>(a + i)), y = bswap<u64>(load<u64>(b + i));
    if (x != y) return x > y;
  }
  return false;
}

// @ts-ignore: decorator
@inline function lookAtNumber(x: f64): void {
  numbers++;
  zeros += <u32>(x == 0);
  negatives += <u32>(x < 0);
  if (isWhole(x)) {
    whole++;
    tenths++;
    hundredths++;
    tens += <u32>(isWhole(x * 0.1));
  } else if (isNearlyWhole(x * 100)) {
    hundredths++;
    tenths += <u32>(isNearlyWhole(x * 10));
  }
}

// @ts-ignore: decorator
@inline export function isWhole(x: f64): bool { return Math.floor(x) == x; }

/** Decimals are not exact in binary: within a few units in the last place. */
// @ts-ignore: decorator
@inline function isNearlyWhole(x: f64): bool { return Math.abs(x - nearest<f64>(x)) <= Math.abs(x) * 1e-15; }

// ---- the column before ----

/** Before the first column of a batch. */
export function forgetColumns(): void {
  beside = 0;
  placesThere = 0;
}

/** How the column's values go with those of the column before, and makes it the one before the next. Columns that lack rows have none beside them. */
function putBeside(column: u32, record: usize): void {
  if (cellCount != analysed) return;
  if (beside != 0 && placesThere == place) {
    put(record, Column.BESIDE, <f64>beside);
    putPairs(record);
    putAgreement(record);
  }
  const now = here;
  here = there;
  there = now;
  placesThere = place;
  allDifferentThere = allDifferent;
  const name = nameOf(column);
  beside = max<u32>(1, <u32>(nameHash(<usize>load<u32>(name), <usize>(load<u32>(name, 4) & ~ESCAPED)) >> 40));
}

function nameHash(at: usize, length: usize): u64 {
  let hash: u64 = length;
  for (let i: usize = 0; i < length; i++) hash = (rotl<u64>(hash, 9) ^ <u64>load<u8>(at + i)) * CHAIN;
  return mix(hash);
}

function putPairs(record: usize): void {
  let paired: u32 = 0;
  for (let at: usize = 0, end = <usize>place << 4; at < end; at += 16) {
    const a = load<u64>(here + at), b = load<u64>(there + at);
    // No branch: where half of the cells are null, each would be a guess.
    store<u64>(PAIR_HASHES + (<usize>paired << 3), mix(a + rotl<u64>(b, 31) * CHAIN));
    paired += <u32>(a != 0) & <u32>(b != 0);
  }
  // Where one of them has no value twice no pair is there twice.
  const all = allDifferent || allDifferentThere;
  if (!all) mostFrequent(PAIR_HASHES, paired);
  put(record, Column.PAIRED, <f64>paired);
  put(record, Column.PAIRS, <f64>(all ? paired : distinctLast));
}

function putAgreement(record: usize): void {
  let compared: u32 = 0, agreeing: u32 = 0;
  for (let at: usize = 16, end = <usize>place << 4; at < end; at += 16) {
    if (cellCount > <u32>LOOKED && (at >> 4) % <usize>RUN == 0) continue;
    const a = load<f64>(here + at, 8) - load<f64>(here + at - 8), b = load<f64>(there + at, 8) - load<f64>(there + at - 8);
    const product = a * b;
    compared += <u32>(product > 0) | <u32>(product < 0);
    agreeing += <u32>(product > 0);
  }
  put(record, Column.COMPARED, <f64>compared);
  put(record, Column.AGREEING, <f64>agreeing);
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
  let shape: u64 = length, form: u64 = 0, digit: u32 = 0, upper: u32 = 0, space: u32 = 0, wide: u32 = 0, inner: u32 = 0, edges: u32 = 0;
  for (let i: usize = 0; i < shown; i += 16) {
    const v = v128.and(v128.load(at + i), v128.load(LOW_BYTES + 16 - min<usize>(16, shown - i)));
    const d = <u32>i8x16.bitmask(within(v, 48, 10)), u = <u32>i8x16.bitmask(within(v, 65, 26));
    const s = <u32>i8x16.bitmask(spacesIn(v)), w = <u32>i8x16.bitmask(v);
    const c = <u32>i8x16.bitmask(i8x16.lt_s(v, i8x16.splat(-64)));
    const l = <u32>i8x16.bitmask(within(v, 97, 26)) | w;
    const o = ~(d | u | l | s) & ((1 << <u32>min<usize>(16, shown - i)) - 1);
    if (i == 0) edges = s & 1;
    digit += popcnt(d);
    upper += popcnt(u);
    space += popcnt(s);
    wide += popcnt(w) - popcnt(c);
    inner += popcnt(c);
    shape = (rotl<u64>(shape, 23) ^ (<u64>d | <u64>u << 16 | <u64>l << 32 | <u64>s << 48)) * CHAIN;
    form |= formOf(d, u, l, s, o);
    form |= othersIn(at + i, o);
  }
  store<u64>(LOOKED_FORMS + (<usize>texts << 3), mix(form + 1));
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

/** Which of five kinds of characters follow which, among 16: a bit for each pair. Two lower-case letters say nothing, nor do two spaces. */
// @ts-ignore: decorator
@inline function formOf(d: u32, u: u32, l: u32, s: u32, o: u32): u64 {
  let next = i16x8.splat(0);
  next = i16x8.replace_lane(next, 0, <i16>d);
  next = i16x8.replace_lane(next, 1, <i16>u);
  next = i16x8.replace_lane(next, 2, <i16>o);
  next = i16x8.replace_lane(next, 3, <i16>l);
  next = i16x8.replace_lane(next, 4, <i16>s);
  return <u64>followers(d, next) | <u64>followers(u, next) << 5 | <u64>followers(o, next) << 10
    | <u64>(followers(l, next) & 0b10111) << 15 | <u64>(followers(s, next) & 0b01111) << 20;
}

// @ts-ignore: decorator
@inline function followers(kind: u32, next: v128): i32 {
  return i16x8.bitmask(i16x8.ne(v128.and(i16x8.splat(<i16>(kind << 1)), next), i16x8.splat(0)));
}

/** Which characters there are that are neither letter nor digit nor space: by five of their bits. */
// @ts-ignore: decorator
@inline function othersIn(at: usize, others: u32): u64 {
  let found: u64 = 0;
  for (let left = others; left != 0; left &= left - 1) found |= <u64>1 << (32 + <u64>(load<u8>(at + <usize>ctz(left)) & 31));
  return found;
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

/** Counts of `n` hashes by bits that `mostFrequent` and the registers do not begin with, two in a number. */
function putMix(to: usize, hashes: usize, n: u32): void {
  memory.fill(MIX_COUNTS, 0, <usize>BUCKETS << 2);
  for (let at = hashes, end = hashes + (<usize>n << 3); at < end; at += 8) {
    const bucket = MIX_COUNTS + (<usize>(load<u64>(at) >> 8 & <u64>(BUCKETS - 1)) << 2);
    store<u32>(bucket, load<u32>(bucket) + 1);
  }
  for (let i: usize = 0; i < <usize>BUCKETS; i += 2) {
    const bucket = MIX_COUNTS + (i << 2);
    store<f64>(to + (i << 2), <f64>(load<u32>(bucket) + <u32>PACK * load<u32>(bucket, 4)));
  }
}

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
