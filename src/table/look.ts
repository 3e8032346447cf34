/** Looks at a whole body of CSV after it was cut: whether it is certainly no table as it was read, and signs that it may not be. Pure. */
import type { CsvView, OddRows } from '../engine/csv-view.ts';
import { usualWidth } from './columns.ts';
import { DELIMITER_BYTES, findDialect, likelyDelimiter, LOOKED_RECORDS, sepLine } from './dialect.ts';
import { endingSigns, withoutEnding } from './ending.ts';
import { blankNames, hasValues, headerSign } from './header.ts';
import { escapeLines, spacedQuoteLines } from './quoting.ts';
import { recordsIn, type TextRecord } from './records.ts';
import type { NotATable, Sign, SignName } from './sign.ts';

export interface ReadAs {
  /** A byte. */
  delimiter: number;
  isDelimiterGiven: boolean;
  /** Whether the sender says on which line the header is. */
  isHeaderGiven?: boolean | undefined;
}

export type Looked = { refused: NotATable } | { refused: null; signs: Sign[] };

export function lookAtTable(view: CsvView, as: ReadAs): Looked {
  const cutting = { delimiter: as.delimiter, isWhole: view.isWhole, line: view.line };
  const records = recordsIn(view.head, { ...cutting, most: LOOKED_RECORDS });
  const refused = refusedFor(view, as, records);
  return refused ? { refused } : { refused, signs: signsOf(view, as, records) };
}

// ---- certainly no table ----

function refusedFor(view: CsvView, as: ReadAs, records: TextRecord[]): NotATable | null {
  const { head, isWhole, columns, rows, ragged } = view;
  if (isWhole && /^[ \t\r\n]*$/.test(head)) return { why: 'only_spaces' };
  if (as.isHeaderGiven) return as.isDelimiterGiven || columns > 1 ? null : otherIn(view, as);
  const sep = sepLine(head);
  if (sep !== null) return { why: 'sep_line', delimiter: byteOf(sep) };
  const others = as.isDelimiterGiven ? [] : DELIMITER_BYTES;
  const found = findDialect(head, isWhole, as.delimiter, others, records);
  if (found === null) return null;
  const isOther = found.delimiter !== as.delimiter;
  // A table whose rows are as wide as its header is one, whatever else divides them.
  if (isOther && columns > 1 && ragged * 2 < rows) return null;
  const headerLine = isOther ? found.headerLine + view.line - 1 : found.headerLine;
  if (headerLine > view.line) return { why: 'preamble', headerLine, delimiter: found.delimiter, isOther };
  return isOther ? { why: 'other_delimiter', delimiter: found.delimiter } : null;
}

/** The header is where it is said to be, and another delimiter divides it as its rows. */
function otherIn({ head, isWhole }: CsvView, { delimiter }: ReadAs): NotATable | null {
  const found = findDialect(head, isWhole, delimiter, DELIMITER_BYTES);
  return found !== null && found.delimiter !== delimiter && found.headerLine === 1
    ? { why: 'other_delimiter', delimiter: found.delimiter }
    : null;
}

const byteOf = (name: string): number | null => {
  const byte = name === '\\t' ? 0x09 : name.charCodeAt(0);
  return DELIMITER_BYTES.includes(byte) ? byte : null;
};

// ---- signs ----

function signsOf(view: CsvView, as: ReadAs, records: TextRecord[]): Sign[] {
  const cutting = { delimiter: as.delimiter, isWhole: view.isWhole, line: view.line };
  return [
    ...(as.isHeaderGiven ? [] : headerSigns(records, view)),
    ...oneColumn(records, view, as),
    ...(as.isHeaderGiven ? [] : commentSigns(records, view)),
    ...repeatedHeader(records, view),
    ...rowSign('quote_spans_lines', view.wideQuotes, true),
    ...rowSign('mark_inside', view.innerMarks, false),
    ...lineSign('space_before_quote', view.head.includes(' "') ? spacedQuoteLines(records) : []),
    ...lineSign('backslash_escapes', escapeLines(view.head, cutting)),
    ...endings(records, view, as),
  ];
}

