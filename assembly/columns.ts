/**
 * Columns of Arrow and Parquet: fills a column's cells from buffers that lie in linear memory, without parsing. The host reads the
 * metadata, checks that each buffer has the bytes that its layout needs, and calls `appendCells` for each column of a record batch.
 *
 * A text stays where its buffer has it. Texts that no buffer has (dates, base64, decompressed buffers) lie behind the columns, and
 * may take as many bytes as a body.
 */
import { CellFault, Layout, MAX_CELLS, MAX_ROWS, Out, Tag } from './abi';
import { BODY, cellsOf, COLUMN_BYTES, columns, DISTINCT_SCRATCH, edgeOf, HASHES, reserve, SENTINEL_BYTES, setOut, TAGS, VALUES } from './arena';
import { base64Length, writeBase64 } from './base64';
import { addColumn, cells, COUNT, fields, setCells, storeNumber, storeTag, storeText } from './column';
import { bytes, isValid, layout, locate, offsets, parameter, textAt, textLength, validity, values } from './column-buffers';
import { decimalAt, isShort } from './column-decimal';
import { isText, storeTexts } from './column-text';
import { writeDay, writeTime, writeTimestamp } from './column-time';
import { areSmall, hasLarge, isLarge, isSmall, restOf, slotOfRest } from './exact';
import { hashText, mix, valueSeed } from './hash';
import { chooseTags } from './tags';
import { validEnd } from './utf8';

/** Bytes of the longest date with time that is written. */
const LONGEST_TIME: usize = 48;
const INFINITE: usize = memory.data<u8>([73, 110, 102, 105, 110, 105, 116, 121], 16);
const MINUS_INFINITE: usize = memory.data<u8>([45, 73, 110, 102, 105, 110, 105, 116, 121, 0, 0, 0, 0, 0, 0, 0], 16);

/** Where the next text is written, and the end of the room for texts. */
let free: usize = 0, roomEnd: usize = 0;
/** Bytes that texts may still have. Each is read again for each row that has it, and a dictionary or views name one any number of times. */
let textsLeft: u64 = 0;
/** Of the room of a body: texts of a batch together. */
const TEXTS_OF_BODY: u64 = 4;

/** Before the first `addNamed` of a batch of `count` columns: texts begin behind them. */
export function beginTexts(count: u32): void {
  free = columns + <usize>count * COLUMN_BYTES;
  const room = columns - BODY - SENTINEL_BYTES;
  roomEnd = free + room;
  textsLeft = TEXTS_OF_BODY * <u64>room;
}

/** Adds a column. Names may repeat, as in a CSV header. */
export function addNamed(nameAt: usize, length: u32): void { addColumn(nameAt, length, 0); }

/** The address of `bytes` more bytes, 8-aligned; 0 when there is no room. Zeros or other texts follow, so that scans of vectors end. */
export function allocate(bytes: u32): usize {
  const at = (free + 7) & ~7;
  if (<u64>at + bytes > <u64>roomEnd) return 0;
  reserve(at + bytes + SENTINEL_BYTES);
  free = at + bytes;
  return at;
}

// ---- the column at hand ----

let base: usize = 0;

/** Appends a cell for each of `count` values. */
export function appendCells(column: u32, count: u32): CellFault {
  const first = beginAppend(column, count);
  if (isTime(layout) && !hasRoom(count)) return CellFault.ROOM;
  if (isNumbers(layout)) {
    appendNumbers(first, count);
    return CellFault.NONE;
  }
  if (layout == Layout.BOOLEAN) {
    const tags = base + TAGS + first;
    memory.fill(tags, <u8>Tag.TRUE, count);
    chooseTags(tags, values, count, Tag.FALSE);
    markNulls(first, count);
    return CellFault.NONE;
  }
  if (layout == Layout.TEXT32 || layout == Layout.TEXT64) {
    const fault = layout == Layout.TEXT32 ? appendTexts<u32>(first, count) : appendTexts<u64>(first, count);
    if (fault != CellFault.ENCODING) return fault;
  }
  for (let i: u32 = 0; i < count; i++) {
    if (!isValid(validity, i)) { storeTag(base, first + i, Tag.NULL); continue; }
    const fault = storeCell(first + i, i);
    if (fault != CellFault.NONE) return failed(fault, i);
  }
  return CellFault.NONE;
}

/**
 * As `appendCells`, where the values are entries of a dictionary of `entries`: their indexes are integers of the layout `kind`. An entry is stored
 * when it is first named, as a cell of a column of its own at ENTRIES, if it is one of the first MAX_ROWS.
 */
