/**
 * NDJSON: rows as in JSON bodies, one on each line. `json-rows.ts` reads the rows; this file reads what stands between
 * two of them. A line ends at LF; a CR before it is white space, like every CR between tokens. Inside a row LF is an
 * error and no white space (`setLines`).
 */
import { Fault, Kind, MAX_ROWS } from './abi';
import { BODY } from './arena';
import { kindOf, value } from './json-values';
import {
  BAD, beginRow, behindMark, CLOSE_BRACE, end, endRows, fail, failRow, final, MORE, OPEN_BRACE, unexpected, whitespace,
} from './scan';

const LF: u32 = 10;

/** The line of an address, from 1. */
export function lineAt(at: usize): u32 {
  const lf = i8x16.splat(<i8>LF);
  let line: u32 = 1, p = BODY;
  for (; p + 16 <= at; p += 16) line += popcnt(i8x16.bitmask(i8x16.eq(v128.load(p), lf)));
  for (; p < at; p++) line += <u32>(load<u8>(p) == LF);
  return line;
}

/**
 * From behind the last value of row `row` (or from the start of the body, not `begun`) to the first key of the next row
 * that has one: its address and `endedRows`. ROWS_END at the end of the body.
 */
export function nextLine(p: usize, begun: bool, row: u32): usize {
  let next = row;
  if (begun) {
    if (load<u8>(p) != CLOSE_BRACE) return unexpected(p);
    p = lineEnd(p + 1);
    next++;
  } else if (p == BODY) p = behindMark();
  while (p > BAD) {
    p = whitespace(p);
    const c: u32 = load<u8>(p);
    if (p >= end) {
      if (!final) return MORE;
      return next == row && !begun ? fail(Fault.ROWS_EMPTY, p) : endRows(p, next - row);
    }
    if (c == LF) { p++; continue; }
    if (kindOf(c) == Kind.ABSENT) return unexpected(p);
    if (next == MAX_ROWS) return failRow(Fault.ROWS, p, next);
    if (c != OPEN_BRACE) return otherLine(p, next);
    p = whitespace(p + 1);
    if (load<u8>(p) != CLOSE_BRACE) return beginRow(p, next - row);
    p = lineEnd(p + 1); // a row without fields
    next++;
  }
  return p;
}

/** The LF behind the row that ends before `p`, or the end of the body. */
function lineEnd(p: usize): usize {
  p = whitespace(p);
  if (p >= end) return final ? p : MORE;
  return load<u8>(p) == LF ? p : unexpected(p);
}

/** A line with a value that is no object. Its end decides whether it is JSON at all. */
function otherLine(p: usize, row: u32): usize {
  const to = value(p, 0);
  if (to <= BAD) return to;
  const after = lineEnd(to);
  return after <= BAD ? after : failRow(Fault.ROW_NOT_OBJECT, p, row);
}
