/** Where the rows of a batch are in its bytes, by the numbers that `quarantine` gives them. Pure. */
import { Format } from '../../../assembly/abi.ts';
import { stringEnd } from '../../client/json-bytes.ts';
import { CsvScanner, LineScanner, type Scanner } from '../../client/records.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  hasRows,
  lineEnds,
  markLength,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  rowsAt,
} from '../../slices/body-bytes.ts';
import { Failure } from '../failure.ts';
import type { FileFormat } from '../input/format.ts';
import { lineStart } from '../../slices/line-start.ts';

export interface RowBytes {
  /** CSV: the header with its line end. */
  header: Uint8Array;
  /** CSV: the line on which the row begins, from 1. JSON, NDJSON: the index, from 0. */
  rows: { number: number; bytes: Uint8Array }[];
}

/** Throws `Failure` with the name of the file. */
export function rowBytesOf(
  body: Uint8Array,
  { format, delimiter, headerLine = 1 }: FileFormat,
  file: string,
): RowBytes {
  if (format === Format.JSON) return { header: new Uint8Array(), rows: jsonRows(body, file) };
  if (format === Format.NDJSON) {
    const lines = recordsIn(body, new LineScanner(), Format.NDJSON);
    return { header: new Uint8Array(), rows: lines.map(({ bytes }, number) => ({ number, bytes })) };
  }
  const [header, ...rows] = recordsIn(body, new CsvScanner(delimiter), Format.CSV, headerLine);
  return { header: header!.bytes, rows };
}

/** The records from a line on that are not blank, each with its first line. A byte order mark is put before the first one. */
function recordsIn(body: Uint8Array, scanner: Scanner, format: Format, firstLine = 1): RowBytes['rows'] {
  const mark = body.subarray(0, markLength(body));
  // To the scanner the mark would be text: a quote behind it would not open a cell.
  const marked = body.subarray(mark.length);
  const text = marked.subarray(lineStart(marked, firstLine) ?? marked.length);
  const records: RowBytes['rows'] = [];
  let from = 0;
  let line = firstLine;
  const ends = scanner.ends(text as Uint8Array<ArrayBuffer>);
  for (const end of ends.at(-1) === text.length ? ends : [...ends, text.length]) {
    const bytes = text.subarray(from, end);
    if (bytes.some(byte => !scanner.blank.has(byte))) records.push({ number: line, bytes });
    line += lineEnds(bytes, format);
    from = end;
  }
  const [first] = records;
  if (first !== undefined && mark.length > 0) first.bytes = Buffer.concat([mark, first.bytes]);
  return records;
}

/** The elements of `rows`, as they are written. The engine screens the last member of this name: there must be only one. */
function jsonRows(body: Uint8Array, file: string): RowBytes['rows'] {
  const rows: RowBytes['rows'] = [];
  let depth = 0;
  let begin = 0;
  let at = rowsAt(body);
  for (; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === QUOTE) at = stringEnd(body, at);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth === 2) begin = at;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (--depth === 1) rows.push({ number: rows.length, bytes: body.subarray(begin, at + 1) });
      if (depth === 0) break;
    }
  }
  if (hasRows(body.subarray(at + 1))) throw new Failure('The object must have rows only once', file);
  return rows;
}
