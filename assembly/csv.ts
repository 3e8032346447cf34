/**
 * CSV bodies (RFC 4180), whole records at a time. A cell gets its type from its text. Where the type depends on the rest of
 * the column (`NA`, `""`, `007`), the cell gets a provisional tag, and `csv-settle.ts` decides after the last row.
 *
 * Line feeds stand behind the arrived bytes, so that every scan stops. An unfinished record is read again from its start,
 * and its cells are dropped.
 */
import { Fault, MAX_CELLS, MAX_FIELDS, MAX_NAME_BYTES, MAX_ROWS, Out, Status } from './abi';
import { BODY, cellsOf, COLUMN_BYTES, EDGE_SHIFT, edgeOf, ESCAPED, RAGGED_ROWS, ROW_LINES, setOut, TAGS, VALUES } from './arena';
import { booleanCell, Expected, expectedAfter, integerCell, numberCell, textCell, typeCell } from './csv-cell';
import { addColumn, appendCell, COUNT, setCells, dropAfter, fields } from './column';
import { delimiterOfAll } from './csv-delimiter';
import { beginSigns, headerAt, knowHeader, lookAtRecord, lookInQuotes } from './csv-signs';

const LF: u32 = 10, CR: u32 = 13, QUOTE: u32 = 34;

/** Place in the edge of the expected type of the next cell. */
const EXPECTED: usize = 0;
const EDGE_BYTES: usize = 1 << EDGE_SHIFT;

/** Bytes of a quoted cell that hold no two records. */
const SHORT_CELL: usize = 16;

const MORE: usize = 0;
const BAD: usize = 1;

let delimiter: u32 = 0x2c;
/** On which the header begins, from 1. */
let headerLine: u32 = 1;
let end: usize = BODY;
let final: bool = false;
let headerRead: bool = false;
/** The first cell of the header with more than MAX_NAME_BYTES; 0 without one. */
let longName: usize = 0;
let row: u32 = 0;
export let resumeCsv: usize = BODY;

// Results of `cellEnd`.
let textAt: usize = 0;
/** Length of the raw text without the quotes around it, with ESCAPED where quotes are doubled. */
let textLength: u32 = 0;
let quotedCell: bool = false;

/** Every record so far has a cell for each column, so the index of a cell is its row. */
let even: bool = true;

let ragged: u32 = 0, firstRaggedCells: u32 = 0;
let firstRagged: usize = 0;
let endsEarly: bool = false;

export function beginCsv(delimiterByte: u32, lineOfHeader: u32): void {
  delimiter = delimiterByte;
  headerLine = lineOfHeader;
  beginSigns();
  headerRead = false;
  longName = 0;
  row = 0;
  ragged = 0;
  endsEarly = false;
  even = true;
  resumeCsv = BODY;
}