export function appendIndexed(column: u32, count: u32, kind: Layout, validityAt: usize, indexes: usize, entries: u32): CellFault {
  const first = beginAppend(column, count), own = base;
  if (isTime(layout) && !hasRoom(count)) return CellFault.ROOM;
  memory.fill(ENTRIES + TAGS, NOT_STORED, min<u32>(entries, MAX_ROWS));
  for (let i: u32 = 0; i < count; i++) {
    if (!isValid(validityAt, i)) { storeTag(own, first + i, Tag.NULL); continue; }
    const index = indexAt(kind, indexes, i), entry = <u32>index, isKept = entry < <u32>MAX_ROWS;
    if (index >= <u64>entries) return failed(CellFault.INDEX, i);
    base = isKept ? ENTRIES : own;
    const cell = isKept ? entry : first + i;
    if (!isKept || load<u8>(ENTRIES + TAGS + entry) == NOT_STORED) {
      const fault = isValid(validity, entry) ? storeCell(cell, entry) : nullCell(cell);
      if (fault != CellFault.NONE) return failed(fault, i);
    } else if (!takeText(lengthOf(entry))) return failed(CellFault.ROOM, i);
    if (isKept) copyEntry(entry, own, first + i);
  }
  return CellFault.NONE;
}

/** A column of no batch: nothing else lies here before the columns are measured. */
const ENTRIES: usize = DISTINCT_SCRATCH;
/** In place of a tag. */
const NOT_STORED: u8 = 0;

/** Bytes of the text of a stored entry; 0 of other values. */
function lengthOf(entry: u32): u32 {
  return load<u8>(ENTRIES + TAGS + entry) == <u8>Tag.STRING ? load<u32>(ENTRIES + VALUES + (<usize>entry << 3), 4) : 0;
}

function nullCell(cell: u32): CellFault {
  storeTag(base, cell, Tag.NULL);
  return CellFault.NONE;
}

// @ts-ignore: decorator
@inline function copyEntry(entry: u32, to: usize, cell: u32): void {
  const from = ENTRIES + (<usize>entry << 3), at = to + (<usize>cell << 3);
  store<u8>(to + TAGS + cell, load<u8>(ENTRIES + TAGS + entry));
  store<u64>(at + VALUES, load<u64>(from + VALUES));
  store<u64>(at + HASHES, load<u64>(from + HASHES));
}

/** After the last column of the last record batch. */
export function endColumns(rows: u32): void {
  setOut(Out.ROWS, <f64>rows);
  setOut(Out.FIELDS, <f64>fields);
}

function beginAppend(column: u32, count: u32): u32 {
  const edge = edgeOf(column), first = load<u32>(edge, COUNT);
  // The host refuses such batches with a sentence.
  if (first + count > <u32>MAX_ROWS || cells + count > <u32>MAX_CELLS) unreachable();
  base = cellsOf(column);
  store<u32>(edge, first + count, COUNT);
  setCells(cells + count);
  return first;
}

function failed(fault: CellFault, row: u32): CellFault {
  setOut(Out.ROW, <f64>row);
  return fault;
}

/** Makes null the cells from `first` whose value is not valid. */
function markNulls(first: u32, count: u32): void {
  if (validity != 0) chooseTags(base + TAGS + first, validity, count, Tag.NULL);
}

// @ts-ignore: decorator
@inline function isTime(kind: Layout): bool { return kind >= Layout.DATE32 && kind <= Layout.TIMESTAMP; }

function hasRoom(count: u32): bool { return <u64>free + <u64>count * LONGEST_TIME <= <u64>roomEnd; }

/** A negative index becomes a number that no dictionary has. */
function indexAt(kind: Layout, at: usize, i: u32): u64 {
  const n = <usize>i;
  switch (kind) {
    case Layout.INT8: return <u64><i64>load<i8>(at + n);
    case Layout.UINT8: return load<u8>(at + n);
    case Layout.INT16: return <u64><i64>load<i16>(at + (n << 1));
    case Layout.UINT16: return load<u16>(at + (n << 1));
    case Layout.INT32: return <u64><i64>load<i32>(at + (n << 2));
    case Layout.UINT32: return load<u32>(at + (n << 2));
    default: return load<u64>(at + (n << 3));
  }
}

// ---- numbers ----

// @ts-ignore: decorator
@inline function isNumbers(kind: Layout): bool { return kind >= Layout.INT8 && kind <= Layout.FLOAT64; }

