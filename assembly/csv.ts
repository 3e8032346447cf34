/**
 * CSV bodies by RFC 4180 and whole records. A cell is typed by its text as far as that alone can tell; what depends on
 * the rest of its column (`NA`, `""`, `007`) gets a provisional tag that `settle.ts` resolves when all rows are in.
 *
 * Line feeds stand behind the bytes that have arrived, so that every scan stops. A record that is not complete is read
 * again from its begin, with its cells dropped.
 */
import { Fault, MAX_FIELDS, MAX_ROWS, Out, Status, Tag } from './abi';
import { BODY, cellsOf, edgeOf, ESCAPED, HASHES, setOut, VALUES } from './arena';
import { addColumn, appendCell, dropAfter, fields, hashDoubled, storeNumber, storeTag, storeText } from './column';
import { hashText } from './hash';
import { integral, number, scanNumber } from './number';

const LF: u32 = 10, CR: u32 = 13, QUOTE: u32 = 34, SPACE: u32 = 32;

const MORE: usize = 0;
const BAD: usize = 1;

let delimiter: u32 = 0x2c;
let end: usize = BODY;
let final: bool = false;
let headerRead: bool = false;
let row: u32 = 0;
export let resumeCsv: usize = BODY;

// The cell that `cellEnd` read.
let textAt: usize = 0;
/** Length of its raw text without the quotes around it, with ESCAPED where quotes are doubled. */
let textLength: u32 = 0;
let quotedCell: bool = false;

let ragged: u32 = 0;
let firstRagged: usize = 0;

export function beginCsv(delimiterByte: u32): void {
  delimiter = delimiterByte;
  headerRead = false;
  row = 0;
  ragged = 0;
  resumeCsv = BODY;
}

/** Parses what lies in [BODY, to); `last` when nothing follows. Up to 64 bytes from `to` on must be line feeds. */
export function feedCsv(to: usize, last: bool): Status {
  end = to;
  final = last;
  if (!headerRead) {
    const p = header();
    if (p <= BAD) return p == BAD ? Status.FAILED : last ? failed(Fault.HEADER_MISSING, end) : Status.MORE;
    headerRead = true;
    resumeCsv = p;
  }
  const p = records();
  if (p == BAD) return Status.FAILED;
  if (!last) return Status.MORE;
  if (row == 0) return failed(Fault.ROWS_EMPTY, end);
  setOut(Out.ROWS, <f64>row);
  setOut(Out.RAGGED, <f64>ragged);
  if (ragged) setOut(Out.RAGGED_LINE, <f64>lineOf(firstRagged));
  return Status.DONE;
}

function failed(fault: Fault, at: usize): Status { fail(fault, at); return Status.FAILED; }

function fail(fault: Fault, at: usize): usize {
  setOut(Out.FAULT, <f64>fault);
  setOut(Out.OFFSET, <f64>(at - BODY));
  setOut(Out.ROW, <f64>row);
  setOut(Out.LINE, <f64>lineOf(at));
  return BAD;
}

/** The line of an address, from 1; LF, CRLF and CR each end one, inside quotes too. */
export function lineOf(at: usize): u32 {
  let line: u32 = 1;
  for (let p = BODY; p < at; p++) {
    const c: u32 = load<u8>(p);
    if (c == LF || (c == CR && !(p + 1 < at && load<u8>(p, 1) == LF))) line++;
  }
  return line;
}

/** Skips empty lines. */
// @ts-ignore: decorator
@inline function recordBegin(p: usize): usize {
  while (p < end && (load<u8>(p) == LF || load<u8>(p) == CR)) p++;
  return p;
}

/** The header record: a column for each cell. The host gives them their names. */
function header(): usize {
  let p = BODY;
  if (load<u8>(p) == 0xef && load<u8>(p, 1) == 0xbb && load<u8>(p, 2) == 0xbf) p += 3;
  p = recordBegin(p);
  if (p >= end) return MORE;
  const known = fields;
  let column: u32 = 0;
  while (true) {
    if (column == <u32>MAX_FIELDS) return fail(Fault.FIELDS, p);
    p = cellEnd(p);
    if (p <= BAD) return p;
    // A header that came in pieces has some of its columns already.
    if (column++ >= known) addColumn(textAt, textLength, 0);
    if (load<u8>(p) != delimiter || p >= end) return p;
    p++;
  }
  return p;
}

/** As many records as there are. */
function records(): usize {
  const columns = fields;
  dropAfter(<i32>row - 1);
  while (true) {
    const begin = recordBegin(resumeCsv);
    resumeCsv = begin;
    if (begin >= end) return MORE;
    if (row == MAX_ROWS) return fail(Fault.ROWS, begin);
    let p = begin;
    let column: u32 = 0;
    for (; ; column++) {
      const at = p;
      p = cellEnd(p);
      if (p <= BAD) return p;
      if (column < columns) {
        const base = cellsOf(column);
        const cell = appendCell(edgeOf(column), base, row);
        if (cell < 0) return fail(Fault.CELLS, at);
        typeCell(base, <usize>cell);
      }
      if (load<u8>(p) != delimiter || p >= end) break;
      p++;
    }
    if (column + 1 != columns && ragged++ == 0) firstRagged = begin;
    row++;
    resumeCsv = p;
  }
}

