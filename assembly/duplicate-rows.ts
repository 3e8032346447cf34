/**
 * Rows that repeat an earlier row of the batch: all their values are equal, of equal types, whatever the order of the fields. A
 * field that is null or absent counts as not there.
 *
 * The hash of a row is the sum over its cells of NH products (Black et al. 1999) of the cell's hash, or of the bits of a
 * number, with a key for each column. It decides only that rows differ. Where rows agree, a second hash with other keys
 * joins the first, so that two different rows are never counted as one: together they have more than 100 bits.
 */
import { Column, Tag } from './abi';
import { cellsOf, edgeOf, FOUND_ROWS, DISTINCT_SCRATCH, GATHER_HASHES, get, HASHES, recordOf, ROWS, TAGS, UNSEEN, VALUES } from './arena';
import { COUNT, fields, isSparse } from './column';
import { hasLarge } from './exact';
import { analysed, rows } from './gather';
import { mix, valueSeed } from './hash';
import { countDistinct, forgetHashes, isFirst } from './statistics/distinct';
import { countTags, tagCount } from './tags';
import { hashOf, hashTag } from './value-hash';

const CHAIN: u64 = 0x9E3779B97F4A7C15;
/** A u64 for each row. The gathered hashes are needed no more when all columns are measured. */
const SUMS: usize = GATHER_HASHES;
/** The registers are not used. */
const REGISTERS_UNUSED: usize = UNSEEN;

/** How many rows repeat an earlier one. Call it when all columns are measured. */
export function countDuplicateRows(): u32 {
  if (rows < 2) return 0;
  clearSums();
  if (differInFirstColumns()) return 0;
  for (let c: u32 = 0; c < fields; c++) if (!isFirstColumn(c)) addColumn(c, 0);
  if (distinctRows() == rows) return 0;
  addSecondHashes();
  return rows - distinctRows();
}

/** Writes the rows that repeat an earlier one at FOUND_ROWS, ascending and at most `limit`, and returns how many. */
export function findDuplicateRows(limit: u32): u32 {
  clearSums();
  for (let c: u32 = 0; c < fields; c++) addColumn(c, 0);
  addSecondHashes();
  forgetHashes(DISTINCT_SCRATCH);
  let found: u32 = 0;
  for (let row: u32 = 0; row < rows && found < limit; row++) {
    if (isFirst(mix(load<u64>(SUMS + (<usize>row << 3))), DISTINCT_SCRATCH)) continue;
    store<u16>(FOUND_ROWS + (<usize>found << 1), <u16>row);
    found++;
  }
  return found;
}

function clearSums(): void { memory.fill(SUMS, 0, <usize>rows << 3); }

/** Columns that are added first: most batches differ in these already. */
const FIRST_COLUMNS: u32 = 4;
const FIRST: usize = memory.data(FIRST_COLUMNS * 4);
let firstColumns: u32 = 0;

/** Whether the columns with the most distinct values make all rows different. Else their products are in the sums. */
function differInFirstColumns(): bool {
  firstColumns = 0;
  while (firstColumns < min(FIRST_COLUMNS, fields)) {
    const column = mostDistinct();
    store<u32>(FIRST + (<usize>firstColumns << 2), column);
    firstColumns++;
    const record = recordOf(column), values = get(record, Column.VALUES);
    const isKey = values == <f64>analysed && get(record, Column.DISTINCT) == values;
    // Of a sample that is not certain.
    if (isKey && analysed == rows) return true;
    addColumn(column, 0);
    if (isKey) break;
  }
  return distinctRows() == rows;
}

/** The column with the most distinct values among those that are not added yet. */
function mostDistinct(): u32 {
  let best: u32 = 0, most: f64 = -1;
  for (let c: u32 = 0; c < fields; c++) {
    const distinct = get(recordOf(c), Column.DISTINCT);
    if (distinct <= most || isFirstColumn(c)) continue;
    best = c;
    most = distinct;
  }
  return best;
}

function isFirstColumn(column: u32): bool {
  for (let i: u32 = 0; i < firstColumns; i++) if (load<u32>(FIRST + (<usize>i << 2)) == column) return true;
  return false;
}

function distinctRows(): u32 {
  mixSums();
  return countDistinct(SUMS, rows, DISTINCT_SCRATCH, REGISTERS_UNUSED);
}

/** Equal sums stay equal, and other columns may still be added. */
function mixSums(): void {
  for (let at = SUMS, end = SUMS + (<usize>rows << 3); at < end; at += 8) store<u64>(at, mix(load<u64>(at)));
}

function addSecondHashes(): void {
  mixSums();
  for (let c: u32 = 0; c < fields; c++) addColumn(c, 1);
}

// ---- one column ----

