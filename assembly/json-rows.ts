/**
 * The rows of JSON and NDJSON bodies, whole rows at a time.
 *
 * Most rows have the same keys in the same order. So the bytes between a column's value and the next value (`,"amount": `
 * or `},\n  {"id":`) are predicted: they are compared with the bytes that followed the column last time. After a hit
 * neither key nor comma nor brackets are read. After a miss the gaps behind the next columns are compared, in case the row
 * leaves a field out. Then the gap is read byte by byte; a gap that repeats becomes the new prediction.
 *
 * The parser stops on the zeros behind the arrived bytes. A byte that does not fit there means MORE: the row is read
 * again later, from the end of the last value of the row before, and its cells are dropped.
 */
import { Fault, Kind, MAX_CELLS, MAX_FIELDS, MAX_NAME_BYTES, MAX_ROWS, Out, Tag } from './abi';
import { BODY, edgeOf, ESCAPED, getOut, HASHES, ROWS, setOut, START_EDGE, TAGS, VALUES } from './arena';
import {
  appendCell, BASE, cells, columnOf, COUNT, dropAfter, ENDS_ROW, GAP_LENGTH, LEFT_OUT, LEFT_OUT_RUN, MISSED, NEED, NEXT, PATTERN, rowOf,
  setCells, SPARSE, storeNumber, storeTag, storeText, unlearn,
} from './column';
import { escaped, isLonger, readHash, readText, stopsIn, stringEnd } from './escapes';
import { isLarge, restOfText, slotOfRest } from './exact';
import { finished, hashText, mediumSum, mix, shortSum, valueSeed } from './hash';
import { FALSE_LETTERS, kindOf, literalEnd, nested, NULL_LETTERS, TRUE_LETTERS } from './json-values';
import { nextLine } from './ndjson';
import { number, plainNumber, scanNumber, shortInteger } from './number';
import {
  BAD, beginRow, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, end, endedRows, endRows, fail, failRow, MINUS, MORE, OPEN_BRACE, OPEN_BRACKET,
  QUOTE, ROWS_END, rowsEnd, unexpected, whitespace,
} from './scan';

const MAX_GAP: usize = 64;

/** true, false and null by three bits of their first letter: the letters, how far to shift out the bytes behind them, tag, length. */
const LITERALS: usize = memory.data(128);

/** Each row stands on a line of its own, not in an array. */
let onLines: bool = false;
/** Brackets around a cell: the row's, and in JSON the body's and the array's. */
let cellDepth: u32 = 3;
/** Where `readRows` goes on: the array's begin, or the end of the last value of the last whole row, with the column of that value. */
export let resumeRows: usize = BODY;
let resumeEdge: usize = START_EDGE;
/** The row whose last value ends at `resumeRows`; 0 at the array's begin. */
let lastRow: u32 = 0;

/** The column whose value is read now, by its edge, and the row. */
let edge: usize = START_EDGE, row: u32 = 0;

/** Begins to read rows at `p`. */
export function beginRows(p: usize, lines: bool): void {
  writeLiterals();
  onLines = lines;
  cellDepth = lines ? 1 : 3;
  resumeRows = p;
  resumeEdge = START_EDGE;
  lastRow = 0;
}

function writeLiterals(): void {
  // No text has the byte 0xff.
  for (let entry = LITERALS; entry < LITERALS + 128; entry += 16) store<u64>(entry, u64.MAX_VALUE);
  writeLiteral(TRUE_LETTERS, 4, Tag.TRUE);
  writeLiteral(FALSE_LETTERS, 5, Tag.FALSE);
  writeLiteral(NULL_LETTERS, 4, Tag.NULL);
}

function writeLiteral(letters: u64, length: u32, tag: Tag): void {
  const entry = LITERALS + ((<usize>letters & 14) << 3);
  store<u64>(entry, letters);
  store<u8>(entry, 64 - 8 * length, 8);
  store<u8>(entry, tag, 9);
  store<u8>(entry, length, 10);
}

/** Reads as many rows as there are: MORE, BAD, or the address behind the rows. */
export function readRows(): usize {
  edge = resumeEdge;
  row = lastRow;
  dropAfter(edge == START_EDGE ? -1 : <i32>row);
  let p = resumeRows;
  while (true) {
    p = nextValue(p);
    if (p <= ROWS_END) break;
    p = plainCells(p);
    if (!atValue) continue;
    p = anyCell(p);
    if (p <= BAD) return p;
  }
  if (p != ROWS_END) return p;
  setOut(Out.ROWS, <f64>(row + gapRows));
  return rowsEnd;
}

// ---- gaps ----

/** The column behind the gap, by its edge, and the rows that end within the gap. */
let gapEdge: usize = 0, gapRows: u32 = 0;