/** Parses the bytes in [BODY, to). `last`: nothing follows. The 64 bytes from `to` on are line feeds. */
export function feedCsv(to: usize, last: bool): Status {
  end = to;
  final = last;
  if (!headerRead) {
    const p = header();
    if (p <= BAD) return p == BAD ? Status.FAILED : last ? failed(Fault.HEADER_MISSING, end) : Status.MORE;
    headerRead = true;
    resumeCsv = p;
  }
  // A header without rows is refused for that.
  if (longName != 0 && recordBegin(resumeCsv) < end) return failed(Fault.NAME, longName);
  const p = records();
  if (p == BAD) return Status.FAILED;
  if (!last) return Status.MORE;
  if (row == 0) return failed(Fault.ROWS_EMPTY, end);
  setOut(Out.ROWS, <f64>row);
  setOut(Out.RAGGED, <f64>ragged);
  if (ragged) setOut(Out.RAGGED_LINE, <f64>lineOf(firstRagged));
  setOut(Out.RAGGED_CELLS, <f64>firstRaggedCells);
  setOut(Out.ENDS_EARLY, <f64>endsEarly);
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

/** The line of an address, from 1. LF, CRLF and CR each end a line, inside quotes too. */
export function lineOf(at: usize): u32 {
  const lf = i8x16.splat(<i8>LF), cr = i8x16.splat(<i8>CR);
  let line: u32 = 1, p = BODY;
  // The byte behind the sixteen matters too: it says whether a CR before it ends a line alone.
  for (; p + 16 < at; p += 16) {
    const v = v128.load(p), returns = i8x16.bitmask(i8x16.eq(v, cr));
    line += popcnt(i8x16.bitmask(i8x16.eq(v, lf)));
    if (returns) line += popcnt(returns & ~i8x16.bitmask(i8x16.eq(v128.load(p, 1), lf)));
  }
  for (; p < at; p++) {
    const c: u32 = load<u8>(p);
    if (c == LF || (c == CR && !(p + 1 < at && load<u8>(p, 1) == LF))) line++;
  }
  return line;
}

/**
 * After DONE: writes the lines on which the first `rows` rows begin at ROW_LINES, a u32 each. Only quotes and line ends are
 * read, sixteen bytes at a time: a quote at the start of a cell opens it, and a line end outside quotes ends a record.
 */
export function writeLines(rows: u32): void {
  const begin = headerAt, lf = i8x16.splat(<i8>LF), cr = i8x16.splat(<i8>CR), quote = i8x16.splat(<i8>QUOTE);
  let line = lineOf(begin), quoted = false, skipped: usize = 0, next: usize = ROW_LINES;
  const enough = ROW_LINES + (<usize>rows << 2);
  for (let block = begin; block < end; block += 16) {
    const v = v128.load(block);
    let stops: u32 = i8x16.bitmask(v128.or(v128.or(i8x16.eq(v, lf), i8x16.eq(v, cr)), i8x16.eq(v, quote)));
    for (; stops != 0; stops &= stops - 1) {
      const p = block + <usize>ctz(stops);
      if (p >= end) return;
      if (load<u8>(p) == QUOTE) {
        if (p == skipped) continue;
        if (!quoted) quoted = p == begin || isCellEnd(p - 1);
        else if (load<u8>(p, 1) == QUOTE) skipped = p + 1;
        else quoted = false;
        continue;
      }
      line += <u32>(load<u8>(p) == CR || load<u8>(p - 1) != CR);
      // The line feeds behind the end are line ends, too.
      if (quoted || isLineEnd(p + 1)) continue;
      assert(next < ROW_LINES + ((<usize>MAX_ROWS + 1) << 2), 'more lines than rows');
      if (next >= ROW_LINES) store<u32>(next, line);
      next += 4;
      if (next == enough) return;
    }
  }
}

function isLineEnd(p: usize): bool { return load<u8>(p) == LF || load<u8>(p) == CR; }

function isCellEnd(p: usize): bool { return load<u8>(p) == delimiter || isLineEnd(p); }

/**
 * After DONE or the refusal of row 10,001: the first of `;`, tab and `|`, other than the delimiter, that the header and every row of
 * a body with one column hold outside cells in quotes; 0 where none does.
 */
export function otherDelimiter(): u32 { return fields == 1 ? delimiterOfAll(headerAt, resumeCsv, delimiter) : 0; }

/** How many rows are ragged. Their indexes lie at RAGGED_ROWS. */
export function raggedRows(): u32 { return ragged; }

/** Skips one leading byte-order mark. It is one character, so it arrives whole. */
function behindMark(): usize {
  return load<u8>(BODY) == 0xef && load<u8>(BODY, 1) == 0xbb && load<u8>(BODY, 2) == 0xbf ? BODY + 3 : BODY;
}

/** Skips the lines before that of the header. */
function tableBegin(): usize {
  let p = behindMark();
  for (let line: u32 = 1; line < headerLine && p < end; line++) {
    while (p < end && !isLineEnd(p)) p++;
    p += p + 1 < end && load<u8>(p) == CR && load<u8>(p, 1) == LF ? 2 : 1;
  }
  return p;
}

/** Skips empty lines. */
// @ts-ignore: decorator
@inline function recordBegin(p: usize): usize {
  while (p < end && (load<u8>(p) == LF || load<u8>(p) == CR)) p++;
  return p;
}

/** Reads the header and adds a column for each cell. The host reads the names later. */
function header(): usize {
  const begin = recordBegin(tableBegin());
  let p = begin;
  if (p >= end) return MORE;
  const known = fields;
  longName = 0;
  let column: u32 = 0;
  while (true) {
    if (column == <u32>MAX_FIELDS) return fail(Fault.FIELDS, p);
    const q = cellEnd(p);
    if (q <= BAD) return q;
    if (longName == 0 && q - p > <usize>MAX_NAME_BYTES && isLongName(p)) {
      longName = p;
      setOut(Out.COLUMN, <f64>(column + 1));
    }
    p = q;
    // A header that is read again has some of its columns already.
    if (column++ >= known) addColumn(textAt, textLength, 0);
    if (load<u8>(p) != delimiter || p >= end) break;
    p++;
  }
  knowHeader(begin, p);
  return p;
}

/** Whether the header's cell at `p` has too many bytes. */
function isLongName(p: usize): bool {
  const quoted = load<u8>(p) == QUOTE;
  let bytes: usize = 0;
  for (let q = quoted ? p + 1 : p; q < end; q++) {
    const c: u32 = load<u8>(q);
    if (quoted ? c == QUOTE && load<u8>(++q) != QUOTE : c == delimiter || c == LF || c == CR) return false;
    if (++bytes > <usize>MAX_NAME_BYTES) return true;
  }
  return false;
}

/** Reads as many records as have arrived. */
function records(): usize {
  dropAfter(<i32>row - 1);
  while (true) {
    const begin = recordBegin(resumeCsv);
    resumeCsv = begin;
    if (begin >= end) break;
    if (row == MAX_ROWS) return fail(Fault.ROWS, begin);
    let p = even ? evenRecord(begin) : MORE;
    if (p == MORE) p = record(begin);
    if (p == BAD) return BAD;
    if (p == MORE) break;
    lookAtRecord(begin, p, row, fields);
    row++;
    resumeCsv = p;
  }
  countEven();
  return MORE;
}

/** Reads a complete record with at least one cell for each column. MORE for any other record. */
function evenRecord(begin: usize): usize {
  if ((row + 1) * fields > <u32>MAX_CELLS) return MORE;
  const last = edgeOf(fields - 1), comma = delimiter, commas = i8x16.splat(<i8>delimiter);
  assert(row < <u32>MAX_ROWS, 'a column is full');
  let p = begin, slot = cellsOf(0) + VALUES + (<usize>row << 3), tag = cellsOf(0) + TAGS + row;
  for (let edge = edgeOf(0); ; edge += EDGE_BYTES) {
    p = readCell(edge, slot, tag, p, comma, commas);
    if (p <= BAD) return MORE;
    if (edge == last) break;
    if (load<u8>(p) != comma) return MORE;
    p++;
    slot += COLUMN_BYTES;
    tag += COLUMN_BYTES;
  }
  if (p >= end) return MORE;
  return load<u8>(p) == comma ? extraCells(begin, p) : p;
}

/** Counts the cells of the records that `evenRecord` has stored. */
function countEven(): void {
  if (!even) return;
  for (let c: u32 = 0; c < fields; c++) store<u32>(edgeOf(c), row, COUNT);
  setCells(row * fields);
}

/** Reads any record. */
function record(begin: usize): usize {
  countEven();
  const comma = delimiter, commas = i8x16.splat(<i8>delimiter), columns = fields;
  let p = begin, column: u32 = 0;
  for (; column < columns; column++) {
    const edge = edgeOf(column), base = cellsOf(column), cell = <usize>appendCell(edge, base, row);
    if (<isize>cell < 0) return fail(Fault.CELLS, p);
    const slot = base + VALUES + (cell << 3), tag = base + TAGS + cell;
    let q = readCell(edge, slot, tag, p, comma, commas);
    if (q >= end) q = readAnyCell(edge, slot, tag, p);
    if (q <= BAD) return q;
    p = q + 1;
    if (q >= end || load<u8>(q) != comma) { p = q; break; }
  }
  if (column == columns) return extraCells(begin, p - 1);
  if (column + 1 < columns) {
    even = false;
    noteRagged(begin, column + 1);
    endsEarly = p >= end;
  }
  return p;
}

/** From the delimiter behind the last column's cell to the end of the record. */
function extraCells(begin: usize, p: usize): usize {
  let column = fields;
  do {
    // Noticed here, before the rest of a long record is read.
    if (column++ == <u32>MAX_FIELDS) return fail(Fault.FIELDS, p);
    p = cellEnd(p + 1);
    if (p <= BAD) return p;
  } while (p < end && load<u8>(p) == delimiter);
  noteRagged(begin, column);
  return p;
}

function noteRagged(begin: usize, cells: u32): void {
  assert(ragged < <u32>MAX_ROWS, 'more ragged rows than rows');
  store<u16>(RAGGED_ROWS + (<usize>ragged << 1), <u16>row);
  if (ragged++ != 0) return;
  firstRagged = begin;
  firstRaggedCells = cells;
}

/** Reads and stores the cell at `p` and returns its end. A cell that reaches `end` may go on, or be MORE. */
// @ts-ignore: decorator
@inline function readCell(edge: usize, slot: usize, tag: usize, p: usize, comma: u32, commas: v128): usize {
  const expected: Expected = load<u8>(edge, EXPECTED);
  let q: usize;
  if (expected == Expected.TEXT) q = textCell(slot, tag, p, comma, commas);
  else if (expected == Expected.NUMBER) q = numberCell(slot, tag, p, comma);
  else if (expected == Expected.INTEGER) q = integerCell(slot, tag, p, comma);
  else q = booleanCell(slot, tag, p, comma);
  const c: u32 = load<u8>(q);
  return q != 0 && (c == comma || c == LF || c == CR) ? q : readAnyCell(edge, slot, tag, p);
}

/** The same for a cell of another type than expected. Sets the type that is expected next. */
function readAnyCell(edge: usize, slot: usize, tag: usize, p: usize): usize {
  const q = cellEnd(p);
  if (q <= BAD) return q;
  typeCell(slot, tag, textAt, textLength, quotedCell);
  store<u8>(edge, <u8>expectedAfter(load<u8>(tag), load<u8>(edge, EXPECTED)), EXPECTED);
  return q;
}

/** The end of the cell at `p`: a delimiter, a line end or the end of the body. */
function cellEnd(p: usize): usize {
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
  // The next byte may be the twin of this quote.
  if (q + 1 >= end && !final) return MORE;
  const c: u32 = load<u8>(q, 1);
  if (q + 1 < end && c != delimiter && c != LF && c != CR) {
    setOut(Out.AFTER_QUOTE, <f64>c);
    return fail(Fault.TEXT_AFTER_QUOTE, p);
  }
  textAt = begin;
  textLength = <u32>(q - begin) | doubled;
  quotedCell = true;
  // Of the longer cells only, so that most bytes are read once.
  if (q - begin > SHORT_CELL && headerRead && <u64>(q - begin) * (row + 1) > <u64>(p - headerAt) << 1)
    lookInQuotes(p, begin, q, row, fields, delimiter);
  return q + 1;
}

