/**
 * JSON bodies, read strictly (RFC 8259) and by whole rows: `{ … "rows": [ {row}, {row}, … ] … }`.
 *
 * Rows mostly repeat their shape, so what stands between a column's value and the next value (`,"amount": ` or
 * `},\n  {"id":`) is predicted: the raw bytes that followed the column last time are compared with what is there. A hit
 * needs no look at key, comma or brackets; a miss reads the gap byte by byte and, when it repeats, teaches the new one.
 *
 * The parser stops on the zeros behind the bytes it has. Whatever does not fit at or behind their end means "more"; the
 * row is then read again from the end of the last value of the row before, with its cells dropped.
 *
 * Rows on lines of their own are read here too; what stands between them is in `ndjson.ts`.
 */
import { Fault, Kind, MAX_CELLS, MAX_DEPTH, MAX_FIELDS, MAX_ROWS, Out, Status, Tag } from './abi';
import { BODY, edgeOf, ESCAPED, HASHES, ROWS, setOut, SHORT_NAME, START_EDGE, TAGS, VALUES } from './arena';
import {
  appendCell, BASE, cells, clearColumns, columnOf, COUNT, dropAfter, ENDS_ROW, GAP_LENGTH, MISSED, NEED, NEXT, PATTERN, rowOf,
  setCells, SPARSE, storeNumber, storeTag, storeText, unlearn,
} from './column';
import { escaped, hashEscaped, QUOTE, readHash, readText, stopsIn, stringEnd } from './escapes';
import { finished, hashText, mediumSum, mix, shortSum, valueSeed } from './hash';
import { number, plainNumber, scanNumber } from './number';
import { lineBegin } from './ndjson';

const COMMA: u32 = 0x2c, COLON: u32 = 0x3a, MINUS: u32 = 0x2d;
export const OPEN_BRACE: u32 = 0x7b, CLOSE_BRACE: u32 = 0x7d;
const OPEN_BRACKET: u32 = 0x5b, CLOSE_BRACKET: u32 = 0x5d;

/** Answers of the scanning functions that are no address. */
export const MORE: usize = 0;
export const BAD: usize = 1;
export const ROWS_END: usize = 2;

const MAX_GAP: usize = 64;

/** true, false and null by three bits of their first letter: the letters, bits to shift left what is no letter, tag, length. */
const LITERALS: usize = memory.data(128);

enum Stage { BEGIN, MEMBER, ROWS, TAIL, SCALAR }

let stage: Stage = Stage.BEGIN;
/** Rows stand on lines of their own (`ndjson.ts`), not in an array. */
let onLines: bool = false;
/** Brackets around a cell: the row's, and in JSON the body's and the array's. */
let cellDepth: u32 = 3;
/** A line feed, or a space where line feeds end rows: the one of the four white characters that differs. */
let lineFeed: u32 = 10;
export let end: usize = BODY;
/** Where the next `feedJson` goes on: a member's begin, or the end of the last value of the last whole row. */
export let resume: usize = BODY;
let resumeEdge: usize = START_EDGE;
/** The row whose last value ends at `resume`; 0 at the array's begin. */
let lastRow: u32 = 0;
let firstMember: bool = true;

/** Begins a body, or with `lines` rows on lines of their own without anything around them. */
export function beginJson(lines: bool): void {
  layLiterals();
  onLines = lines;
  stage = lines ? Stage.ROWS : Stage.BEGIN;
  cellDepth = lines ? 1 : 3;
  lineFeed = lines ? 32 : 10;
  resume = BODY;
  resumeEdge = START_EDGE;
  lastRow = 0;
  firstMember = true;
}

function layLiterals(): void {
  // No text has the byte 0xff.
  for (let entry = LITERALS; entry < LITERALS + 128; entry += 16) store<u64>(entry, u64.MAX_VALUE);
  layLiteral(TRUE_LETTERS, 4, Tag.TRUE);
  layLiteral(FALSE_LETTERS, 5, Tag.FALSE);
  layLiteral(NULL_LETTERS, 4, Tag.NULL);
}

function layLiteral(letters: u64, length: u32, tag: Tag): void {
  const entry = LITERALS + ((<usize>letters & 14) << 3);
  store<u64>(entry, letters);
  store<u8>(entry, 64 - 8 * length, 8);
  store<u8>(entry, tag, 9);
  store<u8>(entry, length, 10);
}