function headerSigns(records: readonly TextRecord[], { columns, repeatedHeaders }: CsvView): Sign[] {
  const found = headerSign(records, columns);
  const isRow = found === null && repeatedHeaders.count > 0 && hasValues(records[0]!);
  if (isRow) return [{ sign: 'no_header', count: 1, lines: [records[0]!.line], rows: [] }];
  if (found) return [{ sign: found.sign, count: 1, lines: found.lines, rows: [] }];
  const line = blankNames(records, columns);
  return line === null ? [] : [{ sign: 'blank_names', count: 1, lines: [line], rows: [] }];
}

/** Values that are taken for names may well come again. */
function repeatedHeader([header]: readonly TextRecord[], { repeatedHeaders }: CsvView): Sign[] {
  return header !== undefined && hasValues(header) ? [] : rowSign('header_repeated', repeatedHeaders, true);
}

function oneColumn(
  records: readonly TextRecord[],
  { head, isWhole, columns, line }: CsvView,
  as: ReadAs,
): Sign[] {
  if (columns > 1 || as.isDelimiterGiven) return [];
  const others = DELIMITER_BYTES.filter(each => each !== as.delimiter);
  const found = likelyDelimiter(head, isWhole, others);
  return found === null && !areLinesInQuotes(records)
    ? []
    : [{ sign: 'one_column', count: 1, lines: [line], rows: [] }];
}

/** Each line stands in quotes, as spreadsheets write the lines of a text. */
function areLinesInQuotes(records: readonly TextRecord[]): boolean {
  const lines = records.map(({ cells }) => cells.join(''));
  const delimiter = likelyDelimiter(lines.join('\n'), true, DELIMITER_BYTES);
  if (delimiter === null) return false;
  const widthOf = (line: string) => line.split(String.fromCharCode(delimiter)).length;
  return (
    widthOf(lines[0]!) === usualWidth(lines.map(line => ({ line: 0, cells: Array(widthOf(line)) }))).width
  );
}

const COMMENT = /^\s*(#|\/\/)/;
/** A comment of several words: the only name may well be `#id`. */
const WORDY_COMMENT = /^\s*(#|\/\/)\s*\S+\s+\S/;

/** Comments in the place of the only name, and among rows of more cells. */
function commentSigns(records: readonly TextRecord[], { columns }: CsvView): Sign[] {
  const [header] = records;
  const isOfOne = columns === 1 && WORDY_COMMENT.test(header?.cells[0] ?? '');
  if (columns === 1 && !isOfOne) return [];
  const isComment = ({ cells }: TextRecord) => COMMENT.test(cells[0]!) && (isOfOne || cells.length < columns);
  const found = records.flatMap((record, i) =>
    isComment(record) ? [{ line: record.line, row: i - 1 }] : [],
  );
  if (found.length === 0) return [];
  const rows = isOfOne ? [] : found.map(({ row }) => row);
  return [{ sign: 'comment_lines', count: found.length, lines: found.map(({ line }) => line), rows }];
}

function rowSign(sign: SignName, { count, rows, lines }: OddRows, isHeld: boolean): Sign[] {
  return count === 0 ? [] : [{ sign, count, lines, rows: isHeld ? rows : [] }];
}

const lineSign = (sign: SignName, lines: number[]): Sign[] =>
  lines.length === 0 ? [] : [{ sign, count: lines.length, lines, rows: [] }];

/** Records that show what rows are like. */
const SAMPLE = 20;

/** Of the last records those that are no rows. */
function endings(records: readonly TextRecord[], { tail, rows, columns }: CsvView, as: ReadAs): Sign[] {
  const last = recordsIn(tail.text, { delimiter: as.delimiter, isWhole: true, most: rows });
  const body = withoutEnding(records.slice(1, SAMPLE));
  if (usualWidth(body).width !== columns) return [];
  const signs = endingSigns(last, body, columns);
  if (signs.length === 0 || last.length !== rows - tail.row) return [];
  const from = tail.line() - 1;
  return signs.map(({ sign, at }) => ({
    sign,
    count: at.length,
    lines: at.map(index => last[index]!.line + from),
    rows: at.map(index => tail.row + index),
  }));
}