function appendNumbers(first: u32, count: u32): void {
  const to = base + VALUES + (<usize>first << 3);
  switch (layout) {
    case Layout.INT8: convert<i8>(to, count); break;
    case Layout.UINT8: convert<u8>(to, count); break;
    case Layout.INT16: convert<i16>(to, count); break;
    case Layout.UINT16: convert<u16>(to, count); break;
    case Layout.INT32: convert<i32>(to, count); break;
    case Layout.UINT32: convert<u32>(to, count); break;
    case Layout.INT64: convert<i64>(to, count); keepRests<i64>(first, count); break;
    case Layout.UINT64: convert<u64>(to, count); keepRests<u64>(first, count); break;
    case Layout.FLOAT16: for (let i: usize = 0; i < <usize>count; i++) store<f64>(to + (i << 3), half(load<u16>(values + (i << 1)))); break;
    case Layout.FLOAT32: convert<f32>(to, count); break;
    default: memory.copy(to, values, <usize>count << 3);
  }
  memory.fill(base + TAGS + first, <u8>Tag.NUMBER, count);
  markNulls(first, count);
  if (layout >= Layout.FLOAT16) settleFloats(first, count);
}

function convert<T>(to: usize, count: u32): void {
  for (let i: usize = 0; i < <usize>count; i++) store<f64>(to + (i << 3), <f64>load<T>(values + i * sizeof<T>()));
}

/** Of integers, `T` of 64 bits, that are no doubles. */
function keepRests<T>(first: u32, count: u32): void {
  const to = base + VALUES + (<usize>first << 3);
  if (!hasLarge(to, count)) return;
  for (let i: usize = 0; i < <usize>count; i++) storeRest<T>(first + <u32>i, load<T>(values + (i << 3)));
}

// @ts-ignore: decorator
@inline function storeRest<T>(cell: u32, value: T): void {
  const x = <f64>value;
  if (isLarge(x)) store<u64>(base + HASHES + (<usize>cell << 3), slotOfRest(restOf(x < 0 ? 0 - <u64>value : <u64>value, x < 0, x)));
}

function longCell<T>(cell: u32, value: T): CellFault {
  storeRest<T>(cell, value);
  storeNumber(base, cell, <f64>value);
  storeTag(base, cell, Tag.NUMBER);
  return CellFault.NONE;
}

/** A NaN is no value. An infinite number shows as its text, as one of JSON beyond the range of a double. A large one has no rest. */
function settleFloats(first: u32, count: u32): void {
  if (areSmall(base + VALUES + (<usize>first << 3), count)) return;
  for (let i = first; i < first + count; i++) {
    const x = load<f64>(base + VALUES + (<usize>i << 3));
    if (!isSmall(x) && load<u8>(base + TAGS + i) == Tag.NUMBER) settleFloat(i, x);
  }
}

function settleFloat(cell: u32, x: f64): void {
  if (x != x) { storeTag(base, cell, Tag.NULL); return; }
  const text = x - x == 0 ? slotOfRest(0) : x > 0 ? <u64>INFINITE | (<u64>8 << 32) : <u64>MINUS_INFINITE | (<u64>9 << 32);
  store<u64>(base + HASHES + (<usize>cell << 3), text);
}

function half(bits: u32): f64 {
  const sign: f64 = bits >> 15 ? -1 : 1, exponent = <i32>((bits >> 10) & 31), fraction = <f64>(bits & 1023);
  if (exponent == 31) return fraction != 0 ? NaN : sign * Infinity;
  if (exponent == 0) return sign * fraction * 5.9604644775390625e-8; // 2^-24
  return sign * (1 + fraction / 1024) * reinterpret<f64>(<u64>(exponent - 15 + 1023) << 52);
}

function numberCell(cell: u32, x: f64): CellFault {
  storeNumber(base, cell, x);
  storeTag(base, cell, Tag.NUMBER);
  if (!isSmall(x)) settleFloat(cell, x);
  return CellFault.NONE;
}

// ---- texts ----

/**
 * Texts between offsets of the type `T` are checked as a whole, so that most need no call. ENCODING: they must be checked one by one, because
 * bytes that are null may be anything.
 */
function appendTexts<T>(first: u32, count: u32): CellFault {
  if (count == 0) return CellFault.NONE;
  const begin = load<T>(offsets), stop = load<T>(offsets + (<usize>count << alignof<T>()));
  if (begin > stop || <u64>stop > bytes) return CellFault.ENCODING;
  const length = <u32>(stop - begin), from = values + <usize>begin, end = values + <usize>stop;
  if (!takeText(length)) return failed(CellFault.ROOM, 0);
  const stored = validEnd(from, end) == end ? storeTexts<T>(base, first, count, offsets, values) : 0;
  if (stored == count) { markNulls(first, count); return CellFault.NONE; }
  textsLeft += length;
  return CellFault.ENCODING;
}

function takeText(length: u32): bool {
  if (<u64>length > textsLeft) return false;
  textsLeft -= length;
  return true;
}