/** Parses what lies in [BODY, to); `final` when nothing follows. */
export function feedJson(to: usize, final: bool): Status {
  end = to;
  const at = advance(final);
  if (at != MORE) return at == BAD ? Status.FAILED : Status.DONE;
  if (!final) return Status.MORE;
  fail(Fault.TRUNCATED, end);
  return Status.FAILED;
}

/** MORE, BAD, or the body's end. */
function advance(final: bool): usize {
  if (stage == Stage.BEGIN) {
    const p = beginBody();
    if (p <= BAD) return p;
  }
  if (stage == Stage.SCALAR) return scalarBody(final);
  while (stage != Stage.TAIL) {
    const p = stage == Stage.ROWS ? rowsArray() : member();
    if (p <= BAD) return p;
    resume = p;
  }
  const p = whitespace(resume);
  resume = p; // white space is not read again with every piece
  if (p < end) return unexpected(p);
  return final ? p : MORE;
}

export function fail(fault: Fault, at: usize): usize {
  setOut(Out.FAULT, <f64>fault);
  setOut(Out.OFFSET, <f64>(at - BODY));
  return BAD;
}

/** A byte that cannot stand at `p`: bad, unless it lies behind what has arrived. */
export function unexpected(p: usize): usize { return p >= end ? MORE : fail(Fault.SYNTAX, p); }

// @ts-ignore: decorator
@inline export function whitespace(p: usize): usize {
  for (let c: u32 = load<u8>(p); c == 32 || c == lineFeed || c == 13 || c == 9; c = load<u8>(p)) p++;
  return p;
}

// ---- the body around the rows ----

function beginBody(): usize {
  // One leading byte-order mark, of which perhaps only a part has arrived: it is valid UTF-8, so it arrives whole.
  if (resume == BODY && load<u8>(BODY) == 0xef && load<u8>(BODY, 1) == 0xbb && load<u8>(BODY, 2) == 0xbf) resume += 3;
  const value = whitespace(resume);
  resume = value;
  if (value >= end) return MORE;
  const c: u32 = load<u8>(value);
  const kind = kindOf(c);
  if (kind == Kind.ABSENT) return unexpected(value);
  setOut(Out.TOP, <f64>kind);
  resume = kind == Kind.OBJECT ? value + 1 : value;
  stage = kind == Kind.OBJECT ? Stage.MEMBER : Stage.SCALAR;
  return resume;
}

/** A body that is one value and no object: checked, for a clear answer. */
function scalarBody(final: bool): usize {
  const p = value(resume, 0, final);
  if (p <= BAD) return p;
  const after = whitespace(p);
  if (after < end) return unexpected(after);
  return final ? after : MORE;
}

export function kindOf(c: u32): Kind {
  if (c == OPEN_BRACE) return Kind.OBJECT;
  if (c == OPEN_BRACKET) return Kind.ARRAY;
  if (c == QUOTE) return Kind.STRING;
  if (c == MINUS || c - 48 < 10) return Kind.NUMBER;
  if (c == 0x74) return Kind.TRUE;
  if (c == 0x66) return Kind.FALSE;
  if (c == 0x6e) return Kind.NULL;
  return Kind.ABSENT;
}

/** One member of the body, or its closing bracket; afterwards `stage` says what follows. */
function member(): usize {
  let p = whitespace(resume);
  resume = p;
  let c: u32 = load<u8>(p);
  if (c == CLOSE_BRACE) { stage = Stage.TAIL; return p + 1; }
  if (!firstMember) {
    if (c != COMMA) return unexpected(p);
    p = whitespace(p + 1);
    c = load<u8>(p);
  }
  if (c != QUOTE) return unexpected(p);
  const keyAt = p + 1, keyEnd = stringEnd(keyAt);
  if (keyEnd <= BAD) return keyEnd;
  // The values of other members are strings, too: what `stringEnd` says of the key is kept.
  const keyEscaped = escaped;
  p = whitespace(keyEnd + 1);
  if (load<u8>(p) != COLON) return unexpected(p);
  const at = whitespace(p + 1);
  if (at >= end) return MORE;
  c = load<u8>(at);
  if (isKey(keyAt, keyEnd, keyEscaped, ROWS_KEY, 4)) {
    if (c != OPEN_BRACKET) return kindOf(c) == Kind.ABSENT ? unexpected(at) : fail(Fault.ROWS_NOT_ARRAY, at);
    clearColumns(); // of two `rows` the last one counts
    setOut(Out.HAS_ROWS, 1);
    lastRow = 0;
    resumeEdge = START_EDGE;
    firstMember = false;
    stage = Stage.ROWS;
    return at + 1;
  }
  p = value(at, 1, false);
  if (p <= BAD) return p;
  firstMember = false;
  if (isKey(keyAt, keyEnd, keyEscaped, SOURCE_KEY, 6)) noteMember(Out.SOURCE_KIND, at, p);
  else if (isKey(keyAt, keyEnd, keyEscaped, OPTIONS_KEY, 7)) noteMember(Out.OPTIONS_KIND, at, p);
  return p;
}