/** Neighbouring fields that one gap may skip. Where a row leaves out more, the gap is read byte by byte. */
const MAX_LEFT_OUT: u32 = 2;
/** After so many gaps in a row that skip a field, the next ones are predicted to do so. Fewer would be chance. */
const PATIENCE: u32 = 8;

/** From behind a value to the next one, whose column and row become `edge` and `row`. */
function nextValue(from: usize): usize {
  let p = predictedValue(from);
  if (p == 0) {
    p = gap(from);
    if (p <= ROWS_END) return p;
  }
  if (gapRows) {
    resumeRows = from;
    resumeEdge = edge;
    lastRow = row;
    row += gapRows;
  }
  edge = gapEdge;
  return p;
}

/**
 * Where the next value begins, if its gap is the one predicted, and sets `gapEdge` and `gapRows`; else 0. Where a row leaves a field out, the gap is
 * the one behind that field: what it says does not depend on the column before it.
 */
// @ts-ignore: decorator
@inline function predictedValue(from: usize): usize {
  let at = edge;
  for (let leftOut: u32 = 0; leftOut <= MAX_LEFT_OUT; leftOut++) {
    const length = load<u32>(at, GAP_LENGTH), next = load<u32>(at, NEXT);
    if (predicted(from, at, length)) {
      if (row + 1 == MAX_ROWS && next & ENDS_ROW) return 0;
      gapEdge = next & ~ENDS_ROW;
      gapRows = next & ENDS_ROW;
      if (leftOut) noteLeftOut(from, length);
      return from + length;
    }
    // Nothing is left out at the array's begin. Without a prediction there is no next column.
    if (length == 0 || edge == START_EDGE) return 0;
    at = next & ~ENDS_ROW;
  }
  return 0;
}

/** Replaces a prediction that mostly fails, though the row leaves out no more than it may. */
function noteLeftOut(from: usize, length: usize): void {
  const count = load<u32>(edge, COUNT), run = load<u32>(edge, LEFT_OUT) + 1 == count ? load<u32>(edge, LEFT_OUT_RUN) + 1 : 1;
  store<u32>(edge, count, LEFT_OUT);
  store<u32>(edge, run, LEFT_OUT_RUN);
  if (run == PATIENCE) predict(from, length);
}

/**
 * Whether the bytes at `p` are the `length` bytes of the gap predicted behind the column of `edge`. The rest of a gap
 * beyond 16 bytes is compared by vectors that overlap.
 */
// @ts-ignore: decorator
@inline function predicted(p: usize, edge: usize, length: usize): bool {
  const same: u32 = i8x16.bitmask(i8x16.eq(v128.load(p), v128.load(edge, PATTERN)));
  if ((~same & load<u32>(edge, NEED)) != 0) return false;
  let i: usize = 16;
  for (; i < length; i += 16) {
    const rest = min(i, length - 16);
    if (i8x16.bitmask(i8x16.eq(v128.load(p + rest), v128.load(edge + PATTERN + rest))) != 0xffff) return false;
  }
  return true;
}

/** Reads the gap at `g`, behind a value or at the array's begin, and sets `gapEdge` and `gapRows`. Returns where the next value begins. */
function gap(g: usize): usize {
  let p = whitespace(g);
  gapRows = 0;
  if (edge != START_EDGE && load<u8>(p) == COMMA) p = whitespace(p + 1);
  else {
    p = onLines ? nextLine(p, edge != START_EDGE, row) : nextItem(p, edge != START_EDGE, row);
    gapRows = endedRows;
    if (p <= ROWS_END) return p;
  }
  if (load<u8>(p) != QUOTE) return unexpected(p);
  const keyAt = p + 1, keyEnd = stringEnd(keyAt);
  const keyEscaped = escaped;
  // A fault behind the byte that makes the name too long comes second, and more of such a name is not waited for.
  const read = keyEnd == MORE ? end : keyEnd == BAD ? BODY + <usize>getOut(Out.OFFSET) : keyEnd;
  if (read - keyAt > <usize>MAX_NAME_BYTES && isLonger(keyAt, read, MAX_NAME_BYTES)) return failRow(Fault.NAME, keyAt - 1, row + gapRows);
  if (keyEnd <= BAD) return keyEnd;
  p = whitespace(keyEnd + 1);
  if (load<u8>(p) != COLON) return unexpected(p);
  p = whitespace(p + 1);
  const column = columnOf(keyAt, <u32>(keyEnd - keyAt), keyEscaped);
  if (column == MAX_FIELDS) return fail(Fault.FIELDS, keyAt - 1);
  if (p >= end) return MORE;
  gapEdge = edgeOf(column);
  if (gapRows <= 1) learn(g, p - g);
  return p;
}

