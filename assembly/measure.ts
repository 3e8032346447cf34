/**
 * The statistics of all columns, after the last row: counts over all rows, measures over the analysed ones. One column
 * after the other is brought into contiguous arrays and handed to one file a statistic.
 */
import { Column, ENUM_BYTES, FENCE_FACTOR, MAX_ENUM, Out, QUANTILES, REGISTERS, Tag } from './abi';
import {
  cellsOf, DISTINCT_SCRATCH, edgeOf, ESCAPED, GATHER_HASHES, get, LISTED, LISTED_BYTES, nameOf, NUMBERS, put, recordOf, REGISTER_SETS,
  SELECT_SCRATCH, setOut, TAGS,
} from './arena';
import { COUNT, fields, REPEATED } from './column';
import { countDistinct, hashNumber, hashNumbers, registersOfHashes, registersOfIntegers } from './distinct';
import {
  analysed, cellCount, chooseRows, gather, gatherNumbers, gatherTextHashes, gatherTexts, hashes, tags, textCount, textHashes, texts, values,
} from './gather';
import { valueSeed } from './hash';
import { m2, maximum, mean, minimum, moments } from './moments';
import { outside, outsideCount, outsideMax, outsideMin } from './outside';
import { integerDistinct, quantiles } from './select';
import { countTags, tagCount } from './tags';
import { listTexts } from './texts';
import { contentOf, forgetColumns, hashTag, measureTraits } from './traits';

/** Measures every column over all rows, or over a sample of `sampleRows` where there are more. `doubled`: quotes in marked texts are doubled, as in CSV. */
export function measureColumns(rowCount: u32, sampleRows: u32, doubled: bool): void {
  chooseRows(rowCount, sampleRows);
  setOut(Out.ANALYSED, <f64>analysed);
  forgetColumns();
  for (let c: u32 = 0; c < fields; c++) measureColumn(c, doubled);
}

function measureColumn(column: u32, doubled: bool): void {
  const record = recordOf(column), edge = edgeOf(column), name = nameOf(column);
  const length = load<u32>(name, 4), count = load<u32>(edge, COUNT);
  memory.fill(record, 0, <usize>Column.LENGTH << 3);
  put(record, Column.NAME_OFFSET, <f64>load<u32>(name));
  put(record, Column.NAME_LENGTH, <f64>(length & ~ESCAPED));
  put(record, Column.NAME_ESCAPED, (length & ESCAPED) != 0 ? 1 : 0);
  put(record, Column.REPEATED, <f64>load<u32>(edge, REPEATED));
  countTags(cellsOf(column) + TAGS, count);
  for (let tag: i32 = Tag.NULL; tag <= Tag.ARRAY; tag++) put(record, Column.NULLS + tag - Tag.NULL, <f64>tagCount(tag));
  gather(column);
  countTags(tags, cellCount);
  const numeric = tagCount(Tag.NUMBER), nulls = tagCount(Tag.NULL);
  put(record, Column.VALUES, <f64>(cellCount - nulls));
  measureNumbers(record, numeric);
  measureDistinct(column, record, cellCount - nulls);
  measureTraits(column, record, doubled, knownTop(column, record, cellCount - nulls));
  put(record, Column.CONTENT, <f64>contentOf(column, count, <f64>finite == get(record, Column.NUMBERS)));
}

/** Share of the most frequent value among `present` ones, where the distinct values tell it; else 0. */
function knownTop(column: u32, record: usize, present: u32): f64 {
  const distinct = <u32>get(record, Column.DISTINCT), listed = <u32>get(record, Column.LISTED);
  if (distinct == present) return present ? 1 / <f64>present : 0;
  if (listed == 0 || textCount != present) return 0;
  let most: u32 = 0;
  for (let i: u32 = 0; i < listed; i++) most = max<u32>(most, load<u32>(LISTED + <usize>column * LISTED_BYTES + <usize>i * ENUM_BYTES, 16));
  return <f64>most / <f64>present;
}

/** The finite numbers of the column at hand, close together, after `measureNumbers`. */
let finite: u32 = 0, numbers: usize = 0;

/** Points `numbers` at the finite ones of `numeric` numbers, and takes their moments. */
function findNumbers(numeric: u32): void {
  numbers = values;
  finite = numeric;
  if (numeric == cellCount) {
    moments(numbers, finite);
    if (minimum - minimum == 0 && maximum - maximum == 0) return;
  }
  numbers = NUMBERS;
  finite = gatherNumbers();
  if (finite) moments(numbers, finite);
}

