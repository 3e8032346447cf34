/**
 * NDJSON: rows as in JSON bodies, one a line. `json.ts` reads them, prediction included; what stands between two rows
 * is read here. Lines end at LF; a CR before it is white, like every CR between tokens. Inside a row a LF is no white
 * character but an error: `json.ts` is told so at the begin.
 */
import { Fault, Kind, MAX_ROWS, Out, Status } from './abi';
import { BODY, getOut, setOut } from './arena';
import {
  BAD, beginJson, beginRow, CLOSE_BRACE, end, endRows, fail, failRow, feedJson, kindOf, MORE, OPEN_BRACE, unexpected, value,
  whitespace,
} from './json';

const LF: u32 = 10;

let final: bool = false;

export function beginLines(): void {
  beginJson(true);
}

/** Parses what lies in [BODY, to); `last` when nothing follows. */
export function feedLines(to: usize, last: bool): Status {
  final = last;
  const status = feedJson(to, last);
  if (status == Status.FAILED) setOut(Out.LINE, <f64>lineAt(BODY + <usize>getOut(Out.OFFSET)));
  return status;
}

/** The line of an address, from 1. */
export function lineAt(at: usize): u32 {
  const lf = i8x16.splat(<i8>LF);
  let line: u32 = 1, p = BODY;
  for (; p + 16 <= at; p += 16) line += popcnt(i8x16.bitmask(i8x16.eq(v128.load(p), lf)));
  for (; p < at; p++) line += <u32>(load<u8>(p) == LF);
  return line;
}

/**
 * From behind the last value of row `row` (or the body's begin, not `begun`) to the first key of the next row that has
 * one, as `gap` of `json.ts` answers. The last row ends where the body does.
 */
export function lineBegin(p: usize, begun: bool, row: u32): usize {
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

/** Behind the row that ends before `p`: its LF, or the body's end. */
function lineEnd(p: usize): usize {
  p = whitespace(p);
  if (p >= end) return final ? p : MORE;
  return load<u8>(p) == LF ? p : unexpected(p);
}

/** A line that begins like a value and is no object: not JSON, or not a row. Only its end tells. */
function otherLine(p: usize, row: u32): usize {
  const to = value(p, 0, final);
  if (to <= BAD) return to;
  const after = lineEnd(to);
  return after <= BAD ? after : failRow(Fault.ROW_NOT_OBJECT, p, row);
}

/** One leading byte-order mark is skipped; it is one character, so it arrives whole. */
function behindMark(): usize {
  return load<u8>(BODY) == 0xef && load<u8>(BODY, 1) == 0xbb && load<u8>(BODY, 2) == 0xbf ? BODY + 3 : BODY;
}
