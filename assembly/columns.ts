/**
 * Columns of Arrow and Parquet: fills a column's cells from buffers that lie in linear memory, without parsing. The host reads the
 * metadata, checks that each buffer has the bytes that its layout needs, and calls `appendCells` for each column of a record batch.
 *
 * A text stays where its buffer has it. Texts that no buffer has (dates, base64, decompressed buffers) lie behind the columns, and
 * may take as many bytes as a body.
 */
import { CellFault, Layout, MAX_CELLS, MAX_ROWS, Out, Tag } from './abi';
import { BODY, cellsOf, COLUMN_BYTES, columns, edgeOf, HASHES, reserve, SENTINEL_BYTES, setOut, TAGS, VALUES } from './arena';
import { addColumn, cells, COUNT, fields, setCells, storeNumber, storeTag, storeText } from './column';
import { base64Length, writeBase64 } from './base64';
import { decimalAt, isShort } from './column-decimal';
import { writeDate, writeTime, writeTimestamp } from './column-time';
import { hasLarge, isLarge, isSmall, restOf, slotOfRest } from './exact';
import { hashText, mix, valueSeed } from './hash';
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

let layout: Layout = Layout.NULL, validity: usize = 0, offsets: usize = 0, values: usize = 0, bytes: u64 = 0, parameter: u32 = 0;
/** Addresses and lengths of the buffers behind views, a u32 each. */
let buffers: usize = 0, bufferCount: u32 = 0;
let base: usize = 0;

/** Describes the buffers of the next `appendCells`. `valueBytes`: bytes of the buffer at `valuesAt`. A validity of 0: no value is null. */
export function setBuffers(
  kind: Layout, validityAt: usize, offsetsAt: usize, valuesAt: usize, valueBytes: u32, parameterOfKind: u32, viewsAt: usize, viewCount: u32,
): void {
  layout = kind;
  validity = validityAt;
  offsets = offsetsAt;
  values = valuesAt;
  bytes = valueBytes;
  parameter = parameterOfKind;
  buffers = viewsAt;
  bufferCount = viewCount;
}

/** Appends a cell for each of `count` values. */
export function appendCells(column: u32, count: u32): CellFault {
  const first = beginAppend(column, count);
  if (layout >= Layout.DATE32 && layout <= Layout.TIMESTAMP && !hasRoom(count)) return CellFault.ROOM;
  if (isNumbers(layout)) {
    appendNumbers(first, count);
    return CellFault.NONE;
  }
  if (layout == Layout.TEXT32) {
    const fault = appendTexts(first, count);
    if (fault != CellFault.ENCODING) return fault;
  }
  for (let i: u32 = 0; i < count; i++) {
    if (!isValid(validity, i)) { storeTag(base, first + i, Tag.NULL); continue; }
    const fault = storeCell(first + i, i);
    if (fault != CellFault.NONE) return failed(fault, i);
  }
  return CellFault.NONE;
}