/** As `nextLine`, in an array of rows. */
function nextItem(p: usize, begun: bool, row: u32): usize {
  let next = row;
  if (begun) {
    if (load<u8>(p) != CLOSE_BRACE) return unexpected(p);
    p = whitespace(p + 1);
    next++;
  }
  while (true) {
    let c: u32 = load<u8>(p);
    if (c == CLOSE_BRACKET && p < end) return begun ? endRows(p + 1, next - row) : fail(Fault.ROWS_EMPTY, p);
    if (begun) {
      if (c != COMMA) return unexpected(p);
      p = whitespace(p + 1);
      c = load<u8>(p);
    }
    begun = true;
    if (p >= end) return MORE;
    if (next == MAX_ROWS && kindOf(c) != Kind.ABSENT) return failRow(Fault.ROWS, p, next);
    if (c != OPEN_BRACE) return kindOf(c) == Kind.ABSENT ? unexpected(p) : failRow(Fault.ROW_NOT_OBJECT, p, next);
    p = whitespace(p + 1);
    if (load<u8>(p) != CLOSE_BRACE) return beginRow(p, next - row);
    p = whitespace(p + 1); // a row without fields
    next++;
  }
}

/** Replaces a prediction by the gap just read, but only after it has failed for two cells in a row. */
function learn(at: usize, length: usize): void {
  if (load<u32>(edge, GAP_LENGTH) != 0) {
    const count = load<u32>(edge, COUNT), missed = load<u32>(edge, MISSED);
    store<u32>(edge, count, MISSED);
    if (missed + 1 != count) return;
  }
  if (length > MAX_GAP) unlearn(edge);
  else predict(at, length);
}

/** Predicts the gap at `at` behind the column of `edge`. */
function predict(at: usize, length: usize): void {
  assert(gapRows <= 1, 'a gap with several rows is predicted');
  memory.copy(edge + PATTERN, at, length);
  store<u32>(edge, length >= 16 ? 0xffff : (1 << <u32>length) - 1, NEED);
  store<u32>(edge, <u32>length, GAP_LENGTH);
  store<u32>(edge, <u32>gapEdge | gapRows, NEXT);
}

// ---- plain cells ----

/** Where `plainCells` stopped: at a value that is not plain, else at a gap that was not predicted. */
let atValue: bool = false;

/**
 * The inner loop: plain values with predicted gaps between them. It calls no function, so that its variables stay in
 * registers. Rare and long values are left to the caller.
 */
function plainCells(p: usize): usize {
  let here = edge, inRow = row, appended: u32 = 0;
  const room = <u32>MAX_CELLS - cells;
  atValue = true;
  // With less room than a row may need, each cell is left to `anyCell`, which counts exactly.
  while (room - appended >= <u32>MAX_FIELDS) {
    const base = <usize>load<u32>(here, BASE);
    let count = inRow;
    // Most columns have a cell for every earlier row and are not sparse: one comparison checks both.
    if (load<u64>(here, COUNT) != <u64>inRow) {
      count = load<u32>(here, COUNT);
      if (!load<u32>(here, SPARSE) || (count != 0 && rowOf(here, base, count - 1) == inRow)) break;
      store<u16>(base + ROWS + (<usize>count << 1), <u16>inRow);
    }
    assert(count <= inRow && inRow < <u32>MAX_ROWS, 'a column has more cells than rows');
    const tagAt = base + TAGS + count, valueAt = base + VALUES + (<usize>count << 3);
    const c: u32 = load<u8>(p);
    if (c == QUOTE) {
      const to = plainText(p, tagAt, valueAt);
      if (to == 0) break;
      p = to;
    } else if (c - MINUS < 13) {
      // A point or a slash is between the minus sign and the digits, but no number begins with it.
      let to = shortInteger(p, valueAt);
      if (to == 0) to = plainNumber(p, valueAt);
      if (to == 0) break;
      store<u8>(tagAt, Tag.NUMBER);
      p = to;
    } else {
      const literal = LITERALS + ((<usize>c & 14) << 3);
      if ((load<u64>(p) ^ load<u64>(literal)) << load<u8>(literal, 8)) break;
      store<u8>(tagAt, load<u8>(literal, 9));
      p += load<u8>(literal, 10);
    }
    store<u32>(here, count + 1, COUNT);
    appended++;
    const length = load<u32>(here, GAP_LENGTH), next = <usize>load<u32>(here, NEXT);
    if (!predicted(p, here, length)) { atValue = false; break; }
    if (next & ENDS_ROW) {
      if (inRow + 1 == MAX_ROWS) { atValue = false; break; }
      resumeRows = p;
      resumeEdge = here;
      lastRow = inRow++;
    }
    p += length;
    here = next & ~ENDS_ROW;
  }
  edge = here;
  row = inRow;
  setCells(cells + appended);
  return p;
}

