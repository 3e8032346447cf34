/** Cuts a short text into records and cells, as the engine cuts a body. Pure. */

const LF = 10;
const CR = 13;
const QUOTE = 34;

export interface TextRecord {
  /** On which it begins, from that of the text. */
  line: number;
  /** Without the quotes around them. */
  cells: string[];
}

export interface Cutting {
  /** A byte. */
  delimiter: number;
  /** Records that are read; the last one of a text that goes on may be incomplete, and is left out. */
  most: number;
  /** Whether the text ends where the body does. */
  isWhole: boolean;
  /** Of the first character; 1 by default. */
  line?: number;
}

/** The records that are not blank. A quote that is never closed ends its record with the text. */
export function recordsIn(text: string, { delimiter, most, isWhole, line = 1 }: Cutting): TextRecord[] {
  const records: TextRecord[] = [];
  let begun: TextRecord = { line, cells: [] };
  let at = 0;
  while (at < text.length && records.length < most) {
    const end = cellEnd(text, at, delimiter);
    const cell = text.slice(at, end);
    begun.cells.push(cell.charCodeAt(0) === QUOTE ? unquoted(cell) : cell);
    line += lineEndsIn(cell);
    at = end + 1;
    if (end < text.length && text.charCodeAt(end) === delimiter) {
      if (at === text.length) begun.cells.push('');
      continue;
    }
    if (end >= text.length && !isWhole) break;
    if (begun.cells.length > 1 || begun.cells[0] !== '') records.push(begun);
    if (text.charCodeAt(end) === CR && text.charCodeAt(at) === LF) at++;
    line++;
    begun = { line, cells: [] };
  }
  if (at >= text.length && isWhole && begun.cells.length > 0 && records.at(-1) !== begun) records.push(begun);
  return records;
}

/** Where the delimiter, the line end or the end of the text is. */
function cellEnd(text: string, from: number, delimiter: number): number {
  let at = from;
  if (text.charCodeAt(at) === QUOTE) {
    at = text.indexOf('"', at + 1);
    while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
    if (at < 0) return text.length;
  }
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === delimiter || code === LF || code === CR) return at;
  }
  return at;
}

const unquoted = (cell: string): string =>
  (cell.length > 1 && cell.endsWith('"') ? cell.slice(1, -1) : cell.slice(1)).replaceAll('""', '"');

/** LF, CRLF and CR each end a line. */
function lineEndsIn(cell: string): number {
  if (cell.charCodeAt(0) !== QUOTE) return 0;
  return cell.match(/\r\n|\r|\n/g)?.length ?? 0;
}