/** As `appendCells`, where the values are entries of a dictionary of `entries`: their indexes are integers of the layout `kind`. */
export function appendIndexed(column: u32, count: u32, kind: Layout, validityAt: usize, indexes: usize, entries: u32): CellFault {
  const first = beginAppend(column, count);
  if (layout >= Layout.DATE32 && layout <= Layout.TIMESTAMP && !hasRoom(count)) return CellFault.ROOM;
  for (let i: u32 = 0; i < count; i++) {
    if (!isValid(validityAt, i)) { storeTag(base, first + i, Tag.NULL); continue; }
    const entry = indexAt(kind, indexes, i);
    if (entry >= <u64>entries) return failed(CellFault.INDEX, i);
    if (!isValid(validity, <u32>entry)) { storeTag(base, first + i, Tag.NULL); continue; }
    const fault = storeCell(first + i, <u32>entry);
    if (fault != CellFault.NONE) return failed(fault, i);
  }
  return CellFault.NONE;
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

function hasRoom(count: u32): bool { return <u64>free + <u64>count * LONGEST_TIME <= <u64>roomEnd; }

// @ts-ignore: decorator
@inline function isValid(bits: usize, i: u32): bool { return bits == 0 || ((load<u8>(bits + <usize>(i >> 3)) >> (i & 7)) & 1) != 0; }

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
  const tags = base + TAGS + first;
  if (validity == 0) memory.fill(tags, <u8>Tag.NUMBER, count);
  else for (let i: u32 = 0; i < count; i++) store<u8>(tags + i, <u8>(isValid(validity, i) ? Tag.NUMBER : Tag.NULL));
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

/** Texts are checked as a whole, so that most need no call. ENCODING: they must be checked one by one, because bytes that are null may be anything. */
function appendTexts(first: u32, count: u32): CellFault {
  if (count == 0) return CellFault.NONE;
  let begin = load<u32>(offsets);
  const stop = load<u32>(offsets + (<usize>count << 2));
  if (begin > stop || <u64>stop > bytes) return CellFault.ENCODING;
  if (!takeText(stop - begin)) return failed(CellFault.ROOM, 0);
  if (validEnd(values + begin, values + stop) != values + stop) return CellFault.ENCODING;
  for (let i: u32 = 0; i < count; i++) {
    const end = load<u32>(offsets + (<usize>i << 2), 4), at = values + begin;
    if (end < begin || end > stop) return failed(CellFault.RANGE, i);
    if (!isValid(validity, i)) storeTag(base, first + i, Tag.NULL);
    else if (end == begin) writtenText(first + i, at, 0);
    else {
      // A text that begins or ends within a character.
      if ((load<u8>(at) & 0xc0) == 0x80 || (end != stop && (load<u8>(values + end) & 0xc0) == 0x80)) return CellFault.ENCODING;
      storeText(base, first + i, at, end - begin, hashText(at, end - begin));
      storeTag(base, first + i, Tag.STRING);
    }
    begin = end;
  }
  return CellFault.NONE;
}

/** Results of `locate`. */
let textAt: usize = 0, textLength: u32 = 0;

/** Finds the bytes of a value; false where they leave their buffer. */
function locate(i: u32): bool {
  const n = <usize>i;
  let begin: u64, end: u64;
  switch (layout) {
    case Layout.TEXT_VIEW:
    case Layout.BYTES_VIEW: return locateView(values + (n << 4));
    case Layout.TEXT64:
    case Layout.BYTES64:
      begin = load<u64>(offsets + (n << 3));
      end = load<u64>(offsets + (n << 3), 8);
      break;
    case Layout.BYTES_FIXED:
      begin = <u64>i * parameter;
      end = begin + parameter;
      break;
    default:
      begin = load<u32>(offsets + (n << 2));
      end = load<u32>(offsets + (n << 2), 4);
  }
  if (begin > end || end > bytes) return false;
  textAt = values + <usize>begin;
  textLength = <u32>(end - begin);
  return true;
}

function locateView(view: usize): bool {
  textLength = load<u32>(view);
  textAt = view + 4;
  if (textLength <= 12) return true;
  const buffer = load<u32>(view, 8), offset = load<u32>(view, 12);
  if (buffer >= bufferCount) return false;
  const entry = buffers + (<usize>buffer << 3);
  if (<u64>offset + textLength > <u64>load<u32>(entry, 4)) return false;
  textAt = <usize>load<u32>(entry) + offset;
  return true;
}

function takeText(length: u32): bool {
  if (<u64>length > textsLeft) return false;
  textsLeft -= length;
  return true;
}

function textCell(cell: u32, i: u32): CellFault {
  if (!locate(i)) return CellFault.RANGE;
  if (!takeText(textLength)) return CellFault.ROOM;
  const end = textAt + textLength;
  if (textLength != 0 && ((load<u8>(textAt) & 0xc0) == 0x80 || validEnd(textAt, end) != end)) return CellFault.ENCODING;
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
    case Layout.NULL:
      storeTag(base, cell, Tag.NULL);
      return CellFault.NONE;
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
    case Layout.DATE32: end = writeDate(load<i32>(values + (n << 2)), at); break;
    case Layout.DATE64: end = writeDate(floorDays(load<i64>(values + (n << 3))), at); break;
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
