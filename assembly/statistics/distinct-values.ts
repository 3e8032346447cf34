/** The distinct values of the gathered column, their registers, and the distinct strings. Most columns have values of one type. */
import { Column, ENUM_BYTES, MAX_ENUM, REGISTERS, Tag } from '../abi';
import { DISTINCT_SCRATCH, GATHER_HASHES, LISTED, LISTED_BYTES, NUMBERS, put, REGISTER_SETS, SELECT_SCRATCH } from '../arena';
import { cellCount, gatherTextHashes, gatherTexts, hashes, tags, textCount, textHashes, texts, values } from '../gather';
import { isLarge } from '../exact';
import { valueSeed } from '../hash';
import { tagCount } from '../tags';
import { hashOf, hashTag } from '../value-hash';
import { countDistinct, hashNumbers, registersOfHashes, registersOfIntegers } from './distinct';
import { listTexts } from './listed';
import { maximum, minimum } from './moments';
import { finite, numbers } from './numeric';
import { integerDistinct } from './select';

/** After `putNumeric`. `present`: how many of the cells are not null. */
export function putDistinct(column: u32, record: usize, present: u32): void {
  const registers = REGISTER_SETS + <usize>column * REGISTERS;
  let distinct: u32;
  if (present == 0) { distinct = 0; memory.fill(registers, 0, REGISTERS); }
  else if (finite == present && !isLarge(minimum) && !isLarge(maximum)) distinct = distinctNumbers(registers);
  else if (tagCount(Tag.FALSE) + tagCount(Tag.TRUE) == present) distinct = distinctBooleans(registers);
  else {
    const texts = distinctTexts(column, record, registers);
    distinct = textCount == present ? texts : distinctMixed(present, registers);
  }
  put(record, Column.DISTINCT, <f64>distinct);
}

/** Of finite numbers only, which their doubles tell apart. `quantiles` has counted small integers already. */
function distinctNumbers(registers: usize): u32 {
  const seed = valueSeed();
  if (integerDistinct > 1) {
    registersOfIntegers(SELECT_SCRATCH, minimum, maximum, seed, registers);
    return integerDistinct;
  }
  hashNumbers(numbers, finite, seed, GATHER_HASHES);
  return countDistinct(GATHER_HASHES, finite, DISTINCT_SCRATCH, registers);
}

function distinctBooleans(registers: usize): u32 {
  let n: u32 = 0;
  for (let tag: i32 = Tag.FALSE; tag <= Tag.TRUE; tag++) {
    if (tagCount(tag)) store<u64>(GATHER_HASHES + (<usize>(n++) << 3), hashTag(tag));
  }
  registersOfHashes(GATHER_HASHES, n, 8, registers);
  return n;
}

/** Lists the distinct strings when they are few; then the length of the list is their number. */
function distinctTexts(column: u32, record: usize, registers: usize): u32 {
  gatherTextHashes();
  const list = LISTED + <usize>column * LISTED_BYTES, listed = listFew(list);
  let distinct = listed;
  if (listed != 0) registersOfHashes(list, listed, ENUM_BYTES, registers);
  else if (textCount != 0) distinct = countDistinct(textHashes, textCount, DISTINCT_SCRATCH, registers);
  put(record, Column.TEXTS, <f64>textCount);
  put(record, Column.LISTED, <f64>listed);
  put(record, Column.DISTINCT_TEXTS, <f64>distinct);
  return distinct;
}

/** In most columns with many distinct strings the first rows show it. Then the strings need not be gathered. */
const FIRST_TEXTS: u32 = 256;

function listFew(list: usize): u32 {
  const first = min(textCount, FIRST_TEXTS);
  // Only the length of this list is used.
  if (listTexts(textHashes, textHashes, first, MAX_ENUM, DISTINCT_SCRATCH, list) == 0) return 0;
  gatherTexts();
  return listTexts(textHashes, texts, textCount, MAX_ENUM, DISTINCT_SCRATCH, list);
}

/** Of any values. */
function distinctMixed(present: u32, registers: usize): u32 {
  hashValues();
  return countDistinct(NUMBERS, present, DISTINCT_SCRATCH, registers);
}

/** Hashes all values that are not null, next to each other at NUMBERS, which are measured. The gathered hashes are still needed. */
function hashValues(): void {
  const seed = valueSeed();
  let n: usize = 0;
  for (let cell: usize = 0; cell < cellCount; cell++) {
    const tag: i32 = load<u8>(tags + cell);
    if (tag == Tag.NULL) continue;
    store<u64>(NUMBERS + (n << 3), hashOf(tag, values + (cell << 3), hashes + (cell << 3), seed));
    n++;
  }
}