/** Kind, offset and length of a top-level value into three entries of the results. */
function noteMember(first: Out, at: usize, to: usize): void {
  const kind = kindOf(load<u8>(at)), quotes: usize = kind == Kind.STRING ? 1 : 0;
  setOut(first, <f64>kind);
  setOut(first + 1, <f64>(at + quotes - BODY));
  setOut(first + 2, <f64>(to - at - 2 * quotes));
}

const ROWS_KEY: u64 = 0x73776f72; // "rows"
const SOURCE_KEY: u64 = 0x656372756f73; // "source"
const OPTIONS_KEY: u64 = 0x736e6f6974706f; // "options"

/** Whether the key's decoded text is the short name given as bytes. Escapes are rare: their hash is compared. */
function isKey(at: usize, to: usize, keyEscaped: bool, name: u64, length: usize): bool {
  if (!keyEscaped) return to - at == length && (load<u64>(at) & ((<u64>1 << (length << 3)) - 1)) == name;
  store<u64>(SHORT_NAME, name);
  return hashEscaped(at) == hashText(SHORT_NAME, length);
}

// ---- values that are only checked ----

/** The end of `true`, `false` or `null`, whose letters are given as bytes. */
// @ts-ignore: decorator
@inline function literalEnd(p: usize, letters: u64, length: usize): usize {
  if ((load<u64>(p) & ((<u64>1 << (length << 3)) - 1)) == letters) return p + length;
  return unexpected(p + <usize>(ctz((load<u64>(p) ^ letters)) >> 3));
}

const TRUE_LETTERS: u64 = 0x65757274, FALSE_LETTERS: u64 = 0x65736c6166, NULL_LETTERS: u64 = 0x6c6c756e;

/** The end of any value inside `depth` open brackets. A number at the end of what has arrived may go on, unless `final`. */
export function value(p: usize, depth: u32, final: bool): usize {
  const c: u32 = load<u8>(p);
  if (c == QUOTE) {
    const to = stringEnd(p + 1);
    return to <= BAD ? to : to + 1;
  }
  if (c == OPEN_BRACE || c == OPEN_BRACKET) return nested(p, depth);
  if (c == 0x74) return literalEnd(p, TRUE_LETTERS, 4);
  if (c == 0x66) return literalEnd(p, FALSE_LETTERS, 5);
  if (c == 0x6e) return literalEnd(p, NULL_LETTERS, 4);
  const to = scanNumber(p, false);
  if (to < 0) return unexpected(<usize>-to);
  return <usize>to >= end && !final ? MORE : <usize>to;
}

