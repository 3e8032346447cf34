/** State and results that all JSON scanners share: where the arrived bytes end, and how a scanner says that it stops. */
import { Fault, Out } from './abi';
import { BODY, setOut } from './arena';

export const QUOTE: u32 = 0x22, BACKSLASH: u32 = 0x5c, COMMA: u32 = 0x2c, COLON: u32 = 0x3a, MINUS: u32 = 0x2d;
export const OPEN_BRACE: u32 = 0x7b, CLOSE_BRACE: u32 = 0x7d, OPEN_BRACKET: u32 = 0x5b, CLOSE_BRACKET: u32 = 0x5d;

/** Scanning functions return an address, or one of these. */
export const MORE: usize = 0;
export const BAD: usize = 1;
export const ROWS_END: usize = 2;

/** End of the bytes that have arrived. */
export let end: usize = BODY;
/** Whether nothing follows behind `end`. */
export let final: bool = false;
/** A line feed, or a space where line feeds end rows: of the four white characters only this one differs. */
let lineFeed: u32 = 10;

export function setInput(to: usize, last: bool): void {
  end = to;
  final = last;
}

/** Whether line feeds end rows, and are not white space. */
export function setLines(lines: bool): void { lineFeed = lines ? 32 : 10; }

export function fail(fault: Fault, at: usize): usize {
  setOut(Out.FAULT, <f64>fault);
  setOut(Out.OFFSET, <f64>(at - BODY));
  return BAD;
}

export function failRow(fault: Fault, at: usize, row: u32): usize {
  setOut(Out.ROW, <f64>row);
  return fail(fault, at);
}

/** The byte at `p` is not allowed there: BAD, or MORE when it has not arrived. */
export function unexpected(p: usize): usize { return p >= end ? MORE : fail(Fault.SYNTAX, p); }

// @ts-ignore: decorator
@inline export function whitespace(p: usize): usize {
  // Most values have no white space before them: the first comparison ends the loop.
  for (let c: u32 = load<u8>(p); c <= 32 && (c == 32 || c == lineFeed || c == 13 || c == 9); c = load<u8>(p)) p++;
  return p;
}

/** Skips one leading byte-order mark. It is one character, so it arrives whole. */
export function behindMark(): usize {
  return load<u8>(BODY) == 0xef && load<u8>(BODY, 1) == 0xbb && load<u8>(BODY, 2) == 0xbf ? BODY + 3 : BODY;
}

// ---- from one row to the next: results of `nextItem` and `nextLine` ----

/** Rows that ended since the last value. */
export let endedRows: u32 = 0;
/** After ROWS_END: the address behind the rows. */
export let rowsEnd: usize = 0;

/** The rows end before `p`. */
export function endRows(p: usize, ended: u32): usize {
  endedRows = ended;
  rowsEnd = p;
  return ROWS_END;
}

/** The first key of a row stands at `p`. */
export function beginRow(p: usize, ended: u32): usize {
  endedRows = ended;
  return p;
}
