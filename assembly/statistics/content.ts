/**
 * The content of a column: 24 bits of a hash of all its values, in whatever order, without nulls. It is a sum of keyed hashes
 * of texts and of the bits of numbers, over all rows.
 */
import { Column, Tag } from '../abi';
import { cellsOf, edgeOf, get, HASHES, put, TAGS, VALUES } from '../arena';
import { COUNT } from '../column';
import { hasLarge, isLarge, restIn } from '../exact';
import { analysed, rows, textHashes } from '../gather';
import { mix, valueSeed } from '../hash';
import { countTags, tagCount } from '../tags';
import { hashTag } from '../value-hash';
import { bitsSum, maximum, minimum, squaresSum } from './moments';

const CHAIN: u64 = 0x9E3779B97F4A7C15;

/**
 * After `putNumeric`, which leaves sums and extremes of the column's numbers when it has measured all of them, and `putDistinct`. When all rows
 * are analysed, their tags are counted and the hashes of texts gathered.
 */
export function putContent(column: u32, record: usize): void {
  if (analysed < rows) countTags(cellsOf(column) + TAGS, load<u32>(edgeOf(column), COUNT));
  const areMeasured = get(record, Column.FINITE) == get(record, Column.NUMBERS);
  put(record, Column.CONTENT, <f64>contentOf(cellsOf(column), load<u32>(edgeOf(column), COUNT), areMeasured));
}

function contentOf(base: usize, count: u32, areNumbersMeasured: bool): u32 {
  const strings = tagCount(Tag.STRING) + tagCount(Tag.EMPTY), hashed = strings + tagCount(Tag.OBJECT) + tagCount(Tag.ARRAY);
  let sum = hashTag(Tag.FALSE) * <u64>tagCount(Tag.FALSE) + hashTag(Tag.TRUE) * <u64>tagCount(Tag.TRUE);
  if (hashed == count) sum += sumOfHashes(base + HASHES, count);
  else if (hashed == strings && analysed == rows) sum += sumOfHashes(textHashes, strings);
  else if (hashed != 0) sum += sumAmongOthers(base, count);
  if (tagCount(Tag.NUMBER)) {
    sum += areNumbersMeasured ? mixedSums(bitsSum, squaresSum) : sumOfNumbers(base, count);
    if (areNumbersMeasured ? isLarge(minimum) || isLarge(maximum) : hasLarge(base + VALUES, count)) sum += sumOfRests(base, count);
  }
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

/** Without a branch: in a column that is half null each would be mispredicted. */
function sumAmongOthers(base: usize, count: u32): u64 {
  let sum: u64 = 0;
  for (let cell: usize = 0; cell < <usize>count; cell++) {
    sum += select<u64>(load<u64>(base + HASHES + (cell << 3)), 0, load<u8>(base + TAGS + cell) >= <u8>Tag.STRING);
  }
  return sum;
}

/** As `moments` does, which reads only the analysed numbers. */
function sumOfNumbers(base: usize, count: u32): u64 {
  let bits: u64 = 0, squares: u64 = 0;
  for (let cell: usize = 0; cell < <usize>count; cell++) {
    const number = select<u64>(load<u64>(base + VALUES + (cell << 3)), 0, load<u8>(base + TAGS + cell) == <u8>Tag.NUMBER);
    bits += number;
    squares += (number >> 32) * (number >> 32);
  }
  return mixedSums(bits, squares);
}

/** What tells integers of more than 53 bits apart. */
function sumOfRests(base: usize, count: u32): u64 {
  let sum: u64 = 0;
  for (let cell: usize = 0; cell < <usize>count; cell++) {
    const x = load<f64>(base + VALUES + (cell << 3));
    if (load<u8>(base + TAGS + cell) != <u8>Tag.NUMBER || !isLarge(x)) continue;
    const rest = restIn(x, load<u64>(base + HASHES + (cell << 3)));
    if (rest != 0) sum += mix(reinterpret<u64>(x) + <u64>rest);
  }
  return sum;
}

// @ts-ignore: decorator
@inline function mixedSums(bits: u64, squares: u64): u64 { return mix(mix(bits + valueSeed()) + squares); }