/** From a cell's begin to the delimiter, line end or body's end behind it. */
// @ts-ignore: decorator
@inline function cellEnd(p: usize): usize {
  if (load<u8>(p) == QUOTE && p < end) return quotedEnd(p);
  const comma = i8x16.splat(<i8>delimiter), lf = i8x16.splat(<i8>LF), cr = i8x16.splat(<i8>CR);
  let q = p, stops: i32;
  while (true) {
    const v = v128.load(q);
    stops = i8x16.bitmask(v128.or(v128.or(i8x16.eq(v, comma), i8x16.eq(v, lf)), i8x16.eq(v, cr)));
    if (stops != 0) break;
    q += 16;
  }
  q += ctz(stops);
  if (q >= end) {
    if (!final) return MORE;
    q = end;
  }
  textAt = p;
  textLength = <u32>(q - p);
  quotedCell = false;
  return q;
}

function quotedEnd(p: usize): usize {
  const quote = i8x16.splat(<i8>QUOTE);
  const begin = p + 1;
  let q = begin, doubled: u32 = 0;
  while (true) {
    const stops = i8x16.bitmask(i8x16.eq(v128.load(q), quote));
    if (stops == 0) {
      q += 16;
      if (q >= end) return final ? fail(Fault.QUOTE_OPEN, p) : MORE;
      continue;
    }
    q += ctz(stops);
    if (q >= end) return final ? fail(Fault.QUOTE_OPEN, p) : MORE;
    if (q + 1 < end && load<u8>(q, 1) == QUOTE) { doubled = ESCAPED; q += 2; continue; }
    break;
  }
  // A quote that is the last byte so far may yet be doubled.
  if (q + 1 >= end && !final) return MORE;
  const c: u32 = load<u8>(q, 1);
  if (q + 1 < end && c != delimiter && c != LF && c != CR) return fail(Fault.TEXT_AFTER_QUOTE, p);
  textAt = begin;
  textLength = <u32>(q - begin) | doubled;
  quotedCell = true;
  return q + 1;
}

/** Stores the cell just read. A number keeps its text where a text has its hash, in case its column is one of codes. */
// @ts-ignore: decorator
@inline function typeCell(base: usize, cell: usize): void {
  const length = textLength & ~ESCAPED;
  if (length == 0) {
    if (quotedCell) storeText(base, cell, textAt, 0, hashText(textAt, 0));
    storeTag(base, cell, quotedCell ? Tag.NULLISH : Tag.NULL);
    return;
  }
  const first: u32 = load<u8>(textAt);
  let tag: Tag = Tag.STRING;
  if (first - 48 < 10 || first == 45 || first == 43 || first == SPACE) tag = numberTag(length);
  else if (length <= 5) tag = wordTag(length);
  if (tag == Tag.NUMBER || tag == Tag.INTEGER) {
    storeNumber(base, cell, number);
    store<u64>(base + HASHES + (cell << 3), textSlot());
  } else if (tag >= Tag.STRING) {
    const hash = (textLength & ESCAPED) != 0 ? hashDoubled(textAt, length) : hashText(textAt, length);
    storeText(base, cell, textAt, textLength, hash);
  } else store<u64>(base + VALUES + (cell << 3), textSlot());
  storeTag(base, cell, tag);
}

// @ts-ignore: decorator
@inline function textSlot(): u64 { return <u64>textAt | (<u64>textLength << 32); }

/** What a text is that begins like a number. */
// @ts-ignore: decorator
@inline function numberTag(length: u32): Tag {
  let p = textAt, to = p + length;
  while (p < to && load<u8>(p) == SPACE) p++;
  const after = scanNumber(p, true);
  if (after < 0) return length == 1 && load<u8>(textAt) == 45 ? Tag.NULLISH : Tag.STRING;
  while (to > p && load<u8>(to - 1) == SPACE) to--;
  if (<usize>after != to) return Tag.STRING;
  if (!integral) return Tag.NUMBER;
  const sign: u32 = load<u8>(p);
  if (sign == 45 || sign == 43) p++;
  return load<u8>(p) == 48 && to - p > 1 ? Tag.CODE : Tag.INTEGER;
}

/** What a text of at most five bytes is that does not begin like a number. Words are compared as bytes in lower case. */
function wordTag(length: u32): Tag {
  const bytes = load<u64>(textAt) & ((<u64>1 << (length << 3)) - 1);
  if (length == 2) {
    if (bytes == 0x4e5c) return Tag.NULL; // \N
    if ((bytes | 0x2020) == 0x616e) return Tag.NULLISH; // na
  } else if (length == 3) {
    const word = bytes | 0x202020;
    if (word == 0x6e616e || word == 0x6c696e || (bytes | 0x200020) == 0x612f6e) return Tag.NULLISH; // nan nil n/a
  } else if (length == 4) {
    if (bytes == 0x4c4c554e || bytes == 0x6c6c756e) return Tag.NULL; // NULL null
    const word = bytes | 0x20202020;
    if (word == 0x65757274) return Tag.TRUE;
    if (word == 0x656e6f6e || (bytes | 0x20002000) == 0x612f6e23) return Tag.NULLISH; // none #n/a
  } else if (length == 5 && (bytes | 0x2020202020) == 0x65736c6166) return Tag.FALSE;
  return Tag.STRING;
}