function measureNumbers(record: usize, numeric: u32): void {
  finite = 0;
  if (numeric) findNumbers(numeric);
  put(record, Column.FINITE, <f64>finite);
  if (finite == 0) return;
  const quantile = record + (<usize>Column.FIRST_QUANTILE << 3);
  put(record, Column.MEAN, mean);
  put(record, Column.M2, m2);
  quantiles(numbers, finite, minimum, maximum, SELECT_SCRATCH, quantile);
  const q1 = load<f64>(quantile + QUANTILES / 4 * 8), q3 = load<f64>(quantile + QUANTILES / 4 * 3 * 8);
  const range = q3 - q1, low = q1 - <f64>FENCE_FACTOR * range, high = q3 + <f64>FENCE_FACTOR * range;
  if (!(range > 0) || (minimum >= low && maximum <= high)) return;
  outside(numbers, finite, low, high);
  put(record, Column.OUTLIERS, <f64>outsideCount);
  put(record, Column.OUTLIER_MIN, outsideMin);
  put(record, Column.OUTLIER_MAX, outsideMax);
}

/** Distinct values: each gets a hash, numbers by their bits, booleans by their tag. Most columns have values of one kind. */
function measureDistinct(column: u32, record: usize, present: u32): void {
  const registers = REGISTER_SETS + <usize>column * REGISTERS;
  let distinct: u32;
  if (present == 0) { distinct = 0; memory.fill(registers, 0, REGISTERS); }
  else if (finite == present) distinct = distinctNumbers(registers);
  else if (tagCount(Tag.FALSE) + tagCount(Tag.TRUE) == present) distinct = distinctBooleans(registers);
  else {
    const texts = distinctTexts(column, record, registers);
    distinct = textCount == present ? texts : distinctValues(present, registers);
  }
  put(record, Column.DISTINCT, <f64>distinct);
}

/** Strings, listed when they are few; then the list tells how many there are. */
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

/** Most columns of many strings show it soon: then the strings themselves need not be gathered. */
const SOON: u32 = 256;

function listFew(list: usize): u32 {
  const soon = min(textCount, SOON);
  // The list of the first ones is made for its length only.
  if (listTexts(textHashes, textHashes, soon, MAX_ENUM, DISTINCT_SCRATCH, list) == 0) return 0;
  gatherTexts();
  return listTexts(textHashes, texts, textCount, MAX_ENUM, DISTINCT_SCRATCH, list);
}

function distinctBooleans(registers: usize): u32 {
  let n: u32 = 0;
  for (let tag: i32 = Tag.FALSE; tag <= Tag.TRUE; tag++) {
    if (tagCount(tag)) store<u64>(GATHER_HASHES + (<usize>(n++) << 3), hashTag(tag));
  }
  registersOfHashes(GATHER_HASHES, n, 8, registers);
  return n;
}

/** Values of several kinds. */
function distinctValues(present: u32, registers: usize): u32 {
  hashValues();
  return countDistinct(GATHER_HASHES, present, DISTINCT_SCRATCH, registers);
}

/** Distinct values of a column of finite numbers only. Of small integers `quantiles` has left a count each. */
function distinctNumbers(registers: usize): u32 {
  const seed = valueSeed();
  if (integerDistinct > 1) {
    registersOfIntegers(SELECT_SCRATCH, minimum, maximum, seed, registers);
    return integerDistinct;
  }
  hashNumbers(numbers, finite, seed, GATHER_HASHES);
  return countDistinct(GATHER_HASHES, finite, DISTINCT_SCRATCH, registers);
}

/** Hashes of all values that are not null, close together at GATHER_HASHES. In place is safe: no cell moves up. */
function hashValues(): void {
  const seed = valueSeed();
  let n: usize = 0;
  for (let cell: usize = 0; cell < cellCount; cell++) {
    const tag: i32 = load<u8>(tags + cell);
    if (tag == Tag.NULL) continue;
    let hash: u64;
    if (tag == Tag.NUMBER) hash = hashNumber(load<f64>(values + (cell << 3)), seed);
    else if (tag >= Tag.STRING) hash = load<u64>(hashes + (cell << 3));
    else hash = hashTag(tag);
    store<u64>(GATHER_HASHES + (n << 3), hash);
    n++;
  }
}