/** Stores the text whose opening quote is at `p` and returns the address behind it; 0 when it has escapes or more than 63 bytes. */
// @ts-ignore: decorator
@inline function plainText(p: usize, tagAt: usize, valueAt: usize): usize {
  const at = p + 1, v = v128.load(at);
  let stops = stopsIn(v), sum: u64, to: usize;
  if (stops) {
    to = at + ctz(stops);
    sum = shortSum(v, to - at);
  } else {
    stops = stopsIn(v128.load(at, 16)) | (stopsIn(v128.load(at, 32)) << 16);
    if (stops) to = at + 16 + ctz(stops);
    else {
      stops = stopsIn(v128.load(at, 48));
      if (!stops) return 0;
      to = at + 48 + ctz(stops);
    }
    sum = to - at == 16 ? shortSum(v, 16) : mediumSum(at, to - at);
  }
  const length = to - at;
  if (load<u8>(to) != QUOTE) return 0;
  store<u64>(valueAt, <u64>at | (<u64>length << 32));
  store<u64>(valueAt + (HASHES - VALUES), finished(sum, length));
  store<u8>(tagAt, length == 0 ? Tag.EMPTY : Tag.STRING);
  return to + 1;
}

// ---- cells of any kind ----

/** Stores a value of any kind and returns the address behind it. */
function anyCell(p: usize): usize {
  const base = <usize>load<u32>(edge, BASE);
  const index = appendCell(edge, base, row);
  if (index < 0) return fail(Fault.CELLS, p);
  const cell = <usize>index;
  // A gap learned from a row without space before its value also fits one with space.
  p = whitespace(p);
  const c: u32 = load<u8>(p);
  if (c == QUOTE) return textCell(base, cell, p + 1);
  if (c - 48 < 10 || c == MINUS) return numberCell(base, cell, p);
  return otherCell(base, cell, p, c);
}

function textCell(base: usize, cell: usize, at: usize): usize {
  let q = at, stops: u32;
  for (; (stops = stopsIn(v128.load(q)) | (stopsIn(v128.load(q, 16)) << 16)) == 0; ) q += 32;
  q += ctz(stops);
  if (load<u8>(q) != QUOTE) return escapedCell(base, cell, at);
  const length = q - at;
  storeText(base, cell, at, <u32>length, hashText(at, length));
  storeTag(base, cell, length == 0 ? Tag.EMPTY : Tag.STRING);
  return q + 1;
}

function numberCell(base: usize, cell: usize, p: usize): usize {
  const to = scanNumber(p, false);
  if (to < 0) return unexpected(<usize>-to);
  storeNumber(base, cell, number);
  storeTag(base, cell, Tag.NUMBER);
  // Beyond the range of f64 only its text shows the number: it is kept where a text has its hash.
  if (!isFinite(number)) store<u64>(base + HASHES + (cell << 3), <u64>p | (<u64>(<usize>to - p) << 32));
  else if (isLarge(number)) store<u64>(base + HASHES + (cell << 3), slotOfRest(restOfText(p, <u32>(<usize>to - p), number)));
  return <usize>to;
}

/** A string with escapes, or with a byte that is not allowed in a string. */
function escapedCell(base: usize, cell: usize, at: usize): usize {
  const q = readText(at);
  if (q <= BAD) return q;
  storeText(base, cell, at, <u32>(q - at) | ESCAPED, readHash);
  storeTag(base, cell, Tag.STRING);
  return q + 1;
}

/** Literals and nested values. */
function otherCell(base: usize, cell: usize, p: usize, c: u32): usize {
  if (c == 0x6e) { storeTag(base, cell, Tag.NULL); return literalEnd(p, NULL_LETTERS, 4); }
  if (c == 0x74) { storeTag(base, cell, Tag.TRUE); return literalEnd(p, TRUE_LETTERS, 4); }
  if (c == 0x66) { storeTag(base, cell, Tag.FALSE); return literalEnd(p, FALSE_LETTERS, 5); }
  if (c != OPEN_BRACE && c != OPEN_BRACKET) return unexpected(p);
  const to = nested(p, cellDepth);
  if (to <= BAD) return to;
  // The seed makes it differ from a text with the same characters.
  storeText(base, cell, p, <u32>(to - p), mix(hashText(p, to - p) + valueSeed()));
  storeTag(base, cell, c == OPEN_BRACE ? Tag.OBJECT : Tag.ARRAY);
  return to;
}