function textCell(cell: u32, i: u32): CellFault {
  if (!locate(i)) return CellFault.RANGE;
  if (!takeText(textLength)) return CellFault.ROOM;
  if (!isText(textAt, textLength)) return CellFault.ENCODING;
  storeText(base, cell, textAt, textLength, hashText(textAt, textLength));
  storeTag(base, cell, textLength == 0 ? Tag.EMPTY : Tag.STRING);
  return CellFault.NONE;
}

function nestedCell(cell: u32, i: u32): CellFault {
  const tag: Tag = load<u8>(<usize>parameter + i);
  if (tag != Tag.OBJECT && tag != Tag.ARRAY) return textCell(cell, i);
  if (!locate(i)) return CellFault.RANGE;
  storeText(base, cell, textAt, textLength, mix(hashText(textAt, textLength) + valueSeed()));
  storeTag(base, cell, tag);
  return CellFault.NONE;
}

function bytesCell(cell: u32, i: u32): CellFault {
  if (!locate(i)) return CellFault.RANGE;
  const length = base64Length(textLength), from = textAt, count = textLength, to = allocate(length);
  if (to == 0) return CellFault.ROOM;
  writeBase64(from, count, to);
  return writtenText(cell, to, length);
}

function writtenText(cell: u32, at: usize, length: u32): CellFault {
  storeText(base, cell, at, length, hashText(at, length));
  storeTag(base, cell, length == 0 ? Tag.EMPTY : Tag.STRING);
  return CellFault.NONE;
}

// ---- values of any layout ----

function storeCell(cell: u32, i: u32): CellFault {
  const n = <usize>i;
  switch (layout) {
    case Layout.NULL: return nullCell(cell);
    case Layout.BOOLEAN:
      storeTag(base, cell, ((load<u8>(values + (n >> 3)) >> (i & 7)) & 1) != 0 ? Tag.TRUE : Tag.FALSE);
      return CellFault.NONE;
    case Layout.INT8: return numberCell(cell, <f64>load<i8>(values + n));
    case Layout.UINT8: return numberCell(cell, <f64>load<u8>(values + n));
    case Layout.INT16: return numberCell(cell, <f64>load<i16>(values + (n << 1)));
    case Layout.UINT16: return numberCell(cell, <f64>load<u16>(values + (n << 1)));
    case Layout.INT32: return numberCell(cell, <f64>load<i32>(values + (n << 2)));
    case Layout.UINT32: return numberCell(cell, <f64>load<u32>(values + (n << 2)));
    case Layout.INT64: return longCell<i64>(cell, load<i64>(values + (n << 3)));
    case Layout.UINT64: return longCell<u64>(cell, load<u64>(values + (n << 3)));
    case Layout.FLOAT16: return numberCell(cell, half(load<u16>(values + (n << 1))));
    case Layout.FLOAT32: return numberCell(cell, <f64>load<f32>(values + (n << 2)));
    case Layout.FLOAT64: return numberCell(cell, load<f64>(values + (n << 3)));
    case Layout.DECIMAL: {
      const width = parameter >> 16, scale = <i32>(parameter & 0xffff) - 32768, at = values + n * width;
      if (scale == 0 && width >= 8 && isShort(at, width)) return longCell<i64>(cell, load<i64>(at));
      return numberCell(cell, decimalAt(at, width, scale));
    }
    case Layout.NESTED: return nestedCell(cell, i);
    case Layout.BYTES32:
    case Layout.BYTES64:
    case Layout.BYTES_VIEW:
    case Layout.BYTES_FIXED: return bytesCell(cell, i);
    case Layout.TEXT32:
    case Layout.TEXT64:
    case Layout.TEXT_VIEW: return textCell(cell, i);
    default: return timeCell(cell, n);
  }
}

/** `appendCells` has seen that there is room. */
function timeCell(cell: u32, n: usize): CellFault {
  const at = allocate(<u32>LONGEST_TIME);
  if (at == 0) return CellFault.ROOM;
  let end: usize;
  switch (layout) {
    case Layout.DATE32: end = writeDay(load<i32>(values + (n << 2)), at); break;
    case Layout.DATE64: end = writeDay(floorDays(load<i64>(values + (n << 3))), at); break;
    case Layout.TIME32: end = writeTime(load<i32>(values + (n << 2)), parameter, at); break;
    case Layout.TIME64: end = writeTime(load<i64>(values + (n << 3)), parameter, at); break;
    default: end = writeTimestamp(load<i64>(values + (n << 3)), parameter, at);
  }
  free = end;
  return writtenText(cell, at, <u32>(end - at));
}

function floorDays(milliseconds: i64): i64 {
  const days = milliseconds / 86400000;
  return milliseconds % 86400000 < 0 ? days - 1 : days;
}