/** The end of an object or array inside `depth` open brackets. One bit of `kinds` per bracket: 1 for an object. */
function nested(p: usize, depth: u32): usize {
  let kinds: u64 = 0;
  const outside = depth;
  while (true) {
    // p is at an opening bracket
    if (p >= end) return MORE;
    if (++depth > <u32>MAX_DEPTH) return fail(Fault.DEPTH, p);
    const object = load<u8>(p) == OPEN_BRACE;
    kinds = (kinds << 1) | <u64>object;
    p = whitespace(p + 1);
    let c: u32 = load<u8>(p);
    let first = true;
    while (true) {
      // p is behind an opening bracket (`first`), or behind a value
      const inObject = (kinds & 1) != 0;
      if (c == (inObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
        kinds >>= 1;
        p++;
        if (--depth == outside) return p;
        first = false;
        p = whitespace(p);
        c = load<u8>(p);
        continue;
      }
      if (!first) {
        if (c != COMMA) return unexpected(p);
        p = whitespace(p + 1);
      }
      first = false;
      if (inObject) {
        if (load<u8>(p) != QUOTE) return unexpected(p);
        p = stringEnd(p + 1);
        if (p <= BAD) return p;
        p = whitespace(p + 1);
        if (load<u8>(p) != COLON) return unexpected(p);
        p = whitespace(p + 1);
      }
      c = load<u8>(p);
      if (c == OPEN_BRACE || c == OPEN_BRACKET) break;
      p = value(p, depth, true);
      if (p <= BAD) return p;
      p = whitespace(p);
      c = load<u8>(p);
    }
  }
}

// ---- rows ----

let gapEdge: usize = 0, gapRows: u32 = 0;

/**
 * The gap at `g`, behind a value (or at the array's begin): the begin of the next value, its column's edge in `gapEdge`
 * and the rows that ended in `gapRows`; or ROWS_END with the address behind it in `rowsEnd`.
 */
function gap(g: usize): usize {
  let p = whitespace(g), c: u32 = load<u8>(p);
  let next = row;
  gapRows = 0;
  if (edge != START_EDGE && c == COMMA) p = whitespace(p + 1);
  else if (onLines) {
    p = lineBegin(p, edge != START_EDGE, row);
    if (p <= ROWS_END) return p;
  } else {
    let begun = edge != START_EDGE;
    if (begun) {
      if (c != CLOSE_BRACE) return unexpected(p);
      p = whitespace(p + 1);
      next++;
    }
    while (true) {
      c = load<u8>(p);
      if (c == CLOSE_BRACKET && p < end) {
        if (!begun) return fail(Fault.ROWS_EMPTY, p);
        return endRows(p + 1, next - row);
      }
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
      if (load<u8>(p) != CLOSE_BRACE) break;
      p = whitespace(p + 1); // a row without fields
      next++;
    }
    gapRows = next - row;
  }
  if (load<u8>(p) != QUOTE) return unexpected(p);
  const keyAt = p + 1, keyEnd = stringEnd(keyAt);
  if (keyEnd <= BAD) return keyEnd;
  const keyEscaped = escaped;
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
let rowsEnd: usize = 0;

/** The rows end before `p`, where `ended` of them have ended since the value before. */
export function endRows(p: usize, ended: u32): usize {
  gapRows = ended;
  rowsEnd = p;
  return ROWS_END;
}

/** The first key of a row stands at `p`, where `ended` rows have ended since the value before. */
export function beginRow(p: usize, ended: u32): usize {
  gapRows = ended;
  return p;
}

export function failRow(fault: Fault, at: usize, row: u32): usize {
  setOut(Out.ROW, <f64>row);
  return fail(fault, at);
}

/** Replaces a prediction by the gap just read, but only once it has failed for two cells running. */
function learn(at: usize, length: usize): void {
  if (load<u32>(edge, GAP_LENGTH) != 0) {
    const count = load<u32>(edge, COUNT), missed = load<u32>(edge, MISSED);
    store<u32>(edge, count, MISSED);
    if (missed + 1 != count) return;
  }
  if (length > MAX_GAP) { unlearn(edge); return; }
  memory.copy(edge + PATTERN, at, length);
  store<u32>(edge, length >= 16 ? 0xffff : (1 << <u32>length) - 1, NEED);
  store<u32>(edge, <u32>length, GAP_LENGTH);
  store<u32>(edge, <u32>gapEdge | gapRows, NEXT);
}

/**
 * Whether the bytes at `p` are the `length` bytes of the gap predicted behind the column of `edge`. What is left of 16
 * is compared by a vector that overlaps the one before.
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

/** Where parsing stands: the edge of the column whose value is at hand, and its row. */
let edge: usize = START_EDGE, row: u32 = 0;

/** As many rows as there are: MORE, BAD, or the address behind the array, with `stage` set on. */
function rowsArray(): usize {
  edge = resumeEdge;
  row = lastRow;
  dropAfter(edge == START_EDGE ? -1 : <i32>row);
  let p = resume;
  while (true) {
    p = nextValue(p);
    if (p <= ROWS_END) return p == ROWS_END ? leaveRows() : p;
    p = plainCells(p);
    if (!atValue) continue;
    p = anyCell(p);
    if (p <= BAD) return p;
  }
}

function leaveRows(): usize {
  setOut(Out.ROWS, <f64>(row + gapRows));
  stage = onLines ? Stage.TAIL : Stage.MEMBER;
  return rowsEnd;
}

/** From behind a value to the next one, whose column and row become `edge` and `row`. */
function nextValue(from: usize): usize {
  const length = load<u32>(edge, GAP_LENGTH), next = load<u32>(edge, NEXT);
  let p = from + length;
  if (predicted(from, edge, length) && (row + 1 != MAX_ROWS || !(next & ENDS_ROW))) {
    gapEdge = next & ~ENDS_ROW;
    gapRows = next & ENDS_ROW;
  } else {
    p = gap(from);
    if (p <= ROWS_END) return p;
  }
  if (gapRows) {
    resume = from;
    resumeEdge = edge;
    lastRow = row;
    row += gapRows;
  }
  edge = gapEdge;
  return p;
}

/** Where `plainCells` stopped: at a value that is not plain, or else at a gap that was not predicted. */
let atValue: bool = false;

/**
 * The inner loop: values without anything special about them, with predicted gaps between them. It calls nothing, so that
 * all it needs stays in registers, and leaves to its caller what is rare or long.
 */
function plainCells(p: usize): usize {
  let here = edge, inRow = row, room: u32 = MAX_CELLS - cells;
  atValue = true;
  while (room != 0) {
    const base = <usize>load<u32>(here, BASE), count = load<u32>(here, COUNT);
    if (count != inRow || load<u32>(here, SPARSE)) {
      if (!load<u32>(here, SPARSE) || (count != 0 && rowOf(here, base, count - 1) == inRow)) break;
      store<u16>(base + ROWS + (<usize>count << 1), <u16>inRow);
    }
    const tagAt = base + TAGS + count, valueAt = base + VALUES + (<usize>count << 3);
    const c: u32 = load<u8>(p);
    if (c == QUOTE) {
      const at = p + 1, v = v128.load(at);
      let stops = stopsIn(v), sum: u64;
      if (stops) {
        p = at + ctz(stops);
        sum = shortSum(v, p - at);
      } else {
        stops = stopsIn(v128.load(at, 16)) | (stopsIn(v128.load(at, 32)) << 16);
        if (stops) p = at + 16 + ctz(stops);
        else {
          stops = stopsIn(v128.load(at, 48));
          if (!stops) break;
          p = at + 48 + ctz(stops);
        }
        sum = p - at == 16 ? shortSum(v, 16) : mediumSum(at, p - at);
      }
      const length = p - at;
      if (load<u8>(p) != QUOTE) { p = at - 1; break; }
      store<u64>(valueAt, <u64>at | (<u64>length << 32));
      store<u64>(valueAt + (HASHES - VALUES), finished(sum, length));
      store<u8>(tagAt, length == 0 ? Tag.EMPTY : Tag.STRING);
      p++;
    } else if (c - 48 < 10 || c == MINUS) {
      const to = plainNumber(p, valueAt);
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
    room--;
    const length = load<u32>(here, GAP_LENGTH), next = <usize>load<u32>(here, NEXT);
    if (!predicted(p, here, length)) { atValue = false; break; }
    if (next & ENDS_ROW) {
      if (inRow + 1 == MAX_ROWS) { atValue = false; break; }
      resume = p;
      resumeEdge = here;
      lastRow = inRow++;
    }
    p += length;
    here = next & ~ENDS_ROW;
  }
  edge = here;
  row = inRow;
  setCells(MAX_CELLS - room);
  return p;
}

/** A value of any kind: the address behind it. */
function anyCell(p: usize): usize {
  const base = <usize>load<u32>(edge, BASE);
  const index = appendCell(edge, base, row);
  if (index < 0) return fail(Fault.CELLS, p);
  const cell = <usize>index;
  // A gap learned from a row without space before its value fits one with it, too.
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
  // Beyond the range of f64 only its text tells what it was: kept where a text has its hash.
  if (!isFinite(number)) store<u64>(base + HASHES + (cell << 3), <u64>p | (<u64>(<usize>to - p) << 32));
  return <usize>to;
}

/** A string with escapes (or a byte that may not stand in one): the address behind its closing quote. */
function escapedCell(base: usize, cell: usize, at: usize): usize {
  const q = readText(at);
  if (q <= BAD) return q;
  storeText(base, cell, at, <u32>(q - at) | ESCAPED, readHash);
  storeTag(base, cell, Tag.STRING);
  return q + 1;
}

/** Literals and nested values: the address behind them. */
function otherCell(base: usize, cell: usize, p: usize, c: u32): usize {
  if (c == 0x6e) { storeTag(base, cell, Tag.NULL); return literalEnd(p, NULL_LETTERS, 4); }
  if (c == 0x74) { storeTag(base, cell, Tag.TRUE); return literalEnd(p, TRUE_LETTERS, 4); }
  if (c == 0x66) { storeTag(base, cell, Tag.FALSE); return literalEnd(p, FALSE_LETTERS, 5); }
  if (c != OPEN_BRACE && c != OPEN_BRACKET) return unexpected(p);
  const to = nested(p, cellDepth);
  if (to <= BAD) return to;
  // A text that spells the same is another value.
  storeText(base, cell, p, <u32>(to - p), mix(hashText(p, to - p) + valueSeed()));
  storeTag(base, cell, c == OPEN_BRACE ? Tag.OBJECT : Tag.ARRAY);
  return to;
}
