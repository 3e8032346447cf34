/**
 * Signs that the records of a CSV body are not those of one table, noted while they are read: records that repeat the header, records that begin with a byte order mark, and
 * quoted cells that hold whole records. The first places of each sign are kept, as an address and a row.
 */
import { LAST_RECORDS, MAX_PLACES, PlacedSign } from './abi-signs';
import { HEADER_ROWS, LAST_BEGINS, PLACES, PLACES_BYTES } from './arena';

const LF: u32 = 10, CR: u32 = 13, MARK: u64 = 0xbfbbef;

/** Where the header begins, and its bytes. */
export let headerAt: usize = 0;
let headerBytes: usize = 0;
/** Its first eight bytes, or all. */
let headerStart: u64 = 0;
let startMask: u64 = 0;

export let repeatedHeaders: u32 = 0;
export let innerMarks: u32 = 0;
export let wideQuotes: u32 = 0;
let lastQuote: usize = 0;

export function beginSigns(): void {
  headerAt = 0;
  repeatedHeaders = 0;
  innerMarks = 0;
  wideQuotes = 0;
  lastQuote = 0;
}

/** The header is read. */
export function knowHeader(at: usize, to: usize): void {
  headerAt = at;
  headerBytes = to - at;
  startMask = headerBytes < 8 ? ((<u64>1) << (headerBytes << 3)) - 1 : u64.MAX_VALUE;
  headerStart = load<u64>(at) & startMask;
}

/** A complete record between `begin` and `to`, of row `row`. */
// @ts-ignore: decorator
@inline export function lookAtRecord(begin: usize, to: usize, row: u32, columns: u32): void {
  store<u32>(LAST_BEGINS + (<usize>(row & (LAST_RECORDS - 1)) << 2), <u32>begin);
  const start = load<u64>(begin);
  if ((start & startMask) == headerStart) lookForHeader(begin, to, row, columns);
  else if ((start & 0xffffff) == MARK) lookBehindMark(begin, to, row, columns);
}

function lookBehindMark(begin: usize, to: usize, row: u32, columns: u32): void {
  notePlace(PlacedSign.MARK, innerMarks, begin, row);
  innerMarks++;
  lookForHeader(begin + 3, to, row, columns);
}

/** In one column, a value may well be the name. */
function lookForHeader(begin: usize, to: usize, row: u32, columns: u32): void {
  if (columns < 2 || to - begin != headerBytes || memory.compare(begin, headerAt, headerBytes) != 0) return;
  store<u16>(HEADER_ROWS + (<usize>repeatedHeaders << 1), <u16>row);
  repeatedHeaders++;
}

/** Lines of a quoted cell that make it a swallower of records: fewer may have as many delimiters by chance. */
const MIN_LINES: u32 = 2, MIN_LINES_OF_TWO: u32 = 4;

/** The cell in quotes at `p`, whose text is between `begin` and `to`, may hold records: most of its whole lines have as many delimiters as the header. */
export function lookInQuotes(p: usize, begin: usize, to: usize, row: u32, columns: u32, delimiter: u32): void {
  // A record that is read again has been looked at.
  if (columns < 2 || p <= lastQuote) return;
  let lines: u32 = 0, alike: u32 = 0, delimiters: u32 = 0, inner = false;
  for (let at = begin; at < to; at++) {
    const c: u32 = load<u8>(at);
    if (c == delimiter) delimiters++;
    else if (c == LF || (c == CR && load<u8>(at, 1) != LF)) {
      lines += <u32>inner;
      alike += <u32>(inner && delimiters == columns - 1);
      delimiters = 0;
      inner = true;
    }
  }
  if (lines < (columns == 2 ? MIN_LINES_OF_TWO : MIN_LINES) || alike * 10 < lines * 9) return;
  lastQuote = p;
  notePlace(PlacedSign.QUOTE, wideQuotes, p, row);
  wideQuotes++;
}

function notePlace(sign: PlacedSign, count: u32, at: usize, row: u32): void {
  if (count >= <u32>MAX_PLACES) return;
  const place = PLACES + <usize>sign * PLACES_BYTES + (<usize>count << 3);
  store<u32>(place, <u32>at);
  store<u32>(place, row, 4);
}