/** Adds the products of the column's values to the sums of their rows. `pass` chooses the keys. */
function addColumn(column: u32, pass: u32): void {
  const base = cellsOf(column), edge = edgeOf(column), count = load<u32>(edge, COUNT);
  const key = mix(valueSeed() + CHAIN * <u64>(column * 2 + pass + 1));
  countTags(base + TAGS, count);
  const texts = tagCount(Tag.STRING) + tagCount(Tag.EMPTY), numbers = tagCount(Tag.NUMBER), present = count - tagCount(Tag.NULL);
  const areNumbers = texts != present && numbers == present && !hasLarge(base + VALUES, count);
  if (isSparse(edge)) {
    if (texts == present) addSparseWords(base, HASHES, count, key, false);
    else if (areNumbers) addSparseWords(base, VALUES, count, key, true);
    else addSparse(base, count, key);
  } else if (texts == present) addWords(base + TAGS, base + HASHES, count, key, false);
  else if (areNumbers) addWords(base + TAGS, base + VALUES, count, key, true);
  else if (tagCount(Tag.FALSE) + tagCount(Tag.TRUE) == present) addBooleans(base + TAGS, count, key);
  else addMixed(base, count, key);
}

/** Small integers differ only in the upper half of their bits. */
// @ts-ignore: decorator
@inline function productOf(word: u64, key: u64): u64 {
  const high = <u32>(word >> 32), low = <u32>word ^ high;
  return <u64>(low + <u32>key) * <u64>(high + <u32>(key >> 32));
}

// @ts-ignore: decorator
@inline function addTo(sum: usize, product: u64): void { store<u64>(sum, load<u64>(sum) + product); }

/** Words next to each other, one a row, four at a time. Those of nulls add nothing. */
function addWords(tags: usize, at: usize, n: u32, key: u64, areNumbers: bool): void {
  const zero = f64x2.splat(0), lowKey = i32x4.splat(<u32>key), highKey = i32x4.splat(<u32>(key >> 32)), null_ = i8x16.splat(<i8>Tag.NULL);
  let sum = SUMS;
  const end = at + (<usize>n << 3);
  for (; at + 32 <= end; at += 32, sum += 32, tags += 4) {
    let a = v128.load(at), b = v128.load(at, 16);
    if (areNumbers) {
      a = f64x2.add(a, zero);
      b = f64x2.add(b, zero);
    }
    const high = v128.shuffle<i32>(a, b, 1, 3, 5, 7), low = v128.xor(v128.shuffle<i32>(a, b, 0, 2, 4, 6), high);
    const x = i32x4.add(low, lowKey), y = i32x4.add(high, highKey);
    // A byte of ones for each null, then eight of them.
    const nulls = i8x16.eq(v128.load32_splat(tags), null_);
    const firsts = v128.shuffle<i8>(nulls, nulls, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const others = v128.shuffle<i8>(nulls, nulls, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    v128.store(sum, i64x2.add(v128.load(sum), v128.andnot(i64x2.extmul_low_i32x4_u(x, y), firsts)));
    v128.store(sum, i64x2.add(v128.load(sum, 16), v128.andnot(i64x2.extmul_high_i32x4_u(x, y), others)), 16);
  }
  for (; at < end; at += 8, sum += 8, tags++) {
    const word = areNumbers ? reinterpret<u64>(load<f64>(at) + 0.0) : load<u64>(at);
    if (load<u8>(tags) != <u8>Tag.NULL) addTo(sum, productOf(word, key));
  }
}

/** The product of each tag that has no value beside it: null, false and true. */
const PRODUCTS: usize = memory.data(4 * 8, 8);

/** Booleans and nulls. A cell's product depends on its tag alone. */
function addBooleans(tags: usize, n: u32, key: u64): void {
  store<u64>(PRODUCTS + (<usize>Tag.NULL << 3), 0);
  for (let tag: i32 = Tag.FALSE; tag <= Tag.TRUE; tag++) store<u64>(PRODUCTS + (<usize>tag << 3), productOf(hashTag(tag), key));
  for (let cell: usize = 0; cell < <usize>n; cell++) addTo(SUMS + (cell << 3), load<u64>(PRODUCTS + (<usize>load<u8>(tags + cell) << 3)));
}

/** Values of several types. */
function addMixed(base: usize, n: u32, key: u64): void {
  for (let cell: usize = 0; cell < <usize>n; cell++) addTo(SUMS + (cell << 3), productOfCell(base, cell, key));
}

/** As `addWords`, where each cell has its row beside it. */
function addSparseWords(base: usize, words: usize, n: u32, key: u64, areNumbers: bool): void {
  for (let cell: usize = 0; cell < <usize>n; cell++) {
    const at = base + words + (cell << 3), word = areNumbers ? reinterpret<u64>(load<f64>(at) + 0.0) : load<u64>(at);
    const product = select<u64>(0, productOf(word, key), load<u8>(base + TAGS + cell) == <u8>Tag.NULL);
    addTo(sumOfSparse(base, cell), product);
  }
}

function addSparse(base: usize, n: u32, key: u64): void {
  for (let cell: usize = 0; cell < <usize>n; cell++) addTo(sumOfSparse(base, cell), productOfCell(base, cell, key));
}

/** The sum of the row that stands beside a cell. */
// @ts-ignore: decorator
@inline function sumOfSparse(base: usize, cell: usize): usize { return SUMS + (<usize>load<u16>(base + ROWS + (cell << 1)) << 3); }

// @ts-ignore: decorator
@inline function productOfCell(base: usize, cell: usize, key: u64): u64 {
  const tag: i32 = load<u8>(base + TAGS + cell);
  if (tag == Tag.NULL) return 0;
  return productOf(hashOf(tag, base + VALUES + (cell << 3), base + HASHES + (cell << 3), valueSeed()), key);
}
